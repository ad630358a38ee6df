# SPDX-License-Identifier: Apache-2.0
"""Puts a motion of poselift onto a character whose bones have the names of the motion's rig.

    blender --background CHARACTER.blend --python retarget.py -- person_1.bvh --armature NAME --out OUT.blend

The motion is a BVH or GLB of `poselift export --rig mixamo | unreal | unity | vrm | rigify`. The character is the open
file, or `--character FILE` of FBX, GLB or VRM. Its armature has bones of these names, in any rest pose and proportions;
a rig that Rigify generated is driven by its controls. OUT ends in .blend, .fbx or .glb.
"""

import argparse
import re
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

if __package__:
    from .legs import Leg, solve_legs
else:  # run as a script
    sys.path.insert(0, str(Path(__file__).parent))
    from legs import Leg, solve_legs

# Names that Mixamo and importers put before a bone's own.
_PREFIX = re.compile(r"^(.*:|mixamorig\d*_?)")

_LIMB = re.compile(r"arm|leg|thigh|shin|calf", re.IGNORECASE)
"""Bones that point where the motion's bones point. The others turn as the motion's do from rest to rest: their rest
poses look alike in all characters, though spines bend differently and feet have other shapes."""

_FINGER = re.compile(r"thumb|index|middle|ring|pinky|little|palm", re.IGNORECASE)
"""Bones of fingers, which point where the motion's do, too."""

_ARM = re.compile(r"arm", re.IGNORECASE)

