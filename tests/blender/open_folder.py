"""Opens a folder of results by the add-on's operator: FOLDER. Prints what Blender has then."""

import json
import sys
from pathlib import Path

import bpy
import numpy as np
import poselift_blender
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

folder = Path(sys.argv[1])
bpy.ops.wm.read_factory_settings(use_empty=True)
poselift_blender.register()
scene = bpy.context.scene
answer = bpy.ops.import_scene.poselift(directory=str(folder))
rate = scene.render.fps / scene.render.fps_base
found = {
    "answer": list(answer),
    "rate": rate,
    "frames": [scene.frame_start, scene.frame_end],
    "size": [scene.render.resolution_x, scene.render.resolution_y],
    "people": {},
}
camera = scene.camera
behind = camera.data.background_images
found["video"] = [Path(behind[0].clip.filepath).name, behind[0].clip.frame_start] if behind else None
for armature in [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]:
    arrays = np.load(folder / f"{armature.name}.npz")
    about = json.loads((folder / f"{armature.name}.json").read_text())
    names, world = about["skeleton"]["joints"], about["axes"]["frame"] == "world"
    # One pose for each frame of a camera that turns, else one for all.
    lenses = np.array(about["camera"]["K"]).reshape(-1, 3, 3)
    turns = np.array(about["camera"].get("R", np.eye(3))).reshape(-1, 3, 3)
    spots = np.array(about["camera"].get("t", [0.0, 0, 0])).reshape(-1, 3)
    times = np.array(about["camera"].get("times", [0.0]))
    pixels, places, uncertainty, fingers = [0.0], [0.0], [0.0], []
    for row in np.flatnonzero(np.isfinite(arrays["joints"]).all((1, 2)))[::5]:
        frame = 1 + arrays["timestamps"][row] * rate
        now = np.abs(times - arrays["timestamps"][row]).argmin()
        K, R, t = (values[min(now, len(values) - 1)] for values in (lenses, turns, spots))
        scene.frame_set(int(frame), subframe=frame - int(frame))
        points = arrays["joints"][row].astype(float) + arrays["root"][row]
        seen = (points - t) @ R @ K.T
        seen = seen[:, :2] / seen[:, 2:]
        for side, hand in zip(
            ("left", "right"), arrays["hand_joints"][row] if "hand_joints" in arrays else (), strict=False
        ):
            if not np.isfinite(hand).all():
                continue
            for joint, place in zip(about["hands"]["joints"][1:], hand[1:].astype(float), strict=True):
                tip = armature.pose.bones[f"{side}_hand_{joint}"].head - armature.pose.bones[f"{side}_wrist"].head
                x, y, z = place
                fingers.append((tip - Vector((x, -z, y) if world else (x, z, -y))).length)
        for name, (x, y, z), pixel, radius in zip(names, points, seen, arrays["uncertainty"][row], strict=True):
            bone = armature.pose.bones[name]
            right = Vector((x, -z, y) if world else (x, z, -y))
            places.append((armature.matrix_world @ bone.head - right).length)
            view = world_to_camera_view(scene, camera, right)
            drawn = view.x * found["size"][0] - 0.5, (1 - view.y) * found["size"][1] - 0.5
            pixels.append(float(np.hypot(*np.subtract(drawn, pixel))))
            uncertainty.append(abs(bone["uncertainty"] - radius))
    found["people"][armature.name] = {
        "pixels": max(pixels),
        "places": float(np.mean(places)),
        "uncertainty": float(max(uncertainty)),
        "fingers": float(np.mean(fingers)) if fingers else None,
        "height": armature.get("height_m"),
        "bones": sorted(bone.name for bone in armature.pose.bones),
    }
poselift_blender.unregister()
print(json.dumps(found))
