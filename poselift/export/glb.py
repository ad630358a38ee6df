"""GLB: binary glTF 2.0, for Blender, Unity, three.js and viewers. It has a body on an armature of named bones."""

import math
import os
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.body_mesh import make_body_mesh
from poselift.export.character import Character, make_character
from poselift.export.export_options import ExportOptions
from poselift.export.unseen import unseen_spans
from poselift.geometry import matrix_to_quaternion
from poselift.geometry.camera import Camera
from poselift.structures import Motion, Recording

_POINTER = "KHR_animation_pointer"
"""Extension of glTF that animates properties of cameras."""

_SKIN = [0.62, 0.66, 0.72, 1.0]
"""Colour of the body, linear RGBA."""


def write_glb(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes each person's armature, skinned body and animation.

    Metres, Y up, facing +Z, on the ground at rest. Key frames are at the motion's own times, in one animation for
    everybody. An empty frame repeats the last pose before it (or the first of the clip). The armature's extras have
    `height_m` and `height_origin`, if it is known, and `unseen_s`: when no keypoint shows a joint, and the lifter
    guessed it (`unseen_spans`).

    Args:
        path: the file to write.
        recording: everybody in the file; glTF has no times below 0. The one camera of motions in the world is
            animated if it changes. A zoom needs the extension KHR_animation_pointer, which Blender reads; for other
            readers the camera has the middle focal length, and those of its key frames in its extras.
        options: the bones.

    Raises:
        InputError: pygltflib is not installed, the file cannot be written, the skeleton lacks joints, somebody has no
            frame with a pose, the motion is too long for the times of glTF, or feet are to be locked in a motion
            without contacts.
    """
    document = Document(path)
    for motion in recording.people:
        figure = make_character(motion, options.rigging)
        document.add_bones(figure, motion)
        document.add_body(figure)
    if len(recording.cameras) == 1 and not recording.camera.still and recording.people[0].frame == "world":
        document.add_camera(recording.camera)
    document.write()


class Document:
    """A glTF document in the making.

    Args:
        path: the file to write.

    Raises:
        InputError: pygltflib is not installed.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._gltf: ModuleType = require("pygltflib", "gltf")
        self._blob = bytearray()
        self.file = self._gltf.GLTF2(
            asset=self._gltf.Asset(version="2.0", generator="poselift"),
            scene=0,
            scenes=[self._gltf.Scene(nodes=[])],
            animations=[self._gltf.Animation(name="motion")],
        )

    def write(self) -> None:
        """Writes the document with all data.

        Raises:
            InputError: the file cannot be written.
        """
        self.file.buffers = [self._gltf.Buffer(byteLength=len(self._blob))]
        self.file.set_binary_blob(bytes(self._blob))
        with atomic_path(self._path) as temporary:
            if not self.file.save_binary(str(temporary)):
                raise InputError(f"cannot write {self._path}: pygltflib failed")

    def add_bones(self, figure: Character, motion: Motion) -> int:
        """A person's bones and animation.

        Args:
            figure: the motion as bones.
            motion: the same, for the extras of the armature.

        Returns:
            Index of the first bone's node; the others follow.

        Raises:
            InputError: times do not increase as float32, which is all that glTF has.
        """
        times = figure.timestamps.astype(np.float32)
        if not (np.diff(times) > 0).all():
            raise InputError(
                f"cannot write {self._path}: at {figure.timestamps[-1]:.0f} s its frames are too close for glTF, whose "
                "times have 7 digits; lift a shorter span with --start and --end"
            )
        gltf, file = self._gltf, self.file
        top = len(file.nodes)
        first = top + 1
        children = {
            at: [first + row for row, parent in enumerate(figure.parents) if parent == at]
            for at in range(-1, len(figure.names))
        }
        height = motion.height
        about: dict[str, Any] = {} if height is None else {"height_m": height.metres, "height_origin": height.origin}
        if spans := unseen_spans(motion):
            about["unseen_s"] = spans
        file.nodes.append(gltf.Node(name=f"person_{figure.person}", children=children[-1], extras=about))
        for row, (name, offset) in enumerate(zip(figure.names, figure.offsets.tolist(), strict=True)):
            file.nodes.append(gltf.Node(name=name, translation=offset, children=children[row]))
        file.scenes[0].nodes.append(top)
        self._animate(figure, times, first)
        return first

    def add_body(self, figure: Character) -> None:
        """A body around the bones that were added last."""
        gltf, file, name = self._gltf, self.file, f"person_{figure.person}"
        first = len(file.nodes) - len(figure.names)
        if not file.materials:
            metal = gltf.PbrMetallicRoughness(baseColorFactor=_SKIN, metallicFactor=0.0, roughnessFactor=0.8)
            file.materials.append(gltf.Material(name="body", pbrMetallicRoughness=metal))
        # The skinned mesh is a root itself, because the transforms above it do not count.
        file.scenes[0].nodes.append(len(file.nodes))
        file.nodes.append(gltf.Node(name=f"{name}_body", mesh=len(file.meshes), skin=len(file.skins)))
        file.meshes.append(self._mesh(figure, name))
        inverse = np.tile(np.eye(4), (len(figure.names), 1, 1))
        inverse[:, 3, :3] = -figure.rest  # columns one after another, as glTF has matrices
        file.skins.append(
            gltf.Skin(
                name=name,
                skeleton=first - 1,
                joints=list(range(first, first + len(figure.names))),
                inverseBindMatrices=self._data(inverse.astype(np.float32), "MAT4"),
            )
        )

    def add_camera(self, camera: Camera) -> None:
        """Adds a changing camera as an animated node. glTF's cameras look along -Z, with Y up."""
        gltf, file = self._gltf, self.file
        assert camera.times is not None
        kept = camera.times >= 0  # glTF has no times below 0
        there = camera.at(camera.times[kept])
        width, height = camera.image_size
        focal = float(np.median(there.K[..., 1, 1]))
        lens = gltf.Perspective(
            yfov=2 * math.atan(height / (2 * focal)), aspectRatio=width / height, znear=0.05, zfar=1000.0
        )
        turned = _next_to_each_other(matrix_to_quaternion(_spread(there.R, 2, kept) @ np.diag([1.0, -1.0, -1.0])))
        places = _spread(there.t, 1, kept)
        zoom = {"focal_px": there.K[:, 1, 1].tolist()} if there.K.ndim == 3 else {}
        node = gltf.Node(
            name="camera", camera=len(file.cameras), rotation=turned[0].tolist(), translation=places[0].tolist()
        )
        node.extras = zoom
        file.scenes[0].nodes.append(len(file.nodes))
        file.nodes.append(node)
        file.cameras.append(gltf.Camera(name="camera", type="perspective", perspective=lens))
        times = self._data(camera.times[kept].astype(np.float32), "SCALAR", bounds=True)
        for path, values, kind in (("translation", places, "VEC3"), ("rotation", turned, "VEC4")):
            self._channel(times, self._data(values.astype(np.float32), kind), len(file.nodes) - 1, path)
        if zoom:
            angles = 2 * np.arctan(height / (2 * there.K[:, 1, 1]))
            lens_number = len(file.cameras) - 1
            self._point(
                times, self._data(angles.astype(np.float32), "SCALAR"), f"/cameras/{lens_number}/perspective/yfov"
            )

    def _mesh(self, figure: Character, name: str) -> Any:
        gltf, mesh = self._gltf, make_body_mesh(figure.rig)
        # The body is in its T-pose at the origin; the bones take it into their rest pose.
        segments, bones, joints = mesh.segments, figure.bones[mesh.segments], figure.rig.placed()
        turned = figure.turned[bones]
        places = figure.segment_places()[segments] + np.einsum(
            "vkab,vkb->vka", turned, mesh.points[:, None] - joints[segments]
        )
        points = (mesh.weights[..., None] * places).sum(1)
        normals = np.einsum("vk,vkab,vb->va", mesh.weights, turned, mesh.normals)
        normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
        # A bone of no weight is 0.
        bones = np.where(mesh.weights > 0, bones, 0)
        four = np.zeros((len(points), 2))
        attributes = gltf.Attributes(
            POSITION=self._data(points.astype(np.float32), "VEC3", gltf.ARRAY_BUFFER, bounds=True),
            NORMAL=self._data(normals.astype(np.float32), "VEC3", gltf.ARRAY_BUFFER),
            JOINTS_0=self._data(np.hstack([bones, four]).astype(np.uint8), "VEC4", gltf.ARRAY_BUFFER),
            WEIGHTS_0=self._data(np.hstack([mesh.weights, four]).astype(np.float32), "VEC4", gltf.ARRAY_BUFFER),
        )
        indices = self._data(mesh.triangles.astype(np.uint16).reshape(-1), "SCALAR", gltf.ELEMENT_ARRAY_BUFFER)
        return gltf.Mesh(name=name, primitives=[gltf.Primitive(attributes=attributes, indices=indices, material=0)])

    def _animate(self, figure: Character, seconds: Float[np.ndarray, " t"], first: int) -> None:
        """Channels of the moving bone's place and of every bone that turns."""
        times = self._data(seconds, "SCALAR", bounds=True)
        way = self._data(figure.way.astype(np.float32), "VEC3")
        self._channel(times, way, first + figure.mover, "translation")
        for row in range(len(figure.names)):
            turned = _next_to_each_other(matrix_to_quaternion(figure.rotations[:, row]))
            if np.abs(turned[:, :3]).max() < 1e-6:
                continue
            self._channel(times, self._data(turned.astype(np.float32), "VEC4"), first + row, "rotation")

    def _channel(self, times: int, values: int, node: int | None, path: str) -> None:
        gltf, animation = self._gltf, self.file.animations[0]
        target = gltf.AnimationChannelTarget(node=node, path=path)
        animation.channels.append(gltf.AnimationChannel(sampler=len(animation.samplers), target=target))
        animation.samplers.append(gltf.AnimationSampler(input=times, output=values, interpolation="LINEAR"))

    def _point(self, times: int, values: int, pointer: str) -> None:
        """Animates a property of the document. Readers without the extension leave out a channel without a node."""
        animation = self.file.animations[0]
        self._channel(times, values, None, "pointer")
        animation.channels[-1].target.extensions = {_POINTER: {"pointer": pointer}}
        self.file.extensionsUsed = [_POINTER]

    def _data(self, values: np.ndarray, kind: str, target: int | None = None, bounds: bool = False) -> int:
        """Index of the accessor of an array, which goes into the buffer.

        Args:
            values: one row per element.
            kind: type of the elements, such as "VEC3".
            target: what the array is for, of a mesh.
            bounds: write the lowest and highest values.
        """
        gltf, file = self._gltf, self.file
        types = {"float32": gltf.FLOAT, "uint16": gltf.UNSIGNED_SHORT, "uint8": gltf.UNSIGNED_BYTE}
        data = np.ascontiguousarray(values).tobytes()
        file.bufferViews.append(
            gltf.BufferView(buffer=0, byteOffset=len(self._blob), byteLength=len(data), target=target)
        )
        self._blob += data + bytes(-len(data) % 4)
        rows = values.reshape(len(values), -1)
        limits = {"min": rows.min(0).tolist(), "max": rows.max(0).tolist()} if bounds else {}
        file.accessors.append(
            gltf.Accessor(
                bufferView=len(file.bufferViews) - 1,
                componentType=types[str(values.dtype)],
                count=len(values),
                type=kind,
                **limits,
            )
        )
        return len(file.accessors) - 1


def _next_to_each_other(quaternions: Float[np.ndarray, "t 4"]) -> Float[np.ndarray, "t 4"]:
    """Quaternions x, y, z, w without sign changes between frames.

    From w, x, y, z; glTF has the other order. A quaternion and its opposite are the same rotation.
    """
    turned = np.roll(quaternions, -1, axis=-1)
    flips = np.where((turned[1:] * turned[:-1]).sum(1) < 0, -1.0, 1.0)
    turned[1:] *= np.cumprod(flips)[:, None]
    return turned


def _spread(values: np.ndarray, axes: int, kept: np.ndarray) -> np.ndarray:
    """Values of each kept time, also of what does not change."""
    return np.broadcast_to(values, (int(kept.sum()), *values.shape[-axes:]))
