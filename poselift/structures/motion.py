"""One person's 3D motion, and the person's height."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.array_checks import check_shapes, count_rows, refuse_infinity
from poselift.core.errors import InputError
from poselift.core.unchecked import replace_unchecked
from poselift.numerics.times import check_times
from poselift.skeleton import Pelvis, Skeleton
from poselift.skeleton.hand import SIDES, with_fingers
from poselift.skeleton.skeleton import strip_side
from poselift.structures.detections import count_joints
from poselift.structures.hands import Hands
from poselift.structures.keypoints import THRESHOLD, Keypoints2D

FEET = ("left_foot", "right_foot")
"""Columns of `Motion.contacts`: the person's own left and right foot."""

ENDS = ({"big_toe", "small_toe", "heel"}, {"hand"}, {"nose", "eye", "ear", "head_top"})
"""Joints that move with each other: one of them shows all."""

TRUNK = ("left_hip", "right_hip", "left_shoulder", "right_shoulder", "pelvis", "neck_base", "mid_shoulders")
"""Joints that show where the back is."""


@dataclass(frozen=True)
class Height:
    """Standing height, without shoes.

    Attributes:
        metres: the height.
        spread: standard deviation of the error, metres; 0 for a given height.
        origin: "estimated" or "given".
    """

    metres: float
    spread: float
    origin: Literal["estimated", "given"] = "estimated"


