"""GLB: binary glTF 2.0, a body on an armature of named bones, for Blender, Unity, three.js and viewers."""

import os
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.body_mesh import body_mesh
from poselift.export.people_check import check_people
from poselift.kinematics import RiggedMotion, solve
from poselift.structures import Height, Motion

_SKIN = [0.62, 0.66, 0.72, 1.0]
"""Colour of the body, linear RGBA."""


def write_glb(path: str | os.PathLike[str], motions: Sequence[Motion]) -> None:
    """Writes one armature, skinned body and animation per person: metres, Y up, facing +Z, in a T-pose at rest.

    Key frames are at the motion's own times, in one animation for everybody. An empty frame repeats the last pose
    before it (or the first of the clip). The armature's extras have `height_m` and `height_origin`, if it is known.

    Args:
        path: the file to write.
        motions: everybody in the file, in the same frame.

    Raises:
        InputError: pygltflib is not installed, the file cannot be written, the people do not fit together, their
            skeleton lacks joints, somebody has no frame with a pose, or the motion is too long for the times of glTF.
    """
    check_people(motions)
    gltf = require("pygltflib", "gltf")
    _check_times(path, motions)
    document = _Document(gltf)
    # glTF has no times below 0.
    start = min(0.0, *(float(motion.timestamps[0]) for motion in motions))
    for motion in motions:
        document.add(solve(motion), start, motion.height)
    with atomic_path(path) as temporary:
        if not document.finish().save_binary(str(temporary)):
            raise InputError(f"cannot write {path}: pygltflib failed")


def _check_times(path: str | os.PathLike[str], motions: Sequence[Motion]) -> None:
    """Checks that times increase as float32, which is all that glTF has."""
    for motion in motions:
        if not (np.diff(motion.timestamps.astype(np.float32)) > 0).all():
            raise InputError(
                f"cannot write {path}: at {motion.timestamps[-1]:.0f} s its frames are too close for glTF, whose times "
                "have 7 digits; lift a shorter span with --start and --end"
            )


class _Document:
    """A glTF document in the making.

    Args:
        gltf: the package pygltflib.
    """

    def __init__(self, gltf: ModuleType) -> None:
        self._gltf, self._blob = gltf, bytearray()
        metal = gltf.PbrMetallicRoughness(baseColorFactor=_SKIN, metallicFactor=0.0, roughnessFactor=0.8)
        self._file = gltf.GLTF2(
            asset=gltf.Asset(version="2.0", generator="poselift"),
            scene=0,
            scenes=[gltf.Scene(nodes=[])],
            materials=[gltf.Material(name="body", pbrMetallicRoughness=metal)],
            animations=[gltf.Animation(name="motion")],
        )

    def finish(self) -> Any:
        """The document, with all data."""
        self._file.buffers = [self._gltf.Buffer(byteLength=len(self._blob))]
        self._file.set_binary_blob(bytes(self._blob))
        return self._file

    def add(self, rigged: RiggedMotion, start: float, height: Height | None) -> None:
        """A person with mesh, skin and animation.

        Args:
            rigged: the motion.
            start: the time that becomes 0, seconds.
            height: of the person, for the extras of the armature.
        """
        gltf, file, rig = self._gltf, self._file, rigged.rig
        name, top = f"person_{rigged.person}", len(file.nodes)
        first = top + 1
        children = {
            at: [first + row for row, parent in enumerate(rig.parents) if parent == at]
            for at in range(-1, len(rig.names))
        }
        about = {} if height is None else {"height_m": height.metres, "height_origin": height.origin}
        file.nodes.append(gltf.Node(name=name, children=children[-1], extras=about))
        for row, (joint, offset) in enumerate(zip(rig.names, rig.offsets.tolist(), strict=True)):
            file.nodes.append(gltf.Node(name=joint, translation=offset, children=children[row]))
        # The skinned mesh is a root itself, because the transforms above it do not count.
        file.scenes[0].nodes += [top, len(file.nodes)]
        file.nodes.append(gltf.Node(name=f"{name}_body", mesh=len(file.meshes), skin=len(file.skins)))
        file.meshes.append(self._mesh(rigged, name))
        inverse = np.tile(np.eye(4), (len(rig.names), 1, 1))
        inverse[:, 3, :3] = -rig.placed()  # columns one after another, as glTF has matrices
        file.skins.append(
            gltf.Skin(
                name=name,
                skeleton=top,
                joints=list(range(first, first + len(rig.names))),
                inverseBindMatrices=self._data(inverse.astype(np.float32), "MAT4"),
            )
        )
        self._animate(rigged, start, first)

    def _mesh(self, rigged: RiggedMotion, name: str) -> Any:
        gltf, mesh = self._gltf, body_mesh(rigged.rig)
        four = np.zeros((len(mesh.points), 2))
        attributes = gltf.Attributes(
            POSITION=self._data(mesh.points.astype(np.float32), "VEC3", gltf.ARRAY_BUFFER, bounds=True),
            NORMAL=self._data(mesh.normals.astype(np.float32), "VEC3", gltf.ARRAY_BUFFER),
            JOINTS_0=self._data(np.hstack([mesh.segments, four]).astype(np.uint8), "VEC4", gltf.ARRAY_BUFFER),
            WEIGHTS_0=self._data(np.hstack([mesh.weights, four]).astype(np.float32), "VEC4", gltf.ARRAY_BUFFER),
        )
        indices = self._data(mesh.triangles.astype(np.uint16).reshape(-1), "SCALAR", gltf.ELEMENT_ARRAY_BUFFER)
        return gltf.Mesh(name=name, primitives=[gltf.Primitive(attributes=attributes, indices=indices, material=0)])

    def _animate(self, rigged: RiggedMotion, start: float, first: int) -> None:
        """Channels of the root's place and of every bone that turns."""
        shown = rigged.held_frames()
        times = self._data((rigged.timestamps - start).astype(np.float32), "SCALAR", bounds=True)
        self._channel(times, self._data(rigged.root[shown].astype(np.float32), "VEC3"), first, "translation")
        for row in range(len(rigged.rig.names)):
            turned = Rotation.from_matrix(rigged.rotations[shown, row]).as_quat()
            if np.abs(turned[:, :3]).max() < 1e-6:
                continue
            # A quaternion and its opposite are the same rotation: take the one next to that of the frame before.
            flips = np.where((turned[1:] * turned[:-1]).sum(1) < 0, -1.0, 1.0)
            turned[1:] *= np.cumprod(flips)[:, None]
            self._channel(times, self._data(turned.astype(np.float32), "VEC4"), first + row, "rotation")

    def _channel(self, times: int, values: int, node: int, path: str) -> None:
        gltf, animation = self._gltf, self._file.animations[0]
        target = gltf.AnimationChannelTarget(node=node, path=path)
        animation.channels.append(gltf.AnimationChannel(sampler=len(animation.samplers), target=target))
        animation.samplers.append(gltf.AnimationSampler(input=times, output=values, interpolation="LINEAR"))

    def _data(self, values: np.ndarray, kind: str, target: int | None = None, bounds: bool = False) -> int:
        """Index of the accessor of an array, which goes into the buffer.

        Args:
            values: one row per element.
            kind: type of the elements, such as "VEC3".
            target: what the array is for, of a mesh.
            bounds: write the lowest and highest values.
        """
        gltf, file = self._gltf, self._file
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