_CONTROLS = {
    "spine": "torso",
    "spine.003": "chest",
    "spine.004": "neck",
    "spine.006": "head",
    **{
        f"{bone}.{side}": f"{control}.{side}"
        for side in "LR"
        for bone, control in (
            ("shoulder", "shoulder"),
            *((bone, f"{bone}_fk") for bone in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")),
        )
    },
    **{
        f"{finger}.0{place}.{side}": f"{finger}.0{place}.{side}"
        for side in "LR"
        for finger in ("thumb", "f_index", "f_middle", "f_ring", "f_pinky")
        for place in (1, 2, 3)
    },
}
"""Controls of a rig that Rigify generated, by the bones of its meta-rig."""


def retarget(source, target, scene):
    """Puts the motion of an armature onto another, frame by frame, in place of what that one played.

    Args:
        source: armature with the motion, in a rig of poselift.
        target: the character's armature.
        scene: of both; its frames are those of the motion afterwards.

    Returns:
        How many bones follow.

    Raises:
        ValueError: the armatures have too few bones of the same names, or the source has no motion.
    """
    pairs = _pairs(source, target)
    if source.animation_data is None:
        raise ValueError(f"{source.name} has no motion; import a BVH or GLB of poselift export")
    if target.animation_data is not None:  # drivers stay: Rigify's rigs need them
        target.animation_data.action = None
        for track in list(target.animation_data.nla_tracks):
            target.animation_data.nla_tracks.remove(track)
    for bone in target.pose.bones:
        bone.matrix_basis.identity()
    first, last = (round(frame) for frame in _action(source).frame_range)
    scene.frame_start, scene.frame_end = first, last
    for name in ("thigh", "upper_arm"):
        for side in "LR":
            parent = target.pose.bones.get(f"{name}_parent.{side}")
            if parent is not None and "IK_FK" in parent:
                parent["IK_FK"] = 1.0
    levels = {}
    for own, theirs in pairs:
        theirs.rotation_mode = "QUATERNION"
        levels.setdefault(len(theirs.parent_recursive), []).append((own, theirs, _correction(own, theirs, pairs)))
    hips, mover = pairs[0]
    anchor = target.data.bones.get("ORG-spine") or mover.bone
    rest_hips, rest_anchor = _rest(source, hips.bone), _rest(target, anchor)
    way, aims = _plan_legs(pairs, levels, scene, rest_hips.translation, rest_anchor.translation)
    back = target.matrix_world.inverted()
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        for level in sorted(levels):
            for own, theirs, correction in levels[level]:
                turn = _world(source, own).to_3x3() @ _rest(source, own.bone).to_3x3().inverted()
                rotation = turn @ correction @ _rest(target, theirs.bone).to_3x3()
                place = (target.matrix_world @ theirs.matrix).translation
                if theirs == mover:
                    beside = _rest(target, theirs.bone).translation - rest_anchor.translation
                    place = Vector(way[frame - first]) + turn @ beside
                if theirs.name in aims:
                    rest, directions = aims[theirs.name]
                    pointed = turn @ correction @ rest
                    swing = pointed.rotation_difference(Vector(directions[frame - first]))
                    rotation = swing.to_matrix() @ rotation
                theirs.matrix = back @ (Matrix.Translation(place) @ rotation.to_4x4())
                theirs.keyframe_insert("rotation_quaternion", frame=frame)
                if theirs == mover:
                    theirs.keyframe_insert("location", frame=frame)
            bpy.context.view_layer.update()
    return len(pairs)


_LEGS = re.compile(r"^(thigh|upperleg|.*upleg)", re.IGNORECASE)
"""Bones that begin a leg."""


def _plan_legs(pairs, levels, scene, rest_hips, anchor):
    """Places of the character's hips in each frame; and of each bone of a leg its direction at rest and in each frame.

    Args:
        pairs: bones of the motion and of the character, the hips first.
        levels: the same with their corrections.
        scene: whose frames are those of the motion.
        rest_hips: place of the motion's hips in its rest pose.
        anchor: likewise of the character's.
    """
    corrections = {own.name: correction for level in levels.values() for own, _, correction in level}
    chains = []
    for pair in pairs:
        if _LEGS.search(_plain(pair[0].name).replace("left", "").replace("right", "")):
            chain = [pair]
            while len(chain) < 4 and (below := next((each for each in pairs if each[0].parent == chain[-1][0]), None)):
                chain.append(below)
            if len(chain) >= 3:
                chains.append(chain)
    if not chains:
        raise ValueError("the armatures share no leg of three bones; export with the --rig of the character")
    hips = pairs[0][0]
    source, target = hips.id_data, pairs[0][1].id_data
    frames = range(scene.frame_start, scene.frame_end + 1)
    names = [hips, *(chain[place][0] for chain in chains for place in (0, 2))]
    turns = {bone.name: [] for bone in names}
    places = {bone.name: [] for bone in names}
    balls = [[] for _ in chains]
    for frame in frames:
        scene.frame_set(frame)
        for bone in names:
            turns[bone.name].append(_world(source, bone).to_3x3() @ _rest(source, bone.bone).to_3x3().inverted())
            places[bone.name].append(_world(source, bone).translation)
        for ball, chain in zip(balls, chains, strict=True):
            ball.append(source.matrix_world @ (chain[3][0].head if len(chain) > 3 else chain[2][0].tail))
    arrays = {name: np.array([np.array(turn) for turn in found]) for name, found in turns.items()}
    legs = []
    for chain, ball in zip(chains, balls, strict=True):
        thigh, foot = chain[0][0].name, chain[2][0].name
        legs.append(
            Leg(
                _rest_leg(source, [own for own, _ in chain]),
                _rest_leg(target, [theirs for _, theirs in chain]),
                np.array(places[foot]),
                np.array(ball),
                arrays[foot],
                arrays[thigh] @ np.array(corrections[thigh]),
                arrays[thigh],
            )
        )
    rate = scene.render.fps / scene.render.fps_base
    way, directions = solve_legs(
        legs, np.array(places[hips.name]), arrays[hips.name], np.array(rest_hips), np.array(anchor), 1 / rate
    )
    aims = {}
    for leg, chain, both in zip(legs, chains, directions, strict=True):
        for place in (0, 1):
            aims[chain[place][1].name] = Vector(leg.theirs[place + 1] - leg.theirs[place]), both[:, place]
    return way, aims


def _rest_leg(armature, bones):
    """Hip, knee, ankle and ball of a leg in the rest pose (4, 3)."""
    ends = [_rest(armature, bone.bone).translation for bone in bones]
    return np.array([*ends, armature.matrix_world @ bones[2].bone.tail_local][:4])


def _pairs(source, target):
    """Pose bones of the motion and of the character, the hips first."""
    controls = _CONTROLS if "torso" in target.pose.bones and "upper_arm_fk.L" in target.pose.bones else {}
    theirs = {_plain(bone.name): bone for bone in target.pose.bones}
    pairs = []
    for bone in source.pose.bones:
        name = controls.get(bone.name) if controls else bone.name
        found = theirs.get(_plain(name)) if name else None
        if found is not None:
            pairs.append((bone, found))
    pairs = [pair for pair in pairs if _plain(pair[0].name) != "root"]
    if len(pairs) < 12:
        raise ValueError(
            f"{source.name} and {target.name} have {len(pairs)} bones of the same names; export with the --rig of the "
            "character"
        )
    return pairs


def _plain(name):
    return _PREFIX.sub("", name).lower()


def _correction(own, theirs, pairs):
    """Rotation in the world that takes the character's limb or finger from its rest pose into the motion's."""
    below = next((pair for pair in pairs if pair[0].parent == own), None)
    if below is None or not (_LIMB.search(own.name) or _FINGER.search(own.name)):
        # A hand follows the arm above it, and the end of a finger the bone before.
        above = next((pair for pair in pairs if pair[0] == own.parent), None)
        leads = above and (_ARM.search(own.parent.name) or _FINGER.search(own.parent.name))
        return _correction(*above, pairs) if leads else Matrix.Identity(3)
    ends = []
    for (upper, lower), armature in zip(
        zip((own, theirs), below, strict=True), (own.id_data, theirs.id_data), strict=True
    ):
        ends.append(_rest(armature, lower.bone).translation - _rest(armature, upper.bone).translation)
    return Vector(ends[1]).rotation_difference(Vector(ends[0])).to_matrix()


def _rest(armature, bone):
    return armature.matrix_world @ bone.matrix_local


def _world(armature, bone):
    return armature.matrix_world @ bone.matrix


def _action(thing):
    """What an armature plays; the glTF importer puts it into a track."""
    animation = thing.animation_data
    if animation.action is not None:
        return animation.action
    strips = [strip for track in animation.nla_tracks for strip in track.strips]
    if not strips:
        raise ValueError(f"{thing.name} has no motion; import a BVH or GLB of poselift export")
    return strips[0].action


def load(path):
    """Imports a file; its armature.

    Raises:
        ValueError: there is no such file, its format is unknown, or there is no armature.
    """
    before = set(bpy.data.objects)
    if not path.is_file():
        raise ValueError(f"no such file: {path}; check the path")
    if path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, update_scene_fps=True)
    elif path.suffix in (".glb", ".gltf", ".vrm"):
        bpy.ops.import_scene.gltf(filepath=str(path))
    elif path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path))
    else:
        raise ValueError(f"{path}: give a .bvh, .glb, .vrm or .fbx")
    found = [thing for thing in bpy.data.objects if thing not in before and thing.type == "ARMATURE"]
    if not found:
        raise ValueError(f"{path} has no armature")
    bpy.context.view_layer.update()
    return found[0]


