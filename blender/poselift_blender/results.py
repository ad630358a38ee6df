# SPDX-License-Identifier: Apache-2.0
"""A folder of `poselift lift` as armatures, with the camera and the video behind it."""

import json
import re
from itertools import pairwise
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .curves import curves_of, set_curve

_FIRST_FRAME = 1
"""Blender's frame at the time 0 of the video."""

_UPRIGHT = np.diag([1.0, -1.0, -1.0])
"""From the camera frame (x right, y down, z forward) to Y up, for a level camera."""

_TO_BLENDER = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From Y up to Z up."""

_SHORTEST, _FINGER = 0.03, 0.012
"""Metres of a bone that has no joint to point at, and of one at the tip of a finger."""


def open_folder(folder, scene):
    """Opens a folder.

    Args:
        folder: path of the folder.
        scene: what gets the people, the camera, the frame rate and the picture's size.

    Returns:
        The armatures, and what could not be opened as lines of text.

    Raises:
        ValueError: the folder has no people.
        OSError: a file cannot be read.
    """
    found = sorted(path for path in Path(folder).iterdir() if re.fullmatch(r"person_\d+\.npz", path.name))
    if not found:
        raise ValueError(f"{folder} has no person_*.npz; choose a folder that `poselift lift` wrote")
    people = [(dict(np.load(path)), json.loads(path.with_suffix(".json").read_text("utf-8"))) for path in found]
    summary = Path(folder) / "summary.json"
    about = json.loads(summary.read_text("utf-8")) if summary.is_file() else {}
    times = np.unique(np.concatenate([arrays["timestamps"] for arrays, _ in people]))
    rate = about.get("fps") or (1 / np.median(np.diff(times)) if len(times) > 1 else 30.0)
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate
    scene.frame_start = round(_FIRST_FRAME + float(about.get("start_s", times[0])) * rate)
    scene.frame_end = max(scene.frame_start, round(_FIRST_FRAME + float(about.get("end_s", times[-1])) * rate))
    scene.frame_set(scene.frame_start)
    armatures, notes = [], []
    for (arrays, sidecar), path in zip(people, found, strict=True):
        known = np.isfinite(arrays["joints"]).all((1, 2)) & np.isfinite(arrays["root"]).all(1)
        if known.any():
            armatures.append(_person(arrays, sidecar, known, rate, scene))
        else:
            notes.append(f"{path.name} has no frame with a pose")
    _camera(people[0][1], folder, about, rate, scene, notes)
    return armatures, notes


def _person(arrays, sidecar, known, rate, scene):
    """An armature that plays a person's motion; it rests in the first pose."""
    names = sidecar["skeleton"]["joints"]
    parents = [names.index(up) if (up := sidecar["skeleton"]["parents"][name]) else -1 for name in names]
    points = arrays["joints"][known].astype(np.float64) + arrays["root"][known, None]
    points = points @ (_TO_BLENDER @ _frame(sidecar)).T
    children, order = _children(parents), _from_root(parents)
    rest = points[0].copy()
    for row in order:
        if parents[row] >= 0:
            bone = points[:, row] - points[:, parents[row]]
            length = np.median(np.linalg.norm(bone, axis=-1))
            rest[row] = rest[parents[row]] + length * bone[0] / max(np.linalg.norm(bone[0]), 1e-9)
    body = len(names)
    if "hand_joints" in arrays:
        turned = _turns(points, rest, parents, children, order)
        turn = _TO_BLENDER @ _frame(sidecar)
        hands = arrays["hand_joints"][known].astype(np.float64) @ turn.T
        points, rest = _add_hands(hands, sidecar["hands"], names, parents, points, rest, turned)
        children, order = _children(parents), _from_root(parents)
    armature = _armature(f"person_{sidecar['person']}", names, parents, children, rest, scene)
    turned = _turns(points, rest, parents, children, order)
    frames = _FIRST_FRAME + arrays["timestamps"][known] * rate
    curves = curves_of(armature)
    for row in order:
        bone = armature.pose.bones[names[row]]
        own = np.array(bone.bone.matrix_local.to_3x3())
        above = turned[:, parents[row]] if parents[row] >= 0 else np.broadcast_to(np.eye(3), turned[:, row].shape)
        local = own.T @ above.swapaxes(1, 2) @ turned[:, row] @ own
        place = f'pose.bones["{names[row]}"]'
        bone.rotation_mode = "QUATERNION"
        quaternions = [Matrix(matrix).to_quaternion() for matrix in local.tolist()]
        for before, after in pairwise(quaternions):
            after.make_compatible(before)
        for axis, values in enumerate(np.array(quaternions).T):
            set_curve(curves, f"{place}.rotation_quaternion", axis, frames, values)
        if parents[row] < 0:
            for axis, values in enumerate(((points[:, row] - rest[row]) @ own).T):
                set_curve(curves, f"{place}.location", axis, frames, values)
        if "uncertainty" in arrays and row < body:
            bone["uncertainty"] = 0.0
            bone.id_properties_ui("uncertainty").update(
                description="Radius of the ball that holds the joint in 90 % of cases, metres"
            )
            set_curve(curves, f'{place}["uncertainty"]', 0, frames, arrays["uncertainty"][known, row])
    for key in ("person", "frames", "frames_interpolated"):
        armature[key] = sidecar[key]
    if "height" in sidecar:
        armature["height_m"] = sidecar["height"]["metres"]
    armature["frame_of_motion"] = sidecar["axes"]["frame"]
    return armature


