"""Pictures of an armature in Blender, rendered without a screen."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

_SIZE = 320, 400
"""Pixels of a frame."""


def strip(
    armature: bpy.types.Object,
    meshes: list[bpy.types.Object],
    frames: np.ndarray,
    path: Path,
    boxed: Callable[[bpy.types.PoseBone], bool] = lambda bone: True,
    near: Mapping[int, Vector] | None = None,
) -> None:
    """Renders frames beside each other: the body's mesh, or a box a bone, on a grid of the ground at Z = 0.

    Args:
        armature: animated.
        meshes: of its body; empty if it has none.
        frames: of the scene.
        path: the picture.
        boxed: which bones get a box.
        near: places at which the camera looks from nearby and stands still, by frame; else it goes with the hips.
    """
    scene = bpy.context.scene
    hips = armature.pose.bones[0]
    if not meshes:
        bones = [bone for bone in armature.pose.bones if boxed(bone)]
        hips = bones[0]
        for bone in bones:
            _box(armature, bone)
    for k in range(-12, 13):
        _line((-12, k), (12, k))
        _line((k, -12), (k, 12))
    scene.render.engine, scene.cycles.samples, scene.cycles.device = "CYCLES", 8, "CPU"
    scene.render.resolution_x, scene.render.resolution_y = _SIZE
    scene.world = bpy.data.worlds.new("sky")
    scene.world.color = 0.8, 0.85, 0.9
    scene.view_settings.view_transform = "Standard"
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3, (0.6, 0.2, 0.5)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    for thing in (sun, camera):
        scene.collection.objects.link(thing)
    scene.camera, pictures = camera, []
    for frame in frames:
        scene.frame_set(int(frame))
        root = (near or {}).get(int(frame)) or armature.matrix_world @ hips.head
        away = Vector((1.6, -4.2, 0.5))
        camera.location = root + (0.2 * away if near and int(frame) in near else away)
        camera.rotation_euler = (root - camera.location).to_track_quat("-Z", "Y").to_euler()
        pictures.append(_rendered(path))
    picture = np.concatenate(pictures, 1)
    image = bpy.data.images.new("strip", picture.shape[1], picture.shape[0])
    image.pixels = picture.ravel()
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()


def _rendered(path: Path) -> np.ndarray:
    """The scene's frame; (height, width, 4)."""
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path), check_existing=False)
    return np.array(image.pixels[:]).reshape(_SIZE[1], _SIZE[0], 4)


def _box(armature: bpy.types.Object, bone: bpy.types.PoseBone) -> None:
    """A box along a bone, flatter in one direction so that a turn about the bone shows."""
    length, unit = bone.bone.length, 1 / armature.matrix_world.to_scale()[0]
    bpy.ops.mesh.primitive_cube_add(size=1)
    box = bpy.context.object
    box.data.transform(Matrix.Diagonal((0.07 * unit, length, 0.035 * unit, 1)))
    box.parent, box.parent_type, box.parent_bone = armature, "BONE", bone.name
    box.location = 0, -length / 2, 0  # a child of a bone starts at its tail
    left, right = (re.search(pattern, bone.name) for pattern in (r"[Ll]eft|[._][lL]\b", r"[Rr]ight|[._][rR]\b"))
    _paint(box, (0.9, 0.5, 0.1, 1) if left else (0.2, 0.4, 0.9, 1) if right else None)


def _line(start: tuple[float, float], end: tuple[float, float]) -> None:
    """A line of the grid."""
    a, b = np.array(start), np.array(end)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(*(a + b) / 2, -0.005))
    bpy.context.object.scale = *np.maximum(np.abs(b - a), 0.015), 0.005
    _paint(bpy.context.object, (0.3, 0.3, 0.3, 1))


def _paint(thing: bpy.types.Object, colour: tuple[float, float, float, float] | None) -> None:
    material = bpy.data.materials.new("paint")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = colour or (0.6, 0.6, 0.6, 1)
    thing.data.materials.append(material)