def save(path, armature):
    """Writes the file that is open, or the character alone.

    Raises:
        ValueError: the format is unknown.
    """
    if path.suffix == ".blend":
        bpy.ops.wm.save_as_mainfile(filepath=str(path.absolute()))
        return
    bpy.ops.object.select_all(action="DESELECT")
    for thing in [armature, *armature.children_recursive]:
        thing.select_set(True)
    if path.suffix == ".fbx":
        # The character's file may hold other animations; Blender would write them all.
        only = {"bake_anim_use_all_actions": False, "bake_anim_use_nla_strips": False}
        bpy.ops.export_scene.fbx(filepath=str(path), use_selection=True, add_leaf_bones=False, **only)
    elif path.suffix == ".glb":
        bpy.ops.export_scene.gltf(filepath=str(path), use_selection=True, export_animation_mode="ACTIVE_ACTIONS")
    else:
        raise ValueError(f"{path}: give a name that ends in .blend, .fbx or .glb")


def _character(options):
    """The armature that gets the motion.

    Raises:
        ValueError: none or several fit.
    """
    armatures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    if options.character:
        armatures = [load(options.character)]
    if options.armature:
        armatures = [thing for thing in armatures if thing.name == options.armature]
    if len(armatures) != 1:
        raise ValueError(f"{len(armatures)} armatures fit; name the character's with --armature")
    return armatures[0]


def main(arguments):
    """Runs the script; an input that cannot be used gives one line and exit code 2."""
    parser = argparse.ArgumentParser(prog="retarget.py", description=__doc__.splitlines()[0])
    parser.add_argument("motion", type=Path, help="BVH or GLB of poselift export")
    parser.add_argument("--character", type=Path, metavar="FILE", help="FBX, GLB or VRM to import")
    parser.add_argument("--armature", metavar="NAME", help="the character's armature (default: the only one)")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=".blend, .fbx or .glb")
    options = parser.parse_args(arguments)
    try:
        target = _character(options)
        source = load(options.motion)
        count = retarget(source, target, bpy.context.scene)
        for thing in [*source.children_recursive, source]:
            bpy.data.objects.remove(thing)
        save(options.out, target)
    except (ValueError, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    print(f"{count} bones follow {options.motion}; wrote {options.out}")


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:])
