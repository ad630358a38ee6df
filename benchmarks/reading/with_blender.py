"""Opens a BVH or GLB file in Blender's Python module: FILE OUT.

OUT beside `.png` names gets a picture of four frames.
"""

import sys
from pathlib import Path

import bpy
import numpy as np
from found import save
from pictures import strip

path, out = Path(sys.argv[1]), Path(sys.argv[2])
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
if path.suffix == ".bvh":
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, update_scene_fps=True)
else:
    bpy.ops.import_scene.gltf(filepath=str(path))
armature = next(thing for thing in scene.objects if thing.type == "ARMATURE")
meshes = [thing for thing in scene.objects if thing.type == "MESH" and thing.parent == armature]

# A GLB has seconds, which become frames at the scene's rate; so the keys say the rate that the file has.
animation = armature.animation_data
strips = [part.action for track in animation.nla_tracks for part in track.strips]
action = animation.action or strips[0]
curves = action.layers[0].strips[0].channelbags[0].fcurves
frames = max((np.array([key.co.x for key in curve.keyframe_points]) for curve in curves), key=len)
fps = scene.render.fps / scene.render.fps_base
bones = armature.pose.bones
positions = np.empty((len(frames), len(bones), 3))
for row, frame in enumerate(frames):
    scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
    positions[row] = [tuple(armature.matrix_world @ bone.head) for bone in bones]
x, y, z = np.moveaxis(positions, -1, 0)
note = f"armature {armature.name!r} of {len(bones)} bones"
if meshes:
    skinned = all(mesh.modifiers and mesh.modifiers[0].object == armature for mesh in meshes)
    note += f", {'skinned' if skinned else 'loose'} mesh of {sum(len(mesh.data.vertices) for mesh in meshes)} vertices"
strip(armature, meshes, frames[np.linspace(0, len(frames) - 1, 6).astype(int)[1:-1]], out.with_suffix(".png"))
save(
    bpy.app.version_string,
    [bone.name for bone in bones],
    np.stack([x, z, -y], -1),  # Blender has Z up
    fps / float(np.median(np.diff(frames))),
    note,
)