def _add_hands(hands, about, names, parents, points, rest, turned):
    """Adds the joints of each hand that is ever seen to names and parents; the points and the rest pose with them.

    A hand rests as it is first seen, on the forearm.
    """
    for row, side in enumerate(("left", "right")):
        seen = np.flatnonzero(np.isfinite(hands[:, row]).all((1, 2)))
        if not len(seen):
            continue
        wrist, elbow = names.index(f"{side}_wrist"), names.index(f"{side}_elbow")
        own = {
            joint: f"{side}_wrist" if up is None else f"{side}_hand_{joint}" for joint, up in about["parents"].items()
        }
        fingers = [joint for joint, up in about["parents"].items() if up is not None]
        columns = [about["joints"].index(joint) for joint in fingers]
        names += [own[joint] for joint in fingers]
        parents += [names.index(own[about["parents"][joint]]) for joint in fingers]
        points = np.concatenate([points, points[:, [wrist]] + hands[:, row, columns]], 1)
        first = hands[seen[0], row, columns] @ turned[seen[0], elbow]
        rest = np.concatenate([rest, rest[wrist] + first])
    return points, rest


def _armature(name, names, parents, children, rest, scene):
    """An armature in its rest pose: each bone from its joint towards the middle of the joints below."""
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    edit = armature.data.edit_bones
    for row, joint in enumerate(names):
        bone = edit.new(joint)
        ends = rest[children[row]] if children[row] else rest[[row]]
        away = ends.mean(0) - rest[row]
        shortest = _FINGER if "_hand_" in joint else _SHORTEST
        if np.linalg.norm(away) < shortest:
            above = rest[row] - rest[parents[row]] if parents[row] >= 0 else np.array([0.0, 0.0, 1.0])
            away = shortest * above / max(np.linalg.norm(above), 1e-9)
        bone.head, bone.tail = Vector(rest[row]), Vector(rest[row] + away)
    for row, joint in enumerate(names):
        if parents[row] >= 0:
            edit[joint].parent = edit[names[parents[row]]]
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.data.display_type = "STICK"
    return armature


def _turns(points, rest, parents, children, order):
    """Rotation of each bone from the rest pose, as its joints show it; (t, j, 3, 3).

    Where a joint below is not known, the bone rests on the one above it.
    """
    frames, joints, _ = points.shape
    turned = np.tile(np.eye(3), (frames, joints, 1, 1))
    for row in order:
        if parents[row] >= 0:
            turned[:, row] = turned[:, parents[row]]
        source = rest[children[row]] - rest[row]
        target = points[:, children[row]] - points[:, [row]]
        known = np.isfinite(target).all((1, 2))
        if len(children[row]) > 1:  # the rotation that fits best (Kabsch)
            u, _, v = np.linalg.svd(np.einsum("tca,cb->tab", target[known], source))
            u[..., 2] *= np.linalg.det(u @ v)[:, None]
            turned[known, row] = u @ v
        elif children[row]:
            now = np.einsum("tab,b->ta", turned[:, row], source[0])
            for frame in np.flatnonzero(known).tolist():
                swing = Vector(now[frame]).rotation_difference(Vector(target[frame, 0])).to_matrix()
                turned[frame, row] = np.array(swing) @ turned[frame, row]
    return turned


