"""Difference of each pair's left and right joint, and their middle.

What tells of exchanged sides is read from them: an exchange turns the difference and keeps the middle. Where a detector
takes one person's joints for another's, the middle jumps too.
"""

from dataclasses import dataclass

import numpy as np
import numpy.ma  # before threads need it
from jaxtyping import Bool, Float, Int

from poselift.structures import Keypoints2D

LONGEST = 0.25
"""Seconds between two frames over which a difference is followed."""
_ACCELERATIONS = {"wrist": 40.0, "ankle": 40.0, "elbow": 20.0, "knee": 20.0}
"""Usual largest accelerations of the differences, body lengths per second squared: hands strike, trunks do not."""
ACCELERATION = 8.0
"""The same of all other joints, and of the middles."""
_TAIL = 3.0
"""Degrees of freedom of the errors' distribution (Student's t): detectors have outliers."""
MOST = 6.0
"""Largest evidence of one joint in one frame."""
STRANGE = 5.0
"""What a pair costs that became another person's: more than an exchange with the middle on its course."""
_SURE = 0.6
"""Score from which on a joint's evidence counts in full."""


@dataclass(frozen=True)
class SideDifferences:
    """The left joint of each pair from its right one.

    Only the frames in which any pair is seen count.

    Attributes:
        rows: the frames.
        apart: the differences, body lengths.
        middles: the middles of the pairs, body lengths.
        scores: 0 where unseen.
        times: of the rows, seconds.
        accelerations: usual largest ones of each difference, body lengths per second squared.
    """

    rows: Int[np.ndarray, " n"]
    apart: Float[np.ndarray, "n p 2"]
    middles: Float[np.ndarray, "n p 2"]
    scores: Float[np.ndarray, "n p"]
    times: Float[np.ndarray, " n"]
    accelerations: Float[np.ndarray, " p"]

    @property
    def stretches(self) -> Int[np.ndarray, " n"]:
        """The stretch of each row; a longer gap ends one."""
        return np.cumsum(np.diff(self.times, prepend=self.times[0]) > LONGEST)


def measure_differences(keypoints: Keypoints2D, joints: list[int], threshold: float) -> SideDifferences | None:
    """The differences of both sides, or None in less than three frames.

    Args:
        keypoints: of one person.
        joints: both sides of each pair.
        threshold: least score of a keypoint that counts.
    """
    skeleton, used = keypoints.skeleton, keypoints.used(threshold)
    left = [joint for joint in joints if skeleton.joints[joint].startswith("left_")]
    right = [skeleton.flip_indices[joint] for joint in left]
    seen = used[:, left] & used[:, right]
    rows = np.flatnonzero(seen.any(-1))
    if len(rows) < 3:
        return None
    scores = np.minimum(keypoints.scores[:, left], keypoints.scores[:, right]).clip(max=_SURE) / _SURE
    length = _body_length(keypoints.keypoints, used)
    lefts, rights = (
        np.where(seen[..., None], keypoints.keypoints[:, side], 0.0)[rows] / length for side in (left, right)
    )
    return SideDifferences(
        rows,
        lefts - rights,
        (lefts + rights) / 2,
        np.where(seen, scores, 0.0)[rows],
        keypoints.timestamps[rows],
        np.array([_ACCELERATIONS.get(skeleton.joints[joint].removeprefix("left_"), ACCELERATION) for joint in left]),
    )


def cost(squared: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
    """Negative logarithm of the likelihood of an error, against none.

    Args:
        squared: the error over what is usual, squared.
    """
    return np.asarray(0.5 * (_TAIL + 1) * np.log1p(squared / _TAIL))


def median_of_seen(values: Float[np.ndarray, "n p"], seen: Bool[np.ndarray, "n p"]) -> Float[np.ndarray, " p"]:
    """The median over frames of each pair; 0 where never seen."""
    return np.asarray(np.ma.median(np.ma.masked_array(values, ~seen), axis=0).filled(0.0))


def _body_length(pixels: Float[np.ndarray, "t j 2"], used: Bool[np.ndarray, "t j"]) -> float:
    """Longer side of the body's box, a median over frames, pixels."""
    rows = np.flatnonzero(used.sum(-1) > 3)
    sides = [np.ptp(pixels[row][used[row]], axis=0).max() for row in rows]
    return max(float(np.median(sides)), 1.0) if sides else 1.0
