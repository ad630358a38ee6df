"""A body of fixed bone lengths, and its motion as joint rotations."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from poselift.core.errors import InputError
from poselift.geometry import forward_kinematics, points_from_bones

Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""Turns Y up into Z up: who faced +Z faces -Y, as Blender's front view has it."""


@dataclass(frozen=True)
class Rig:
    """A tree of segments in its rest pose: a T-pose, Y up, facing +Z, with the person's left at +X.

    Attributes:
        names: of the segments. Each starts at the joint of its name and moves that joint's children.
        parents: index of each segment's parent; -1 for the root, which comes first.
        offsets: metres, from the parent to the segment's joint in the rest pose; 0 for the root.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: Float[np.ndarray, "s 3"]

    def placed(self) -> Float[np.ndarray, "s 3"]:
        """Positions of the joints in the rest pose, metres; the root is at 0."""
        return points_from_bones(self.offsets.astype(np.float64), np.zeros(3), self.parents)


@dataclass(frozen=True)
class RiggedMotion:
    """One person's motion as rotations of a rig; right-handed, Y up unless `with_z_up` turned it.

    Attributes:
        rig: the person's segments.
        root: position of the root joint, metres; NaN in empty frames.
        rotations: of each segment relative to its parent, and of the root in the world. The identity is the rest pose;
            NaN in empty frames.
        residuals: distance from each joint of the rig to the motion's joint, metres; NaN in empty frames.
        timestamps: seconds.
        person: number of the person, from 1.
    """

    rig: Rig
    root: Float[np.ndarray, "t 3"]
    rotations: Float[np.ndarray, "t s 3 3"]
    residuals: Float[np.ndarray, "t s"]
    timestamps: Float[np.ndarray, " t"]
    person: int

    def __len__(self) -> int:
        return len(self.timestamps)

    def positions(self) -> Float[np.ndarray, "t s 3"]:
        """Positions of the joints by forward kinematics, metres."""
        return self._posed[0]

    def orientations(self) -> Float[np.ndarray, "t s 3 3"]:
        """Rotations of the segments in the world."""
        return self._posed[1]

    def with_z_up(self) -> "RiggedMotion":
        """The same motion with Z up, its rest pose too."""
        rig = replace(self.rig, offsets=self.rig.offsets @ Z_UP.T)
        return replace(self, rig=rig, root=self.root @ Z_UP.T, rotations=Z_UP @ self.rotations @ Z_UP.T)

    def held_frames(self) -> Int[np.ndarray, " t"]:
        """For each frame, the frame whose pose formats without gaps show: itself, or the last one with a pose.

        Frames before the first pose show that one.

        Raises:
            InputError: no frame has a pose.
        """
        known = np.flatnonzero(np.isfinite(self.root).all(1))
        if not len(known):
            raise InputError(f"person {self.person} has no frame with a pose; choose another person")
        return known[np.maximum(np.searchsorted(known, np.arange(len(self)), side="right") - 1, 0)]

    @cached_property
    def _posed(self) -> tuple[np.ndarray, np.ndarray]:
        rotations, offsets, root = (x.astype(np.float64) for x in (self.rotations, self.rig.offsets, self.root))
        return forward_kinematics(rotations, np.tile(offsets, (len(self), 1, 1)), root, self.rig.parents)
