"""The people in one frame, as a detector gives them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from jaxtyping import Float

from poselift.core.array_checks import check_scores, check_shapes, count_rows, refuse_infinity
from poselift.core.errors import InputError
from poselift.core.unchecked import build_unchecked, replace_unchecked
from poselift.skeleton import Skeleton

_ARRAYS = ("boxes", "box_scores", "keypoints", "scores")


def count_joints(skeleton: object) -> int:
    """The number of joints, after checking that it is a skeleton."""
    if not isinstance(skeleton, Skeleton):
        raise InputError(f"skeleton is {skeleton!r:.60}; give a Skeleton, for example get_skeleton('coco17')")
    return len(skeleton)


def mirror_points(points: Float[np.ndarray, "*b j 2"], skeleton: Skeleton, width: int) -> Float[np.ndarray, "*b j 2"]:
    """Keypoints as in the mirrored picture.

    x is turned round, and left and right joints are exchanged.

    Args:
        points: pixels.
        skeleton: of the points.
        width: of the picture, pixels.
    """
    return points[..., list(skeleton.flip_indices), :] * np.array([-1.0, 1.0]) + np.array([width - 1.0, 0.0])


@dataclass(frozen=True)
class Detections:
    """The people in one frame; n = 0 for an empty frame.

    Attributes:
        boxes: x0, y0, x1, y1 in pixels.
        box_scores: confidence of each person, 0 to 1.
        keypoints: pixels; NaN for undetected joints.
        scores: confidence of each keypoint, 0 to 1; 0 for undetected joints.
        skeleton: the detector's skeleton.

    Raises:
        InputError: an array is missing or has another shape, a keypoint is infinite, a score is not from 0 to 1, or a
            box is no box.

    Example:
        >>> from poselift.skeleton import COCO17
        >>> empty = Detections(np.zeros((0, 4)), np.zeros(0), np.zeros((0, 17, 2)), np.zeros((0, 17)), COCO17)
        >>> len(empty)
        0
    """

    boxes: Float[np.ndarray, "n 4"]
    box_scores: Float[np.ndarray, " n"]
    keypoints: Float[np.ndarray, "n j 2"]
    scores: Float[np.ndarray, "n j"]
    skeleton: Skeleton

    def __post_init__(self) -> None:
        """Checks the values: they may come from a detector of somebody's own."""
        people, joints = count_rows(self.keypoints), count_joints(self.skeleton)
        check_shapes(
            self,
            f"{people} people of {self.skeleton.name}",
            keypoints=(people, joints, 2),
            boxes=(people, 4),
            box_scores=(people,),
            scores=(people, joints),
        )
        check_scores("box_scores", self.box_scores)
        check_scores("scores", self.scores)
        refuse_infinity("keypoints", self.keypoints)
        refuse_infinity("boxes", self.boxes)
        if not (self.boxes[:, :2] <= self.boxes[:, 2:]).all():
            raise InputError("a box has no size: give x0, y0, x1, y1 in pixels, with x0 <= x1 and y0 <= y1")

    def __len__(self) -> int:
        return len(self.boxes)

    def rows(self, rows: Sequence[int] | np.ndarray) -> "Detections":
        """Some of the people, by index."""
        chosen = np.asarray(rows, int)
        parts = {name: getattr(self, name)[chosen] for name in _ARRAYS}
        return build_unchecked(Detections, **parts, skeleton=self.skeleton)

    @classmethod
    def join(cls, parts: "Sequence[Detections]") -> "Detections":
        """The people of one or several detections of one skeleton."""
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        return build_unchecked(cls, **joined, skeleton=parts[0].skeleton)


_People = TypeVar("_People", bound=Detections)


def mirror_people(people: _People, width: int) -> _People:
    """The people as in the mirrored picture, of this width in pixels."""
    last, (x0, y0, x1, y1) = width - 1, people.boxes.T
    boxes = np.stack([last - x1, y0, last - x0, y1], -1)
    points = mirror_points(people.keypoints, people.skeleton, width)
    scores = people.scores[:, list(people.skeleton.flip_indices)]
    return replace_unchecked(people, boxes=boxes, keypoints=points, scores=scores)
