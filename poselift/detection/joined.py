"""MoveNet and BlazePose as one detector. MoveNet finds the people, and BlazePose looks at each of them once more."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import UInt8

from poselift.core.unchecked import replace_unchecked
from poselift.detection.blazepose import BlazePose
from poselift.detection.joining import compare, join
from poselift.detection.movenet import MoveNet
from poselift.detection.outside import hide_outside
from poselift.skeleton import COCO17, COCO_WHOLEBODY23
from poselift.structures import Detections


class MoveNetBlazePose:
    """MoveNet's people, joined with BlazePose's joints.

    Heels and big toes are among them. In a video, BlazePose looks at every few frames only:
    `poselift.finding.second_model` decides at which.

    Args:
        device: as in `poselift.detection.MoveNet`.

    Attributes:
        first: finds the people and their joints.
        second: looks at those whom the first one has found.

    Raises:
        InputError: weights are missing or damaged, or the device cannot be used.
    """

    name = "movenet-blazepose"
    skeleton = COCO_WHOLEBODY23

    def __init__(self, device: str = "auto") -> None:
        self.first, self.second = MoveNet(device), BlazePose(device)
        self.weights = self.first.weights | self.second.weights

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame; see `poselift.detection.Detector`."""
        return [self._join(frame, found) for frame, found in zip(frames, self.first.detect(frames), strict=True)]

    def _join(self, frame: UInt8[np.ndarray, "h w 3"], found: Detections) -> Detections:
        joined = []
        for points, scores in zip(found.keypoints, found.scores, strict=True):
            again = self.second.look_at(frame, points, scores)
            joined.append(join(points, scores, compare(points, scores, again.keypoints[0], again.scores[0])))
        return join_rows(found, joined, frame.shape)


def join_rows(found: Detections, joined: Sequence[tuple[np.ndarray, np.ndarray]], picture: Sequence[int]) -> Detections:
    """The people with the joints of both models.

    Args:
        found: by the first model.
        joined: keypoints and scores of each.
        picture: shape of the picture, (rows, columns, ...).
    """
    joints = len(COCO_WHOLEBODY23)
    keypoints = np.array([points for points, _ in joined]).reshape(-1, joints, 2)
    scores = np.array([own for _, own in joined]).reshape(-1, joints)
    keypoints, scores = hide_outside(keypoints, scores, tuple(picture))
    return replace_unchecked(found, keypoints=keypoints, scores=scores, skeleton=COCO_WHOLEBODY23)


def first_joints(found: Detections) -> Detections:
    """The second model's people with the first one's joints."""
    count = len(COCO17)
    return replace_unchecked(
        found, keypoints=found.keypoints[:, :count], scores=found.scores[:, :count], skeleton=COCO17
    )
