"""People by an ONNX file of RTMDet's or YOLOX's."""

from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.detection.network import IMAGENET_MEAN, IMAGENET_STD, Network

_NORMALISATIONS = {
    "rtmdet": (IMAGENET_MEAN[::-1], IMAGENET_STD[::-1]),
    "yolox": ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
}
"""Mean and standard deviation of BGR, as the configs of mmdet 3.3.0 have them."""
_GREY = 114
"""Of what is added to a picture, likewise."""
_PERSON = 0
"""The class, in COCO's order and in models of people alone."""
_MIN_SCORE = 0.3
"""As in mmpose's own demos."""


class PersonModel:
    """RTMDet or YOLOX as mmdeploy exports them, with the suppression of double boxes in the file.

    The outputs are `dets`, for each box x0, y0, x1, y1 and score, and `labels`, the class. The two families take
    their pictures differently, which the file does not say: its name, or that of one of the two folders above it,
    has to, as those of OpenMMLab's downloads do.

    Args:
        path: the ONNX file.
        device: "cpu", "cuda", or "auto": CUDA where onnxruntime offers it, else the CPU.

    Raises:
        InputError: the file is missing or is no such model, its name does not tell the family, or the device cannot
            be used.
    """

    def __init__(self, path: Path, device: str = "auto") -> None:
        parts = path.absolute().parts[-3:]
        families = [name for name in _NORMALISATIONS if any(name in part.lower() for part in parts)]
        if path.is_file() and len(families) != 1:
            raise InputError(
                f"person model {path}: rtmdet or yolox? Rename the file or its folder so that one of the two is in it"
            )
        self._network = Network(path, device, ("dets", "labels"))
        self._mean, self._std = _NORMALISATIONS[families[0]]
        self.weights = {path.name: sha256(path)}
        self.people(np.zeros((8, 8, 3), np.uint8))  # what is wrong with the outputs shows now

    def people(self, frame: UInt8[np.ndarray, "h w 3"]) -> tuple[Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        """Boxes of the people in a frame, in its pixels, and their scores.

        Raises:
            InputError: the model's outputs are not boxes and classes.
        """
        height, width = frame.shape[:2]
        columns, rows = self._network.size
        scale = min(columns / width, rows / height)
        small = cv2.resize(frame, (max(1, int(width * scale + 0.5)), max(1, int(height * scale + 0.5))))
        padded = np.full((rows, columns, 3), _GREY, np.uint8)
        padded[: small.shape[0], : small.shape[1]] = small[..., ::-1]
        boxes, labels = self._network.run([padded], self._mean, self._std)
        if boxes.ndim != 3 or boxes.shape[-1] != 5 or labels.shape != boxes.shape[:-1]:
            raise InputError(
                f"person model {self._network.path}: dets {boxes.shape} and labels {labels.shape} are not (1, boxes, "
                "5) and (1, boxes)"
            )
        found = boxes[0].astype(np.float64)
        # Sides are rounded to pixels by themselves, so their scales differ by a little.
        corners = found[:, :4].reshape(-1, 2, 2) * (width / small.shape[1], height / small.shape[0])
        corners = np.clip(corners, 0, (width - 1, height - 1))
        there = (labels[0] == _PERSON) & (found[:, 4] >= _MIN_SCORE) & (corners[:, 1] - corners[:, 0] >= 1).all(-1)
        return corners[there].reshape(-1, 4), found[there, 4]
