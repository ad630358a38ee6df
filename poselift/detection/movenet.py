"""MoveNet, the detector that poselift brings along."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.detection.duplicates import join_passes, without_duplicates
from poselift.detection.outside import without_outside
from poselift.detection.session import open_session
from poselift.detection.square import Square
from poselift.skeleton import COCO17
from poselift.structures import Detections

_FOLDER = Path(__file__).parents[1] / "weights" / "movenet"
_MULTIPOSE = "movenet_multipose.onnx"
_THUNDER = "movenet_thunder.onnx"
_SHA256 = {
    _MULTIPOSE: "5b8144b9bfd5cae3b56abf8ea985dd060992374374860530269f7e658a2f9f1f",
    _THUNDER: "834d5f95e7dfea00141a746442051227a17cef5cc4aac18089a245038efa39d9",
}
_COARSE, _FINE = 256, 768
"""Longer side of the picture that MultiPose is given, in pixels."""
_STRIDE = 32
_THUNDER_SIZE = 256
_MARGIN = 1.2
"""Side of Thunder's square over the longer side of the joints' bounding box. Around the joints, tight squares gave
higher scores and steadier joints than squares around MultiPose's boxes (1.1 to 1.4) or wider ones."""
_MIN_BOX_SCORE = 0.2
"""What is no person scores up to 0.15 in the fine pass, people mostly above 0.3."""
_OFFSET = -0.25
"""From a network coordinate (share x size) to pixel centres. Measured: a joint and its mirror image lie at
coordinates that sum to size - 0.5 (255.4 to 255.5 of 256, 511.3 of 512, 767.5 of 768), where whole-number pixel
centres would sum to size - 1."""


