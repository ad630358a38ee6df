"""A body of fixed bone lengths, and its motion as joint rotations."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.core.arrays import AnyArray, array_namespace, constant
from poselift.core.errors import InputError
from poselift.geometry import forward_kinematics, points_from_bones
from poselift.skeleton.flesh import TALL

Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""Turns Y up into Z up: who faced +Z faces -Y, as Blender's front view has it."""

_SOLE = 0.025
"""Metres from heel and big toe down to the ground under a flat foot of a body of size 1."""


@dataclass(frozen=True)
class Rig:
    """A tree of segments at rest, in a T-pose.

    Y up, facing +Z, with the person's left at +X.

    Attributes:
        names: of the segments. Each starts at the joint of its name and moves that joint's children.
        parents: index of each segment's parent; -1 for the root, which comes first.
        offsets: metres, from the parent to the segment's joint in the rest pose; 0 for the root.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: Float[AnyArray, "s 3"]

    def placed(self) -> Float[AnyArray, "s 3"]:
        """The joints' positions at rest, metres; the root is at 0."""
        offsets = self.offsets.astype(np.float64) if isinstance(self.offsets, np.ndarray) else self.offsets
        return points_from_bones(offsets, 0 * offsets[0], self.parents)

    @property
    def size(self) -> Any:
        """The body's size beside the usual one of 1, a number."""
        at = self._at()
        return (at["head_top"] - at["left_ankle"])[1] / TALL

    @property
    def sole(self) -> Any:
        """Metres from heel and big toe to the ground, standing flat."""
        return _SOLE * self.size

    def landmarks(self) -> dict[str, Float[AnyArray, "3"]]:
        """Resting positions of joints, hands, feet and `ground`.

        Hands and feet have usual sizes where they lack. Metres; the root is at 0, and `ground` is below it.
        """
        at, size = self._at(), self.size
        for side, left in (("left", 1.0), ("right", -1.0)):
            wrist, ankle = at[f"{side}_wrist"], at[f"{side}_ankle"]
            at.setdefault(f"{side}_hand", wrist + size * constant([0.12 * left, 0.0, 0.0], wrist))
            at.setdefault(f"{side}_heel", ankle + size * constant([0.0, -0.05, -0.05], ankle))
            at.setdefault(f"{side}_big_toe", ankle + size * constant([0.0, -0.05, 0.17], ankle))
        feet = [at[f"{side}_{joint}"][1] for side in ("left", "right") for joint in ("heel", "big_toe")]
        xp = array_namespace(at["left_ankle"])
        low = xp.min(xp.stack([xp.asarray(height) for height in feet]), axis=0) - _SOLE * size
        return {**at, "ground": low * constant([0.0, 1.0, 0.0], at["left_ankle"])}

    def _at(self) -> dict[str, Float[AnyArray, "3"]]:
        return dict(zip(self.names, self.placed(), strict=True))


@dataclass(frozen=True)
class RiggedMotion:
    """One person's motion as rotations of a rig; right-handed, Y up.

    Attributes:
        rig: the person's segments.
        root: position of the root joint, metres; NaN in empty frames.
        rotations: of each segment relative to its parent, and of the root in the world. The identity is the rest pose;
            NaN in empty frames.
        residuals: distance from each joint of the rig to the motion's joint, metres; NaN in empty frames.
        timestamps: seconds.
        person: number of the person, from 1.
        contacts: feet that stand still, left and right, where feet are locked; else None.
    """

    rig: Rig
    root: Float[np.ndarray, "t 3"]
    rotations: Float[np.ndarray, "t s 3 3"]
    residuals: Float[np.ndarray, "t s"]
    timestamps: Float[np.ndarray, " t"]
    person: int
    contacts: Bool[np.ndarray, "t 2"] | None = None

    def __len__(self) -> int:
        return len(self.timestamps)

    def positions(self) -> Float[np.ndarray, "t s 3"]:
        """Positions of the joints by forward kinematics, metres."""
        return self._posed[0]

    def orientations(self) -> Float[np.ndarray, "t s 3 3"]:
        """Rotations of the segments in the world."""
        return self._posed[1]

    def held_frames(self) -> Int[np.ndarray, " t"]:
        """Each frame's pose for formats without gaps, by frame.

        That is the frame itself, or the last one with a pose. Frames before the first pose show that one.

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
