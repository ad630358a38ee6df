"""One person's 2D keypoints over time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.array_checks import check_scores, check_shapes, count_rows, refuse_infinity
from poselift.core.errors import InputError
from poselift.core.safe_parsing import real_number, whole_number
from poselift.core.unchecked import replace_unchecked
from poselift.geometry.camera import check_image_size
from poselift.numerics.times import check_times, interpolate
from poselift.skeleton import Skeleton
from poselift.structures.detections import count_joints, mirror_points

THRESHOLD = 0.2
"""Least score of a joint that is lifted and drawn, if nobody says otherwise."""

MOST_PEOPLE = 999_999_999
"""Largest number of a person."""

BRIDGE = 0.15
"""Seconds between two frames that a detector looked at, up to which the keypoints between them are interpolated for
drawing and for what asks which joints are in sight."""

_NEARBY, _OFTEN = 0.5, 0.3
"""A joint is in sight if it is seen in this share of the frames, within so many seconds before and after: it may be
hidden for 0.7 s. Detectors report feet outside the picture in a tenth of the frames."""

_FARTHEST = 10
"""Picture sizes from the origin beyond which a keypoint is a mistake, not a joint outside of the picture."""


@dataclass(frozen=True)
class Keypoints2D:
    """One person's 2D keypoints over time.

    Attributes:
        keypoints: pixels; NaN for unseen joints.
        scores: 0 to 1; 0 for unseen joints.
        timestamps: seconds, from the video, strictly increasing.
        skeleton: skeleton of `keypoints`.
        image_size: (width, height) in pixels.
        person: number of the person, from 1.
        sides_settled: whether a lift put exchanged left and right back; the next one leaves them.

    Raises:
        InputError: an array has another shape, a keypoint is infinite, a score is not from 0 to 1, the picture has no
            size, the person no number, or the timestamps do not increase or are not of one clip.

    Example:
        >>> from poselift.skeleton import COCO17
        >>> pixels, times = np.full((30, 17, 2), 100.0), np.arange(30) / 30
        >>> keypoints = Keypoints2D(pixels, np.ones((30, 17)), times, COCO17, image_size=(640, 480))
        >>> len(keypoints), len(keypoints[:10])
        (30, 10)
    """

    keypoints: Float[np.ndarray, "t j 2"]
    scores: Float[np.ndarray, "t j"]
    timestamps: Float[np.ndarray, " t"]
    skeleton: Skeleton
    image_size: tuple[int, int]
    person: int = 1
    sides_settled: bool = False

    def __post_init__(self) -> None:
        """Checks the values. Wrong ones give a wrong motion or an error deep inside."""
        frames, joints = count_rows(self.timestamps), count_joints(self.skeleton)
        check_shapes(
            self,
            f"{frames} frames of {self.skeleton.name}",
            timestamps=(frames,),
            keypoints=(frames, joints, 2),
            scores=(frames, joints),
        )
        check_scores("scores", self.scores)
        refuse_infinity("keypoints", self.keypoints)
        object.__setattr__(self, "image_size", check_image_size(self.image_size))
        if (person := whole_number(real_number(self.person), 1, MOST_PEOPLE)) is None:
            raise InputError(f"person is {self.person!r:.40}; give a whole number from 1 to {MOST_PEOPLE:,}")
        object.__setattr__(self, "person", person)
        check_times(self.timestamps)

    @classmethod
    def from_frames(
        cls,
        frames: Sequence[int],
        keypoints: Sequence[Float[np.ndarray, "j 2"]],
        scores: Sequence[Float[np.ndarray, " j"]],
        timestamps: Float[np.ndarray, " t"],
        skeleton: Skeleton,
        image_size: tuple[int, int],
        person: int,
    ) -> "Keypoints2D":
        """Keypoints of all frames between the first and last given.

        Frames without any are NaN with score 0.

        Args:
            frames: increasing indices of frames of the clip, at least one.
            keypoints: pixels in each of these frames.
            scores: likewise.
            timestamps: of all frames of the clip, seconds.
            skeleton: skeleton of `keypoints`.
            image_size: (width, height) in pixels.
            person: number of the person.
        """
        first, end = frames[0], frames[-1] + 1
        rows = np.array(frames) - first
        all_keypoints = np.full((end - first, len(skeleton), 2), np.nan)
        all_scores = np.zeros(all_keypoints.shape[:2])
        all_keypoints[rows], all_scores[rows] = keypoints, scores
        return cls(all_keypoints, all_scores, timestamps[first:end], skeleton, image_size, person)

    def __len__(self) -> int:
        return len(self.timestamps)

    def __getitem__(self, frames: slice) -> "Keypoints2D":
        """The keypoints of some frames."""
        parts = {name: getattr(self, name)[frames] for name in ("keypoints", "scores", "timestamps")}
        return replace(self, **parts)

    def mirror(self) -> "Keypoints2D":
        """The keypoints as in the mirrored picture."""
        points = mirror_points(self.keypoints, self.skeleton, self.image_size[0])
        scores = self.scores[:, list(self.skeleton.flip_indices)]
        return replace_unchecked(self, keypoints=points, scores=scores)

    @property
    def seen(self) -> Bool[np.ndarray, " t"]:
        """Frames with at least one seen joint."""
        return np.isfinite(self.keypoints).all(-1).any(-1)

    def used(self, threshold: float) -> Bool[np.ndarray, "t j"]:
        """Whether each joint is seen, well scored and near the picture."""
        # Also False for NaN.
        near = (np.abs(self.keypoints) <= _FARTHEST * max(self.image_size)).all(-1)
        return near & (self.scores >= threshold) & (self.scores > 0)

    def in_sight(self, threshold: float = THRESHOLD, *, of_found: bool = True) -> Bool[np.ndarray, "t j"]:
        """Joints that are used often enough around each frame.

        Args:
            threshold: keypoints with a lower score count as unseen.
            of_found: whether the share is that of the frames in which the person was found, or of all frames.
        """
        bridged, times = self.bridge(), self.timestamps
        low, high = (np.searchsorted(times, times + away) for away in (-_NEARBY - 1e-6, _NEARBY + 1e-6))

        def around(flags: np.ndarray) -> np.ndarray:
            total = np.pad(np.cumsum(flags.astype(int), axis=0), ((1, 0), (0, 0)))
            counted: np.ndarray = total[high] - total[low]
            return counted

        count = around(bridged.seen[:, None] if of_found else np.ones((len(times), 1)))
        often: np.ndarray = (around(bridged.used(threshold)) >= _OFTEN * count) & (count > 0)
        return often

    def bridge(self) -> "Keypoints2D":
        """The keypoints, interpolated over gaps of `BRIDGE` seconds or less.

        The detector did not look there. For drawing, and for what asks whether a joint is in sight; the lifter takes
        the keypoints as they are. The scores are the lower ones of the two frames around; a joint that is missing in
        one of them stays missing.
        """
        rows = np.flatnonzero(self.seen)
        gaps = np.flatnonzero((np.diff(rows) > 1) & (np.diff(self.timestamps[rows]) <= BRIDGE))
        keypoints, scores = self.keypoints.copy(), self.scores.copy()
        for before, after in zip(rows[gaps], rows[gaps + 1], strict=True):
            between, ends = slice(before + 1, after), [before, after]
            keypoints[between] = interpolate(keypoints[ends], self.timestamps[ends], self.timestamps[between])
            scores[between] = np.minimum(scores[before], scores[after])
        return replace_unchecked(self, keypoints=keypoints, scores=scores)