class MoveNet:
    """Google's MoveNet: MultiPose finds the people, Thunder then looks at each one again from close by.

    MultiPose knows people of about a quarter of its picture to all of it, so it is given the picture twice:
    with a longer side of 256 for the people who are large, and of 768 for those who are far. On a clip of
    1768 x 994 with two people 400 pixels high, one of them backlit, the share of people found in the frames
    in which they can be seen was 0.51 and 0.98 at 256, 0.76 and 0.98 at 512, 0.94 and 1.00 at 768. 512 or
    768 alone breaks people who fill the picture into pieces. MultiPose finds six people at most in each pass.

    Thunder's answer is taken unless it is clearly of less worth than MultiPose's own: its mean score is less
    than half, or it shows somebody else, as happens when two people cross.

    A joint outside the picture is not seen: NaN with score 0. All others are given with MoveNet's own scores,
    low ones too; where to draw the line is for what comes after.

    Source: https://www.tensorflow.org/hub/tutorials/movenet and the model cards linked there.

    Args:
        device: "cpu", "cuda", or "auto": CUDA where onnxruntime offers it, else the CPU.
        fast: one pass of MultiPose at 256 and no Thunder: several times faster, for people who are at least a
            third of the picture's longer side in height.

    Raises:
        InputError: the weights are missing or damaged, or the device cannot be used.
    """

    skeleton = COCO17

    def __init__(self, device: str = "auto", fast: bool = False) -> None:
        self.name = "movenet-fast" if fast else "movenet"
        files = (_MULTIPOSE,) if fast else (_MULTIPOSE, _THUNDER)
        self.weights = {file: _SHA256[file] for file in files}
        sessions = [open_session(_FOLDER / file, _SHA256[file], device) for file in files]
        self._multipose = sessions[0]
        self._thunder = None if fast else sessions[1]

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame; see `poselift.detection.Detector`."""
        return [self._detect_one(frame) for frame in frames]

    def _detect_one(self, frame: UInt8[np.ndarray, "h w 3"]) -> Detections:
        height, width = frame.shape[:2]
        poses, boxes, box_scores = self._find(frame, _COARSE)
        if self._thunder is not None:
            fine = self._find(frame, _FINE)
            keep_coarse, keep_fine = join_passes(boxes, fine[1], max(height, width))
            poses = np.concatenate([poses[keep_coarse], fine[0][keep_fine]])
            boxes = np.concatenate([boxes[keep_coarse], fine[1][keep_fine]])
            box_scores = np.concatenate([box_scores[keep_coarse], fine[2][keep_fine]])
            for person, box in enumerate(boxes):
                poses[person] = better_pose(poses[person], self._refine(frame, poses[person]), box)
        kept = without_duplicates(poses[..., :2], boxes, box_scores)
        poses, boxes, box_scores = poses[kept], boxes[kept], box_scores[kept]
        keypoints, scores = without_outside(poses[..., :2], poses[..., 2], frame.shape)
        return Detections(boxes, box_scores, keypoints, scores, self.skeleton)

    def _find(
        self, frame: UInt8[np.ndarray, "h w 3"], longer_side: int
    ) -> tuple[Float[np.ndarray, "n 17 3"], Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        """MultiPose on the whole frame: poses (x, y, score), boxes and their scores, in pixels of the frame."""
        height, width = frame.shape[:2]
        scale = longer_side / max(height, width)
        columns, rows = max(1, round(width * scale)), max(1, round(height * scale))
        small = cv2.resize(frame, (columns, rows), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        # The network takes multiples of its stride: black is added below and to the right.
        padded = np.zeros((-(-rows // _STRIDE) * _STRIDE, -(-columns // _STRIDE) * _STRIDE, 3), np.int32)
        padded[:rows, :columns] = small
        people = self._multipose.run(None, {"input": padded[None]})[0][0].astype(np.float64)
        people = people[people[:, 55] >= _MIN_BOX_SCORE]
        size = np.array([padded.shape[1], padded.shape[0]])
        to_frame = np.array([width / columns, height / rows])
        poses = people[:, :51].reshape(-1, 17, 3)[..., [1, 0, 2]]
        poses[..., :2] = (poses[..., :2] * size + _OFFSET + 0.5) * to_frame - 0.5
        corners = people[:, 51:55].reshape(-1, 2, 2)[..., ::-1]
        corners = (corners * size + _OFFSET + 0.5) * to_frame - 0.5
        corners = np.clip(corners, 0, np.array([width - 1, height - 1]))
        return poses, corners.reshape(-1, 4), people[:, 55]

    def _refine(self, frame: UInt8[np.ndarray, "h w 3"], found: Float[np.ndarray, "17 3"]) -> Float[np.ndarray, "17 3"]:
        """Thunder on the square around one pose: x, y, score, in pixels of the frame."""
        assert self._thunder is not None
        joints = found[:, :2]
        square = Square.around(np.concatenate([joints.min(0), joints.max(0)]), _MARGIN)
        picture = square.cut(frame, _THUNDER_SIZE).astype(np.int32)
        pose = self._thunder.run(None, {"input:0": picture[None]})[0][0, 0].astype(np.float64)
        points = square.to_picture(pose[:, [1, 0]] * _THUNDER_SIZE + _OFFSET, _THUNDER_SIZE)
        return np.concatenate([points, pose[:, 2:]], axis=-1)


def better_pose(
    found: Float[np.ndarray, "17 3"], refined: Float[np.ndarray, "17 3"], box: Float[np.ndarray, "4"]
) -> Float[np.ndarray, "17 3"]:
    """The refined pose, or the one that was found first where refining has gone wrong.

    Args:
        found: MultiPose's x, y, score.
        refined: Thunder's.
        box: the person's box, of which the longer side is the scale.
    """
    collapsed = refined[:, 2].mean() < 0.5 * found[:, 2].mean()
    distance = np.median(np.linalg.norm(refined[:, :2] - found[:, :2], axis=-1))
    elsewhere = distance > 0.25 * (box[2:] - box[:2]).max()
    return found if collapsed or elsewhere else refined
