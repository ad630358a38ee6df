"""Puts a BVH or GLB onto a character in Blender's Python module: KIND MOTION OUT.

KIND is "rigify", the rig that Rigify generates of its own human, or "mixamo", an armature with Mixamo's names, and the
scale, axes and rolls that Blender gives a Mixamo FBX. Both have other proportions than the motion. OUT beside `.png`
names gets a picture of four frames of the body, and of four of a foot that stands, from one place.
"""

import math
import sys
from pathlib import Path

import bpy
import numpy as np
from found import save
from mathutils import Vector
from pictures import strip

sys.path.insert(0, str(Path(__file__).parents[2] / "blender"))
from poselift_blender import retarget

_MIXAMO = {
    "Hips": ("", (0, 104, 0)),
    "Spine": ("Hips", (0, 114, -1)),
    "Spine1": ("Spine", (0, 126, -2)),
    "Spine2": ("Spine1", (0, 140, -3)),
    "Neck": ("Spine2", (0, 155, -4)),
    "Head": ("Neck", (0, 164, -1)),
    "HeadTop_End": ("Head", (0, 183, 2)),
    "LeftShoulder": ("Spine2", (5, 151, -3)),
    "LeftArm": ("LeftShoulder", (17, 149, -5)),
    "LeftForeArm": ("LeftArm", (43, 148, -6)),
    "LeftHand": ("LeftForeArm", (70, 149, -4)),
    "LeftHandMiddle1": ("LeftHand", (80, 149, -3)),
    "LeftUpLeg": ("Hips", (9, 98, 0)),
    "LeftLeg": ("LeftUpLeg", (10, 53, 1)),
    "LeftFoot": ("LeftLeg", (11, 10, -3)),
    "LeftToeBase": ("LeftFoot", (12, 2, 9)),
    "LeftToe_End": ("LeftToeBase", (12, 1, 16)),
}
"""Parent and place of our own stand-in for a Mixamo character, centimetres, Y up; the right side mirrors the left."""


def mixamo() -> tuple[bpy.types.Object, str]:
    """The armature, and what the names of its bones begin with."""
    armature = bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))
    bpy.context.scene.collection.objects.link(armature)
    armature.scale, armature.rotation_euler = (0.01,) * 3, (math.pi / 2, 0, 0)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    both = dict(_MIXAMO)
    for name, (parent, (x, y, z)) in _MIXAMO.items():
        if name.startswith("Left"):
            both[name.replace("Left", "Right")] = parent.replace("Left", "Right"), (-x, y, z)
    for row, (name, (parent, place)) in enumerate(both.items()):
        bone = armature.data.edit_bones.new(f"mixamorig:{name}")
        bone.head = place
        below = next((Vector(end) for above, end in both.values() if above == name), Vector(place) + Vector((0, 5, 0)))
        bone.tail, bone.roll = below, 0.3 * row
        if parent:
            bone.parent = armature.data.edit_bones[f"mixamorig:{parent}"]
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature, "mixamorig:"


def rigify() -> tuple[bpy.types.Object, str]:
    """The generated rig, and what the names of its deforming bones begin with."""
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_basic_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    return bpy.data.objects["rig"], "DEF-"


