"""What passes between the stages: detections of one frame, one person's 2D keypoints, one person's 3D motion."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.skeleton import Skeleton


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
    """

    keypoints: Float[np.ndarray, "t j 2"]
    scores: Float[np.ndarray, "t j"]
    timestamps: Float[np.ndarray, " t"]
    skeleton: Skeleton
    image_size: tuple[int, int]
    person: int = 1

    def __len__(self) -> int:
        return len(self.timestamps)

    @property
    def seen(self) -> Bool[np.ndarray, " t"]:
        """Frames in which at least one joint was seen."""
        return np.isfinite(self.keypoints).all(-1).any(-1)


@dataclass(frozen=True)
class Motion:
    """One person's 3D motion.

    Attributes:
        joints: metres, relative to the root joint (the skeleton's first), NaN in frames left empty.
        root: the root joint's place, metres, NaN in frames left empty.
        timestamps: seconds.
        filled: frames in which nothing was seen and that were bridged.
        skeleton: the joint set of `joints`.
        frame: "camera" (x right, y down, z forward) or "world" (right-handed, Y up).
        keypoints: the 2D that it was lifted from, frame by frame.
    """

    joints: Float[np.ndarray, "t j 3"]
    root: Float[np.ndarray, "t 3"]
    timestamps: Float[np.ndarray, " t"]
    filled: Bool[np.ndarray, " t"]
    skeleton: Skeleton
    frame: str
    keypoints: Keypoints2D

    def __len__(self) -> int:
        return len(self.timestamps)
