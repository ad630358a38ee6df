"""MoveNet MultiPose: finds the people in a picture."""

import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.registry import published
from poselift.detection.crop import Crop
from poselift.detection.duplicates import join_passes, pose_nms
from poselift.detection.session import open_session

OFFSET = -0.25
"""Offset from MoveNet's coordinates (share x size) to pixel centres. Measured: coordinates of a joint and its mirror
image add up to size - 0.5 (255.4 to 255.5 of 256, 511.3 of 512, 767.5 of 768); pixel centres add up to size - 1."""

_COARSE, _FINE = 256, 768
"""Longer sides of the two inputs, pixels."""
_STRIDE = 32
"""The network takes sides that are multiples of this."""
_MIN_BOX_SCORE = 0.2
"""False detections score up to 0.15 in the fine pass, people mostly above 0.3."""


class MultiPose:
    """Google's MoveNet MultiPose: boxes and joints of the people in a whole picture.

    The network finds people who are about a quarter to all of its input in height. So it runs twice: with a longer side
    of 256 for large people, and of 768 for distant ones. On a clip of 1768 x 994 with two people 400 pixels high, one
    of them backlit, it found the two in these shares of their frames: 0.51 and 0.98 at 256, 0.76 and 0.98 at 512, 0.94
    and 1.00 at 768. At 512 or 768 alone, people who fill the picture break into pieces. Each pass finds at most six.

    Args:
        device: "cpu", "cuda", or "auto" for CUDA if onnxruntime offers it.

    Raises:
        InputError: the weights are missing or damaged, or the device cannot be used.
    """

    def __init__(self, device: str = "auto") -> None:
        network = published("movenet_multipose")
        self.weights = {network.path.name: network.sha256}
        self._session = open_session(network.get(), device, threads=1)

    def people(self, frame: UInt8[np.ndarray, "_ _ 3"]) -> tuple[Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        """Boxes of the people in a frame, in pixels, and their scores."""
        poses, boxes, scores = self.find(frame)
        kept = pose_nms(poses[..., :2], poses[..., 2], boxes, scores)
        return boxes[kept], scores[kept]

    def find(
        self, frame: UInt8[np.ndarray, "_ _ 3"], fine: bool = True
    ) -> tuple[Float[np.ndarray, "n 17 3"], Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        """Poses (x, y, score), boxes and box scores, in pixels of the frame; duplicates are possible.

        Args:
            frame: RGB.
            fine: both passes; without it the coarse one alone, a ninth of the cost, for people whose height is at least
                a third of the longer side of the picture.
        """
        coarse = self._find(frame, _COARSE)
        if not fine:
            return coarse
        small = self._find(frame, _FINE)
        keep_coarse, keep_fine = join_passes(coarse[1], small[1], max(frame.shape[:2]))
        poses, boxes, scores = (
            np.concatenate([one[keep_coarse], other[keep_fine]]) for one, other in zip(coarse, small, strict=True)
        )
        return poses, boxes, scores

    def _find(
        self, frame: UInt8[np.ndarray, "h w 3"], longer_side: int
    ) -> tuple[Float[np.ndarray, "n 17 3"], Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        crop = Crop.whole(frame, (longer_side, longer_side), multiple=_STRIDE)
        people = self._session.run(None, {"input": crop.image[None].astype(np.int32)})[0][0].astype(np.float64)
        people = people[people[:, 55] >= _MIN_BOX_SCORE]
        rows, columns = crop.image.shape[:2]
        poses = people[:, :51].reshape(-1, 17, 3)[..., [1, 0, 2]]
        poses[..., :2] = crop.to_picture(poses[..., :2] * (columns, rows) + OFFSET)
        corners = crop.to_picture(people[:, 51:55].reshape(-1, 2, 2)[..., ::-1] * (columns, rows) + OFFSET)
        height, width = frame.shape[:2]
        corners = np.clip(corners, 0, (width - 1, height - 1))
        return poses, corners.reshape(-1, 4), people[:, 55]
