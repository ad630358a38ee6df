"""The hands of one person over time."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.core.array_checks import check_shapes, count_rows
from poselift.core.errors import InputError
from poselift.core.unchecked import replace_unchecked
from poselift.numerics.curves import interpolate_spline
from poselift.skeleton.hand import HAND21, SIDES

JUMP = 0.5
"""Largest distance of a hand's joints from both neighbours in time, from the wrist, as a share of the hand: others are
another thing that looks like a hand."""
_NEAR = 0.2
"""Seconds within which two detections of a hand are neighbours; a shorter gap is interpolated."""
_FASTEST = np.radians(1400.0)
"""Fastest turn of a palm, radians a second: faster ones are the model's, which takes a fist's back for its palm."""
_AT_ONCE = 256
"""Frames that are smoothed at once."""
_INDEX, _PINKY = HAND21.index("index_mcp"), HAND21.index("pinky_mcp")
_LEAST = 3
"""Detections in a row that a hand needs."""
_SMOOTHING = 0.05
"""Standard deviation of the mean over time, seconds: 6 Hz are weakened by a half."""


@dataclass(frozen=True, eq=False)
class Hands:
    """Both hands of a person, in each frame of the motion.

    Attributes:
        keypoints: joints of the left and the right hand (`poselift.skeleton.hand.HAND21`), pixels; NaN where no hand
            is seen.
        joints: the same, metres from the wrist, in the axes of the motion; NaN likewise.
        scores: how sure each hand is, 0 to 1; 0 where none is seen (docs/video.md has what is in it).

    Raises:
        InputError: an array has another shape, or a score is not from 0 to 1.
    """

    keypoints: Float[np.ndarray, "t 2 21 2"]
    joints: Float[np.ndarray, "t 2 21 3"]
    scores: Float[np.ndarray, "t 2"]

    def __post_init__(self) -> None:
        frames, count = count_rows(self.joints), len(HAND21)
        check_shapes(
            self,
            f"{frames} frames of two hands",
            keypoints=(frames, 2, count, 2),
            joints=(frames, 2, count, 3),
            scores=(frames, 2),
        )
        if not ((self.scores >= 0) & (self.scores <= 1)).all():
            raise InputError("the score of a hand is not from 0 to 1; give 0 where no hand is seen")

    def __len__(self) -> int:
        return len(self.joints)

    def __getitem__(self, frames: slice | Int[np.ndarray, " n"]) -> "Hands":
        """The hands of some frames."""
        return Hands(self.keypoints[frames], self.joints[frames], self.scores[frames])

    @property
    def seen(self) -> Bool[np.ndarray, "t 2"]:
        """Frames with a left and with a right hand in 3D."""
        return np.isfinite(self.joints).all((2, 3))

    @property
    def in_3d(self) -> bool:
        """Whether any hand is seen in 3D. A file of keypoints may have hands in 2D only."""
        return bool(self.seen.any())

    def turn(self, R: Float[np.ndarray, "*turn 3 3"]) -> "Hands":
        """The same hands in other axes.

        Args:
            R: from the axes that they have to the others; one for each frame if these turn.
        """
        back = R.swapaxes(-1, -2)
        turned = self.joints @ (back[:, None] if R.ndim == 3 else back)
        return replace_unchecked(self, joints=turned.astype(self.joints.dtype))

    def steady(self, timestamps: Float[np.ndarray, " t"]) -> "Hands":
        """The hands smoothed over time, with outliers removed.

        An outlier fits to no observation before or after; short gaps are closed. Where a palm turns faster than hands
        do, the shorter one of the spans before and after is left out, as far as the turn needs time. Scores become less
        by how far a detection is from the nearer one of those before and after.

        Args:
            timestamps: of the frames, seconds.
        """
        keypoints, joints, scores = self.keypoints.copy(), self.joints.copy(), self.scores.copy()
        for side in range(len(SIDES)):
            agreement = _agreement(self.joints[:, side], timestamps)
            kept = _without_flips(self.joints[:, side], agreement > 0, timestamps)
            scores[:, side] *= agreement
            keypoints[~kept, side], joints[~kept, side], scores[~kept, side] = np.nan, np.nan, 0.0
            for run in _runs(self.joints[:, side], kept, timestamps):
                between = np.arange(run[0], run[-1] + 1)
                times = timestamps[between]
                for values in (keypoints, joints):
                    known = values[run, side].reshape(len(run), -1)
                    filled = interpolate_spline(timestamps[run], known, times)
                    smooth = _mean_over_time(filled, times)
                    values[between, side] = smooth.reshape(len(between), *values.shape[2:])
                scores[between, side] = np.interp(times, timestamps[run], scores[run, side])
        return replace_unchecked(self, keypoints=keypoints, joints=joints, scores=scores)


def _agreement(joints: Float[np.ndarray, "t 21 3"], times: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
    """How well each observation of a hand fits its neighbours in time. 1 for the same, 0 for `JUMP` and short runs."""
    rows = np.flatnonzero(np.isfinite(joints).all((1, 2)))
    agreement = np.zeros(len(times))
    if len(rows) < 2:
        return agreement
    apart = _apart(joints[rows], times[rows])
    nearer = np.minimum(np.append(np.inf, apart), np.append(apart, np.inf))
    for group in np.split(rows, np.flatnonzero(np.isinf(apart)) + 1):
        if len(group) >= _LEAST:
            # A detection that fits barely is kept.
            agreement[group] = np.maximum(1 - nearer[np.searchsorted(rows, group)] / JUMP, 1e-3)
    return agreement


def _apart(joints: Float[np.ndarray, "n 21 3"], times: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
    """Distance between successive observations of a hand, in hand sizes. Infinite where they do not fit."""
    return np.where(np.diff(times) <= _NEAR, measure_changes(joints), np.inf)


def measure_changes(joints: Float[np.ndarray, "n 21 3"]) -> Float[np.ndarray, " m"]:
    """Change of a hand between successive detections, in hand sizes.

    Infinite where it is more than `JUMP`, or the palm turned over: the model took its back for its palm.
    """
    sizes = np.linalg.norm(joints, axis=-1).max(-1)
    apart: np.ndarray = np.linalg.norm(np.diff(joints, axis=0), axis=-1).max(-1) / np.maximum(sizes[1:], 1e-6)
    palms = np.cross(joints[:, _INDEX], joints[:, _PINKY])
    turned = (palms[1:] * palms[:-1]).sum(-1) < 0
    return np.where((apart <= JUMP) & ~turned, apart, np.inf)


def _runs(
    joints: Float[np.ndarray, "t 21 3"], kept: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"]
) -> list[np.ndarray]:
    """The kept frames in runs without jumps and long gaps."""
    rows = np.flatnonzero(kept)
    if not len(rows):
        return []
    return np.split(rows, np.flatnonzero(np.isinf(_apart(joints[rows], times[rows]))) + 1)


def _without_flips(
    joints: Float[np.ndarray, "t 21 3"], kept: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"]
) -> Bool[np.ndarray, " t"]:
    """The kept observations without sudden turns of the palm.

    Without those between which the palm turns faster than hands do.
    """
    kept, palms = kept.copy(), _palm_frames(joints)
    changed = True
    while changed:
        changed = False
        for before, after in pairwise(_runs(joints, kept, times)):
            if not kept[before[-1]]:  # it is no longer the neighbour
                continue
            needed = _angle_between(palms[before[-1]], palms[after[0]]) / _FASTEST
            if times[after[0]] - times[before[-1]] >= needed - 1e-6:
                continue
            shorter, end = (before, times[after[0]]) if len(before) < len(after) else (after, times[before[-1]])
            left = shorter[np.abs(times[shorter] - end) >= needed - 1e-6]
            kept[shorter] = False
            kept[left if len(left) >= _LEAST else []] = True
            changed = True
    return kept


def _palm_frames(joints: Float[np.ndarray, "*t 21 3"]) -> Float[np.ndarray, "*t 3 3"]:
    """Axes of a hand's palm, in columns.

    They go towards the fingers, across to the index finger, and along their normal.
    """
    along = (joints[..., _INDEX, :] + joints[..., _PINKY, :]) / 2 - joints[..., 0, :]
    normal = np.cross(along, joints[..., _INDEX, :] - joints[..., _PINKY, :])
    along, normal = (each / np.maximum(np.linalg.norm(each, axis=-1, keepdims=True), 1e-9) for each in (along, normal))
    frames: np.ndarray = np.stack([along, np.cross(normal, along), normal], -1)
    return frames


def _angle_between(one: Float[np.ndarray, "3 3"], other: Float[np.ndarray, "3 3"]) -> float:
    """Angle of the rotation from one to the other, radians."""
    return float(np.arccos(np.clip(((one * other).sum() - 1) / 2, -1, 1)))


def _mean_over_time(values: Float[np.ndarray, "t c"], times: Float[np.ndarray, " t"]) -> Float[np.ndarray, "t c"]:
    """Gaussian means over time, a few frames at once. All at once would need the square of their number."""
    smooth = np.empty_like(values)
    for start in range(0, len(times), _AT_ONCE):
        some = times[start : start + _AT_ONCE]
        first, end = np.searchsorted(times, [some[0] - 5 * _SMOOTHING, some[-1] + 5 * _SMOOTHING])
        weights = np.exp(-((some[:, None] - times[first:end]) ** 2) / (2 * _SMOOTHING**2))
        smooth[start : start + _AT_ONCE] = weights @ values[first:end] / weights.sum(1, keepdims=True)
    return smooth