@dataclass(frozen=True)
class Motion:
    """One person's 3D motion.

    Attributes:
        joints: metres, relative to the root joint (the first of the skeleton); NaN in empty frames.
        root: position of the root joint, metres; NaN in empty frames.
        timestamps: seconds.
        interpolated: frames without a detection, whose joints the lifter interpolated.
        skeleton: skeleton of `joints`.
        frame: "camera" (x right, y down, z forward) or "world" (right-handed, Y up).
        keypoints: the 2D keypoints of each frame.
        uncertainty: radius of the ball that holds the joint in 90 % of cases, metres; 0 for the root joint, NaN in
            empty frames. None if the lifter gives none.
        contacts: whether each foot of `FEET` is on the ground; None if unknown.
        pelvis: where the pelvis lies; None if unknown.
        height: standing height; None if unknown.
        threshold: keypoints with a lower score were not lifted.
        body_share: share of a joint's distance from the root that its uncertainty has for the body's size and tilt.
        hands: the hands; None if nobody looked for them, and the input has none.
        filters: what joints and root went through: name, order and cutoff of each filter.

    Raises:
        InputError: an array has another shape, a position is infinite, the timestamps do not increase or are not of one
            clip, or the frame is another one.
    """

    joints: Float[np.ndarray, "t j 3"]
    root: Float[np.ndarray, "t 3"]
    timestamps: Float[np.ndarray, " t"]
    interpolated: Bool[np.ndarray, " t"]
    skeleton: Skeleton
    frame: str
    keypoints: Keypoints2D
    uncertainty: Float[np.ndarray, "t j"] | None = None
    contacts: Bool[np.ndarray, "t 2"] | None = None
    pelvis: Pelvis | None = None
    height: Height | None = None
    threshold: float = THRESHOLD
    body_share: float = 0.0
    hands: Hands | None = None
    filters: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        """Checks the values, which exports and measures take as they are."""
        frames, joints = count_rows(self.timestamps), count_joints(self.skeleton)
        if not isinstance(self.keypoints, Keypoints2D) or len(self.keypoints) != frames:
            raise InputError(f"keypoints are {self.keypoints!r:.40}; give the Keypoints2D of the {frames} frames")
        shapes: dict[str, tuple[int, ...]] = {
            "timestamps": (frames,),
            "joints": (frames, joints, 3),
            "root": (frames, 3),
            "interpolated": (frames,),
            "uncertainty": (frames, joints),
            "contacts": (frames, len(FEET)),
        }
        given = {name: shape for name, shape in shapes.items() if getattr(self, name) is not None}
        check_shapes(self, f"{frames} frames of {self.skeleton.name}", **given)
        if self.hands is not None and len(self.hands) != frames:
            raise InputError(f"there are hands of {len(self.hands)} frames, but the motion has {frames}")
        refuse_infinity("joints", self.joints)
        refuse_infinity("root", self.root)
        check_times(self.timestamps)
        if self.frame not in ("camera", "world"):
            raise InputError(f"frame is {self.frame!r:.40}; give camera or world")

    def __len__(self) -> int:
        return len(self.timestamps)

    def __getitem__(self, frames: slice) -> "Motion":
        """The motion of some frames."""
        names = ("joints", "root", "timestamps", "interpolated", "keypoints", "uncertainty", "contacts", "hands")
        values = {name: getattr(self, name) for name in names}
        return replace(self, **{name: value[frames] for name, value in values.items() if value is not None})

    @property
    def posed(self) -> Bool[np.ndarray, " t"]:
        """Frames in which root and all joints are known."""
        return np.isfinite(self.joints).all((1, 2)) & np.isfinite(self.root).all(1)

    def with_fingers(self) -> tuple[Float[np.ndarray, "t k 3"], Skeleton]:
        """The body's and the hands' joints, and their skeleton.

        Metres relative to the root, NaN where unseen. They are the motion's own joints where it has no hands. A hand
        begins at the wrist of the body.
        """
        placed = self.placed_hands()
        if placed is None:
            return self.joints, self.skeleton
        fingers = placed[:, :, 1:].reshape(len(self), -1, 3)
        return np.concatenate([self.joints, fingers], 1), with_fingers(self.skeleton)

    def placed_hands(self) -> Float[np.ndarray, "t 2 21 3"] | None:
        """The hands' joints, placed at the body's wrists. Metres relative to the root; None without hands in 3D."""
        wrists = [f"{side}_wrist" for side in SIDES]
        if self.hands is None or not self.hands.in_3d or not set(wrists) <= set(self.skeleton.joints):
            return None
        placed = self.joints[:, self.skeleton.indices(wrists), None] + self.hands.joints
        return placed.astype(self.joints.dtype)

    def in_sight(self) -> Bool[np.ndarray, "t j"]:
        """Whether keypoints show each joint.

        The lifter estimates the others from what is usual. A joint that the detector's skeleton lacks is in sight with
        others of the same foot, hand or head, or if it is one of the trunk with hips or shoulders. A motion without any
        keypoints has all joints in sight.
        """
        names, seen = self.keypoints.skeleton.joints, self.keypoints.in_sight(self.threshold)
        if not self.keypoints.seen.any():
            return np.ones(self.joints.shape[:2], bool)
        columns = []
        for joint in self.skeleton.joints:
            end = next((end for end in ENDS if strip_side(joint) in end), None)
            if end is not None:
                # A head has one joint of each name and side; a foot or hand has those of its own side.
                side = joint.removesuffix(strip_side(joint)) if "nose" not in end else ""
                shown = [name for name in names if strip_side(name) in end and name.startswith(side)]
            else:
                shown = [joint] if joint in names else [name for name in TRUNK if name in names]
            columns.append(seen[:, self.keypoints.skeleton.indices(shown)].any(1))
        return np.stack(columns, 1)

    def guessed(self) -> Bool[np.ndarray, "t j"]:
        """Whether no keypoint shows each joint.

        Such joints are out of sight, or the detector found nobody for a while. Everything that draws a motion draws
        these pale.
        """
        alone = self.interpolated & ~self.keypoints.bridge().seen
        return ~self.in_sight() | alone[:, None]

    def restrict(self, skeleton: Skeleton) -> "Motion":
        """The motion with a smaller skeleton that has the same root.

        Raises:
            InputError: the motion lacks one of the joints, or has another root.
        """
        missing = [joint for joint in skeleton.joints if joint not in self.skeleton.joints]
        if missing or skeleton.joints[0] != self.skeleton.joints[0]:
            lacks = ", ".join(missing) or f"the root {skeleton.joints[0]}"
            raise InputError(f"{self.skeleton.name} cannot be restricted to {skeleton.name}: it lacks {lacks}")
        joints = self.skeleton.indices(skeleton.joints)
        uncertainty = None if self.uncertainty is None else self.uncertainty[:, joints]
        return replace_unchecked(self, joints=self.joints[:, joints], uncertainty=uncertainty, skeleton=skeleton)

    def body_axis(self) -> Float[np.ndarray, "t 3"] | None:
        """Vector from mid-ankles to mid-shoulders, metres; None without these joints."""
        return body_axis(self.joints, self.skeleton)


def body_axis(joints: Float[np.ndarray, "*t j 3"], skeleton: Skeleton) -> Float[np.ndarray, "*t 3"] | None:
    """Vector from mid-ankles to mid-shoulders, metres; None without these joints."""
    middles = []
    for joint in ("ankle", "shoulder"):
        pair = [f"left_{joint}", f"right_{joint}"]
        if not set(pair) <= set(skeleton.joints):
            return None
        middles.append(joints[..., skeleton.indices(pair), :].mean(-2))
    ankles, shoulders = middles
    return (shoulders - ankles).astype(np.float64)
