"""Imports BVH and GLB files as Blender does by itself: FILE... Prints the armatures' rest poses and the motion."""

import json
import sys
from pathlib import Path

import bpy
import numpy as np
from poselift_blender import retarget

found = []
for path in map(Path, sys.argv[1:]):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    armature = retarget.load(path)
    bones = armature.data.bones
    first, last = retarget._action(armature).frame_range
    motion = []
    for frame in range(int(first), int(last) + 1):
        bpy.context.scene.frame_set(frame)
        motion.append([tuple(armature.matrix_world @ armature.pose.bones[bone.name].head) for bone in bones])
    rest = {bone.name: tuple(armature.matrix_world @ bone.head_local) for bone in bones}
    parents = {bone.name: bone.parent.name if bone.parent else "" for bone in bones}
    found.append({"rest": rest, "parents": parents, "motion": np.array(motion).tolist()})
print(json.dumps(found))
