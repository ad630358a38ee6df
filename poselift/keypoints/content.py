"""What files of 2D keypoints hold, whatever their format."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.skeleton import Skeleton
from poselift.structures import Detections

_NORMALISED = 2.0
"""No picture is as small as this: coordinates that all lie within it, either side of 0, are no pixels."""
_INSIDE = 0.5
"""Share of the points that must lie in the picture."""


@dataclass(frozen=True)
class Sight:
    """One person in one frame, as the file has it.

    Attributes:
        points: in pixels, or from 0 to 1 where the format knows such; NaN where a joint was not found.
        scores: of each point; 0 where it was not found.
        person: whose they are, where the file says; None where it does not.
        box: x0, y0, x1, y1, where the file has one.
        box_score: how sure the detector was of the person, where the file says.
    """

    points: Float[np.ndarray, "j 2"]
    scores: Float[np.ndarray, " j"]
    person: str | None = None
    box: Float[np.ndarray, "4"] | None = None
    box_score: float | None = None


@dataclass(frozen=True)
class KeypointFile:
    """2D keypoints that were made elsewhere.

    Attributes:
        path: the file or folder.
        format: as in `poselift.keypoints.READERS`.
        skeleton: the joint set of what it holds.
        frames: the people in each frame, by the frame's number; a frame that is not there has nobody.
        image_size: (width, height) of the pictures in pixels, where the file says.
        timestamps: of each frame, seconds, where the file says.
    """

    path: Path
    format: str
    skeleton: Skeleton
    frames: dict[int, list[Sight]]
    image_size: tuple[int, int] | None = None
    timestamps: dict[int, float] | None = None

    @property
    def has_people(self) -> bool:
        """Whether the file says who is who: all have a name, and none is twice in a frame."""
        named = [[sight.person for sight in sights] for sights in self.frames.values()]
        return all(None not in names and len(set(names)) == len(names) for names in named)

    def detections(self, image_size: tuple[int, int]) -> dict[int, Detections]:
        """The people in each frame, in pixels, in the file's order.

        A joint that scores 0 or is not finite is unseen: NaN with score 0. Scores above 1, as some detectors give,
        count as 1. A box that the file lacks is that of the joints, and a person's score the mean of theirs.

        Args:
            image_size: (width, height) in pixels.

        Raises:
            InputError: the coordinates are not pixels of such a picture.
        """
        scale = self._scale(image_size)
        return {number: _detections(sights, scale, self.skeleton) for number, sights in self.frames.items()}

    def _scale(self, image_size: tuple[int, int]) -> Float[np.ndarray, "2"]:
        """From the file's coordinates to pixels, after making sure that these can be meant."""
        seen = [sight.points[sight.scores > 0] for sights in self.frames.values() for sight in sights]
        points = np.concatenate(seen) if seen else np.zeros((0, 2))
        points = points[np.isfinite(points).all(-1)]
        scale = np.ones(2)
        if len(points) and np.abs(points).max() <= _NORMALISED:
            if self.format != "openpose" or np.mean(points < 0) > 0.05:
                raise InputError(
                    f"{self.path}: coordinates lie between {points.min():.2f} and {points.max():.2f} and are no "
                    "pixels; write them in pixels (OpenPose: --keypoint_scale 0)"
                )
            # OpenPose's keypoint_scale 3: (0, 0) is the first pixel and (1, 1) the last.
            scale = np.array(image_size, float) - 1
        inside = np.all((points * scale >= -0.5) & (points * scale <= np.array(image_size) - 0.5), axis=-1)
        if len(points) and inside.mean() < _INSIDE:
            far = " x ".join(f"{value:.0f}" for value in (points * scale).max(0))
            raise InputError(
                f"{self.path}: most points lie outside a picture of {image_size[0]} x {image_size[1]} (they reach to "
                f"{far}); give the size or the video that the keypoints were found in"
            )
        return scale


def _detections(sights: list[Sight], scale: Float[np.ndarray, "2"], skeleton: Skeleton) -> Detections:
    boxes, box_scores, keypoints, scores = [], [], [], []
    for sight in sights:
        seen = np.isfinite(sight.points).all(-1) & (sight.scores > 0)
        points = np.where(seen[:, None], sight.points * scale, np.nan)
        values = np.where(seen, np.clip(sight.scores, 0, 1), 0.0)
        box, box_score = sight.box, sight.box_score
        if box is None or not np.isfinite(box).all():
            corners = points[seen] if seen.any() else np.zeros((1, 2))
            box = np.concatenate([corners.min(0), corners.max(0)])
        if box_score is None or not np.isfinite(box_score):
            box_score = float(values[seen].mean()) if seen.any() else 0.0
        boxes.append(box)
        box_scores.append(min(max(box_score, 0.0), 1.0))
        keypoints.append(points)
        scores.append(values)
    return Detections(
        np.array(boxes, float).reshape(-1, 4),
        np.array(box_scores, float),
        np.array(keypoints, float).reshape(-1, len(skeleton), 2),
        np.array(scores, float).reshape(-1, len(skeleton)),
        skeleton,
    )