def _camera(sidecar, folder, about, rate, scene, notes):
    """The camera with its intrinsics, and the video behind it; animated if it turns, zooms or moves."""
    camera = sidecar.get("camera", {})
    if not {"K", "image_size"} <= set(camera):
        notes.append("the results have no camera")
        return
    K = np.array(camera["K"], float).reshape(-1, 3, 3)
    fx, fy, cx, cy = K[0, 0, 0], K[0, 1, 1], K[0, 0, 2], K[0, 1, 2]
    width, height = camera["image_size"]
    data = bpy.data.cameras.new("poselift camera")
    data.sensor_fit, data.sensor_width = "HORIZONTAL", 36.0
    data.lens = fx * data.sensor_width / width
    # The centre of the first pixel is 0 in K.
    data.shift_x, data.shift_y = (width / 2 - cx - 0.5) / width, (cy + 0.5 - height / 2) / width * fx / fy
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.pixel_aspect_x, scene.render.pixel_aspect_y = max(1.0, fy / fx), max(1.0, fx / fy)
    turns = _TO_BLENDER @ np.array(camera.get("R", _UPRIGHT), float).reshape(-1, 3, 3) @ _UPRIGHT
    places = np.array(camera.get("t", [0.0, 0.0, 0.0]), float).reshape(-1, 3) @ _TO_BLENDER.T
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turns[0], places[0]
    thing = bpy.data.objects.new("poselift camera", data)
    thing.matrix_world = Matrix(pose.tolist())
    scene.collection.objects.link(thing)
    scene.camera = thing
    if "times" in camera:
        frames = _FIRST_FRAME + np.array(camera["times"], float) * rate
        _animate_camera(thing, frames, turns, places, K[:, 0, 0] * data.sensor_width / width)
    name = about.get("video", "")
    places = [Path(about["path"]).with_name(name), Path(folder) / name, Path(folder).parent / name] if name else []
    video = next((place for place in places if place.is_file()), None)
    if video is None:
        notes.append(f"the video {name} is not where it was" if name else "the results have no video")
        return
    clip = bpy.data.movieclips.load(str(video))
    clip.frame_start = _FIRST_FRAME
    behind = data.background_images.new()
    behind.source, behind.clip, behind.alpha = "MOVIE_CLIP", clip, 1.0
    behind.use_flip_x = about.get("mirrored") is True
    data.show_background_images = True


def _animate_camera(thing, frames, turns, places, lenses):
    """Key frames of what changes: turn, place, and focal length in millimetres."""
    thing.rotation_mode = "QUATERNION"
    before = None
    for row, frame in enumerate(frames):
        if len(turns) > 1:
            turn = Matrix(turns[row].tolist()).to_quaternion()
            if before is not None and turn.dot(before) < 0:
                turn.negate()
            thing.rotation_quaternion = before = turn
            thing.keyframe_insert("rotation_quaternion", frame=frame)
        if len(places) > 1:
            thing.location = places[row]
            thing.keyframe_insert("location", frame=frame)
        if len(lenses) > 1:
            thing.data.lens = lenses[row]
            thing.data.keyframe_insert("lens", frame=frame)


def _frame(sidecar):
    """Rotation from the motion's frame to Y up."""
    return np.eye(3) if sidecar["axes"]["frame"] == "world" else _UPRIGHT


def _children(parents):
    """Rows of the joints that hang on each joint."""
    return [[child for child, parent in enumerate(parents) if parent == row] for row in range(len(parents))]


def _from_root(parents):
    """Rows of the joints, each after its parent."""
    return sorted(range(len(parents)), key=lambda row: _depth(row, parents))


def _depth(row, parents):
    return 0 if parents[row] < 0 else 1 + _depth(parents[row], parents)
