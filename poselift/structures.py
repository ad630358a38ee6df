"""What passes between the stages: detections of one frame, one person's 2D keypoints, one person's 3D motion."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.skeleton import Skeleton

FEET = ("left_foot", "right_foot")
"""What the columns of `Motion.contacts` are, the person's own left and right."""

Pelvis = Literal["spine", "hips"]
"""Where a pelvis lies: at the base of the spine, or midway between the hips."""


@dataclass(frozen=True)
class Detections:
    """The people that a detector found in one frame; nobody found is n = 0.

    Attributes:
        boxes: x0, y0, x1, y1 in pixels.
        box_scores: how sure the detector is of the person, 0 to 1.
        keypoints: pixels; NaN where a joint was not found.
        scores: of each keypoint, 0 to 1; 0 where it was not found.
        skeleton: the detector's own joint set.
    """

    boxes: Float[np.ndarray, "n 4"]
    box_scores: Float[np.ndarray, " n"]
    keypoints: Float[np.ndarray, "n j 2"]
    scores: Float[np.ndarray, "n j"]
    skeleton: Skeleton

    def __len__(self) -> int:
        return len(self.boxes)


@dataclass(frozen=True)
class Keypoints2D:
    """One person's 2D keypoints over time.

    Attributes:
        keypoints: pixels; NaN where a joint was not seen.
        scores: 0 to 1; 0 where a joint was not seen.
        timestamps: seconds, from the video's own time stamps, strictly increasing.
        skeleton: the joint set of `keypoints`.
        image_size: (width, height) in pixels.
        person: the track's number, from 1.

    Raises:
        InputError: an array is of another shape, scores are not from 0 to 1, the picture has no size, or the time
            stamps do not increase.
    """

    keypoints: Float[np.ndarray, "t j 2"]
    scores: Float[np.ndarray, "t j"]
    timestamps: Float[np.ndarray, " t"]
    skeleton: Skeleton
    image_size: tuple[int, int]
    person: int = 1

    def __post_init__(self) -> None:
        """Refuses what would come to be a wrong motion, or an error deep inside."""
        if not isinstance(self.skeleton, Skeleton):
            raise InputError(f"skeleton is {self.skeleton!r}, not a Skeleton; `get_skeleton` gives one by its name")
        frames, joints = np.size(self.timestamps), len(self.skeleton)
        sizes = {"timestamps": (frames,), "keypoints": (frames, joints, 2), "scores": (frames, joints)}
        for name, size in sizes.items():
            value = getattr(self, name)
            if not isinstance(value, np.ndarray):
                raise InputError(f"{name} is a {type(value).__name__}; give a numpy array")
            if value.shape != size:
                raise InputError(f"{name} is {value.shape}; of {frames} frames of {self.skeleton.name} it is {size}")
        if not ((self.scores >= 0) & (self.scores <= 1)).all():
            raise InputError(
                f"scores are from {self.scores.min():g} to {self.scores.max():g}; bring them to 0 to 1, with 0 where a "
                "joint was not seen"
            )
        if not all(0 < side < np.inf for side in self.image_size):
            raise InputError(f"image_size={self.image_size} is no picture's; give its width and height in pixels")
        steps = np.diff(self.timestamps)
        if len(wrong := np.flatnonzero(~(steps > 0))):
            first = int(wrong[0])
            times = ", ".join(f"{time:g}" for time in self.timestamps[first : first + 2])
            raise InputError(
                f"time stamps must increase from frame to frame; frames {first} and {first + 1} have {times} s"
            )
        if not np.isfinite(self.timestamps).all():
            raise InputError("a time stamp is not a finite number of seconds")

    def __len__(self) -> int:
        return len(self.timestamps)

    def __getitem__(self, frames: slice) -> "Keypoints2D":
        """The keypoints of some frames."""
        parts = {name: getattr(self, name)[frames] for name in ("keypoints", "scores", "timestamps")}
        return replace(self, **parts)

    @property
    def seen(self) -> Bool[np.ndarray, " t"]:
        """Frames in which at least one joint was seen."""
        return np.isfinite(self.keypoints).all(-1).any(-1)

    def used(self, threshold: float) -> Bool[np.ndarray, "t j"]:
        """Joints that were seen, and score at least this."""
        return np.isfinite(self.keypoints).all(-1) & (self.scores >= threshold) & (self.scores > 0)


@dataclass(frozen=True)
class Motion:
    """One person's 3D motion.

    Attributes:
        joints: metres, relative to the root joint (the skeleton's first), NaN in frames left empty.
        root: the root joint's place, metres, NaN in frames left empty.
        timestamps: seconds.
        interpolated: frames in which nothing was seen and that were bridged.
        skeleton: the joint set of `joints`.
        frame: "camera" (x right, y down, z forward) or "world" (right-handed, Y up).
        keypoints: the 2D that it was lifted from, frame by frame.
        uncertainty: of the ball around each joint that is meant to hold the true one in 9 of 10 cases, metres; 0 for the
            root joint, NaN in frames left empty. None where the lifter does not tell.
        contacts: whether the feet, named in `FEET`, are on the ground; None where nobody asked.
        pelvis: where the pelvis lies; None if unknown.
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

    def __len__(self) -> int:
        return len(self.timestamps)

    def restricted(self, skeleton: Skeleton) -> "Motion":
        """The motion with the joints of a smaller skeleton that has the same root.

        Raises:
            InputError: the motion lacks one of its joints, or its root is another.
        """
        missing = [joint for joint in skeleton.joints if joint not in self.skeleton.joints]
        if missing or skeleton.joints[0] != self.skeleton.joints[0]:
            lacks = ", ".join(missing) or f"its root {skeleton.joints[0]}"
            raise InputError(f"a motion of {self.skeleton.name} cannot be given as {skeleton.name}: it lacks {lacks}")
        joints = self.skeleton.indices(skeleton.joints)
        uncertainty = None if self.uncertainty is None else self.uncertainty[:, joints]
        return replace(self, joints=self.joints[:, joints], uncertainty=uncertainty, skeleton=skeleton)
