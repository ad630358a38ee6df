"""MoveNet MultiPose, which finds the people in a picture."""

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.registry import published
from poselift.detection.duplicates import join_passes, pose_nms
from poselift.detection.session import open_session

OFFSET = -0.25
"""From a coordinate of MoveNet's (share x size) to pixel centres. Measured: a joint and its mirror image lie at
coordinates that sum to size - 0.5 (255.4 to 255.5 of 256, 511.3 of 512, 767.5 of 768), where whole-number pixel
centres would sum to size - 1."""

_COARSE, _FINE = 256, 768
"""Longer side of the picture that MultiPose is given, in pixels."""
_STRIDE = 32
_MIN_BOX_SCORE = 0.2
"""What is no person scores up to 0.15 in the fine pass, people mostly above 0.3."""


class MultiPose:
    """Google's MoveNet MultiPose: people with boxes and joints in a whole picture.

    It knows people of about a quarter of its picture to all of it, so it is given the picture twice:
    with a longer side of 256 for the people who are large, and of 768 for those who are far. On a clip of
    1768 x 994 with two people 400 pixels high, one of them backlit, the share of people found in the frames
    in which they can be seen was 0.51 and 0.98 at 256, 0.76 and 0.98 at 512, 0.94 and 1.00 at 768. 512 or
    768 alone breaks people who fill the picture into pieces. It finds six people at most in each pass.

    Args:
        device: "cpu", "cuda", or "auto": CUDA where onnxruntime offers it, else the CPU.
        fast: one pass at 256, for people who are at least a third of the picture's longer side in height.

    Raises:
        InputError: the weights are missing or damaged, or the device cannot be used.
    """

    def __init__(self, device: str = "auto", fast: bool = False) -> None:
        network = published("movenet_multipose")
        self.weights = {network.path.name: network.sha256}
        self._session = open_session(network.get(), device)
        self._fast = fast

    def people(self, frame: UInt8[np.ndarray, "_ _ 3"]) -> tuple[Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        """Boxes of the people in a frame, in its pixels, and their scores."""
        poses, boxes, scores = self.find(frame)
        kept = pose_nms(poses[..., :2], poses[..., 2], boxes, scores)
        return boxes[kept], scores[kept]

    def find(
        self, frame: UInt8[np.ndarray, "_ _ 3"]
    ) -> tuple[Float[np.ndarray, "n 17 3"], Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        """Poses (x, y, score), boxes and their scores, in pixels of the frame; somebody may be among them twice."""
        coarse = self._find(frame, _COARSE)
        if self._fast:
            return coarse
        fine = self._find(frame, _FINE)
        keep_coarse, keep_fine = join_passes(coarse[1], fine[1], max(frame.shape[:2]))
        poses, boxes, scores = (
            np.concatenate([one[keep_coarse], other[keep_fine]]) for one, other in zip(coarse, fine, strict=True)
        )
        return poses, boxes, scores

    def _find(
        self, frame: UInt8[np.ndarray, "h w 3"], longer_side: int
    ) -> tuple[Float[np.ndarray, "n 17 3"], Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        height, width = frame.shape[:2]
        scale = longer_side / max(height, width)
        columns, rows = max(1, round(width * scale)), max(1, round(height * scale))
        small = cv2.resize(frame, (columns, rows), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        # The network takes multiples of its stride: black is added below and to the right.
        padded = np.zeros((-(-rows // _STRIDE) * _STRIDE, -(-columns // _STRIDE) * _STRIDE, 3), np.int32)
        padded[:rows, :columns] = small
        people = self._session.run(None, {"input": padded[None]})[0][0].astype(np.float64)
        people = people[people[:, 55] >= _MIN_BOX_SCORE]
        size = np.array([padded.shape[1], padded.shape[0]])
        to_frame = np.array([width / columns, height / rows])
        poses = people[:, :51].reshape(-1, 17, 3)[..., [1, 0, 2]]
        poses[..., :2] = (poses[..., :2] * size + OFFSET + 0.5) * to_frame - 0.5
        corners = people[:, 51:55].reshape(-1, 2, 2)[..., ::-1]
        corners = (corners * size + OFFSET + 0.5) * to_frame - 0.5
        corners = np.clip(corners, 0, np.array([width - 1, height - 1]))
        return poses, corners.reshape(-1, 4), people[:, 55]