_LIMBS = {
    "rigify": [
        (f"{upper}.{side}", f"{lower}.{side}")
        for side in "LR"
        for upper, lower in (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot"))
    ],
    "mixamo": [
        (f"{side}{upper}", f"{side}{lower}")
        for side in ("Left", "Right")
        for upper, lower in (("Arm", "ForeArm"), ("ForeArm", "Hand"), ("UpLeg", "Leg"), ("Leg", "Foot"))
    ],
}
"""First and second bone of each limb's segment."""

kind, path, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
target, prefix = {"rigify": rigify, "mixamo": mixamo}[kind]()
source = retarget.load(path)
count = retarget.retarget(source, target, scene)
own = "" if kind == "rigify" else prefix


def away(armature: bpy.types.Object, limb: tuple[str, str], before: str) -> Vector:
    """From the start of a limb's segment to its end."""
    upper, lower = (armature.matrix_world @ armature.pose.bones[before + name].head for name in limb)
    return lower - upper


_FEET = {
    "rigify": [(f"foot.{side}", f"toe.{side}") for side in "LR"],
    "mixamo": [(f"{side}Foot", f"{side}ToeBase") for side in ("Left", "Right")],
}
"""Bones that begin at the ankle and at the ball of each foot."""

_HEEL = 0.35
"""Distance of the heel behind the ankle, as a share of that of the ball ahead of it."""

_STANDS, _DOWN = 0.01, 0.012
"""Speed in m/s and height in metres of a point of the motion's sole below which it stands on the ground."""

_STILL = 0.005
"""Speed in m/s below which an ankle or ball of the motion stands still: that of feet in --lock-feet's own table."""


def soles(armature: bpy.types.Object, before: str) -> np.ndarray:
    """Places of heel, middle and ball of both soles, (2, 3, 3), metres.

    They go with the foot's bone. At rest, the middle is on the ground under the ankle, the ball under the next bone,
    and the heel behind them.
    """
    found = []
    for pair in _FEET[kind]:
        ankle, ball = (armature.matrix_world @ armature.data.bones[before + name].head_local for name in pair)
        rest = armature.matrix_world @ armature.data.bones[before + pair[0]].matrix_local
        turn = armature.matrix_world @ armature.pose.bones[before + pair[0]].matrix @ rest.inverted()
        ends = [ankle + _HEEL * (ankle - ball), ankle, ball]
        found.append([turn @ Vector((place.x, place.y, 0.0)) for place in ends])
    return np.array(found)


def joints(armature: bpy.types.Object, before: str) -> np.ndarray:
    """Places of ankle and ball of both feet, (2, 2, 3), metres."""
    return np.array(
        [[armature.matrix_world @ armature.pose.bones[before + name].head for name in pair] for pair in _FEET[kind]]
    )


def bends(armature: bpy.types.Object, before: str) -> list[float]:
    """The bends of both knees, degrees."""
    sides = ("L", "R") if kind == "rigify" else ("Left", "Right")
    found = []
    for side in sides:
        own = [pair for pair in _LIMBS[kind] if pair[0].endswith(f".{side}") or pair[0].startswith(side)][-2:]
        found.append(math.degrees(away(armature, own[0], before).angle(away(armature, own[1], before))))
    return found


played = []
worst = 0.0
for frame in range(scene.frame_start, scene.frame_end + 1):
    scene.frame_set(frame)
    for limb in _LIMBS[kind]:
        if "arm" in limb[0].lower():
            worst = max(worst, away(source, limb, own).angle(away(target, limb, prefix)))
    both = (source, own), (target, prefix)
    played.append([measure(*figure) for measure in (soles, bends, joints) for figure in both])
for thing in [*source.children_recursive, source]:
    bpy.data.objects.remove(thing)
rate = scene.render.fps / scene.render.fps_base
motion, theirs, knees, bent, ankles, moved = (np.array(values) for values in zip(*played, strict=True))


def speeds(places: np.ndarray) -> np.ndarray:
    """Along the ground from frame to frame, m/s."""
    return rate * np.linalg.norm(np.diff(places[..., :2], axis=0), axis=-1)


speed, slide = speeds(motion), speeds(theirs)
low = motion[..., 2] < _DOWN
stands = (speed < _STANDS) & low[1:] & low[:-1]
slid = 100 * slide[stands]
soles = (
    f"points of the sole that stand in the motion slide by {slid.mean():.2f} cm/s on the mean, {slid.max():.2f} at "
    f"most, in {len(slid)} steps of frames"
    if len(slid)
    else "no point of the sole stands on the ground in the motion"
)
still = 100 * speeds(moved)[speeds(ankles) < _STILL]
pops = [np.abs(np.diff(values, 2, axis=0)).max() for values in (knees, bent)]

frames = np.linspace(scene.frame_start, scene.frame_end, 6).astype(int)[1:-1]
# The longest stance of the left foot, from the first to the last frame in which a point of its sole stands.
flags = np.pad(stands[:, 0].any(-1), 1).astype(int)
starts, ends = np.flatnonzero(np.diff(flags) > 0), np.flatnonzero(np.diff(flags) < 0)
# A motion without a stance has no picture of it.
first, last = max(zip(starts, ends, strict=True), key=lambda run: run[1] - run[0], default=(0, -1))
stance = np.unique(np.linspace(first, last, 4).astype(int)) + scene.frame_start if last >= first else frames[:0]
near = dict.fromkeys(stance.tolist(), Vector(theirs[first, 0, 1]) + Vector((0, 0, 0.12)))
shown = (lambda bone: bone.name.startswith("DEF-")) if kind == "rigify" else (lambda bone: "_End" not in bone.name)
strip(target, [], np.concatenate([frames, stance]), out.with_suffix(".png"), shown, near)
note = (
    f"{count} bones follow; arms point at most {math.degrees(worst):.2f} degrees from the motion's; {soles}; ankles "
    f"and balls that stand still in the motion go by at most {still.max(initial=0.0):.2f} cm/s, in {len(still)} steps; "
    f"a knee's step changes by at most {pops[1]:.1f} degrees from one frame to the next, {pops[0]:.1f} in the motion; "
    f"knees bend by at least {bent.min():.1f} degrees, {knees.min():.1f} in the motion"
)
save(bpy.app.version_string, note=note)
