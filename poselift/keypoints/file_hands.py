"""Hands in files of keypoints: 21 joints each, beside their body's joints."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.skeleton.hand import HAND21, HANDS, SIDES
from poselift.structures import Hands, Keypoints2D
from poselift.structures.detections import mirror_points

_FIRST = {133: 91, 136: 94}
"""Index of the left hand by number of joints, of COCO-WholeBody and Halpe-136; the right one follows."""
_JOINTS = len(HAND21)
_SOON = 1e-4
"""Seconds by which the times of a frame may differ."""


@dataclass(frozen=True)
class FileHands:
    """The left and the right hand of a person in one frame.

    Attributes:
        points: x and y, in the units of the body's; NaN for a hand that the file does not have.
        scores: of each joint; 0 likewise.
        joints: metres, x right, y down, z forward for a hand in the middle of the picture, from any point; NaN where
            the file has the hand in 2D only.
    """

    points: Float[np.ndarray, "2 21 2"]
    scores: Float[np.ndarray, "2 21"]
    joints: Float[np.ndarray, "2 21 3"]

    def __post_init__(self) -> None:
        """Checks the shapes, which come from files."""
        for name, (array, size) in {"points": (self.points, 2), "joints": (self.joints, 3)}.items():
            if array.shape != (2, _JOINTS, size):
                raise InputError(f"{name} of hands have the shape {array.shape}; give (2, {_JOINTS}, {size})")

    def mirror(self, width: int) -> "FileHands":
        """The hands as in the mirrored picture, of this width in pixels."""
        points = mirror_points(self.points.reshape(-1, 2), HANDS, width).reshape(self.points.shape)
        return FileHands(points, self.scores[::-1], self.joints[::-1] * [-1.0, 1.0, 1.0])


def make_hands(
    left: Float[np.ndarray, "_ 3"] | None,
    right: Float[np.ndarray, "_ 3"] | None,
    joints: Sequence[Float[np.ndarray, "_ 3"] | None] = (None, None),
) -> FileHands | None:
    """A person's hands from joints' x, y and score, or None.

    Args:
        left: None, or of score 0, if the file does not have it.
        right: likewise.
        joints: of both, metres; None for 2D only.

    Raises:
        InputError: a hand has not 21 joints.
    """
    points, scores = np.full((2, _JOINTS, 2), np.nan), np.zeros((2, _JOINTS))
    metres = np.full((2, _JOINTS, 3), np.nan)
    for row, (side, values, metric) in enumerate(zip(SIDES, (left, right), joints, strict=True)):
        if values is None or not (values[:, 2] > 0).any():
            continue
        if len(values) != _JOINTS or (metric is not None and len(metric) != _JOINTS):
            raise InputError(f"a {side} hand has {len(values)} joints; give {_JOINTS}")
        seen = values[:, 2] > 0
        points[row, seen], scores[row] = values[seen, :2], np.clip(values[:, 2], 0, 1)
        if metric is not None:
            metres[row] = metric
    return FileHands(points, scores, metres) if scores.any() else None


def hands_of_whole_body(points: Float[np.ndarray, "n 3"]) -> FileHands | None:
    """The hands within COCO-WholeBody's 133 joints or Halpe's 136.

    Other skeletons have none.

    Args:
        points: x, y and score of all joints.
    """
    first = _FIRST.get(len(points))
    if first is None:
        return None
    points = np.nan_to_num(points)
    return make_hands(points[first : first + _JOINTS], points[first + _JOINTS : first + 2 * _JOINTS])


def hands_at(timestamps: Float[np.ndarray, " n"], known: Float[np.ndarray, " t"], hands: Hands) -> Hands:
    """Hands of the frames at some times; unseen ones elsewhere.

    Args:
        timestamps: wanted, seconds.
        known: of the hands, increasing.
        hands: of a person.
    """
    rows = np.searchsorted(known, timestamps - _SOON).clip(max=len(known) - 1)
    there = np.abs(known[rows] - timestamps) <= _SOON
    taken = hands[rows]
    taken.keypoints[~there], taken.joints[~there], taken.scores[~there] = np.nan, np.nan, 0.0
    return taken


def follow_hands(
    track: Keypoints2D, frames: dict[float, list[tuple[Float[np.ndarray, "j 2"], FileHands]]]
) -> Hands | None:
    """A tracked person's hands, by the body's keypoints, or None.

    Args:
        track: the person.
        frames: keypoints and hands of the people in each frame, pixels, by its time.
    """
    shape = len(track), 2, _JOINTS
    points, joints, scores = np.full((*shape, 2), np.nan), np.full((*shape, 3), np.nan), np.zeros(shape[:2])
    for row, time in enumerate(track.timestamps.tolist()):
        for keypoints, own in frames.get(time, []):
            if np.array_equal(keypoints, track.keypoints[row], equal_nan=True):
                points[row], scores[row] = own.points, own.scores.mean(-1)
                joints[row] = own.joints - own.joints[:, :1]
    if not scores.any():
        return None
    return Hands(points, np.where((scores > 0)[..., None, None], joints, np.nan), scores)
