"""Person detection with an ONNX file of RTMDet or YOLOX."""

from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.detection.crop import Crop
from poselift.detection.network import IMAGENET_MEAN, IMAGENET_STD, Network

_NORMALISATIONS = {
    "rtmdet": (IMAGENET_MEAN[::-1], IMAGENET_STD[::-1]),
    "yolox": ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
}
"""Mean and standard deviation of BGR, from the configs of mmdet 3.3.0."""
_GREY = 114
"""Grey value of the padding, from the same configs."""
_PERSON = 0
"""Class index of people, in COCO and in models of people alone."""
_MIN_SCORE = 0.3
"""The threshold of mmpose's own demos."""


class PersonModel:
    """RTMDet or YOLOX as exported by mmdeploy.

    The file has the non-maximum suppression too. The outputs are `dets`, with x0, y0, x1, y1 and score of each box, and
    `labels`, with its class. The two families normalise pictures differently, and only the name tells which one it is:
    that of the file, or of one of the two folders above it, as in OpenMMLab's downloads.

    Args:
        path: the ONNX file.
        device: "cpu", "cuda", or "auto" for CUDA if onnxruntime offers it.

    Raises:
        InputError: the file is missing or is another kind of model, its name does not contain the family, or the device
            cannot be used.
    """

    def __init__(self, path: Path, device: str = "auto") -> None:
        parts = path.absolute().parts[-3:]
        families = [name for name in _NORMALISATIONS if any(name in part.lower() for part in parts)]
        if path.is_file() and len(families) != 1:
            raise InputError(
                f"person model {path}: the family is unknown; name the file or its folder after it, rtmdet or yolox"
            )
        self._network = Network(path, device, ("dets", "labels"))
        self._mean, self._std = _NORMALISATIONS[families[0]]
        self.weights = {path.name: sha256(path)}
        self.people(np.zeros((8, 8, 3), np.uint8))  # checks the outputs at once

    def people(self, frame: UInt8[np.ndarray, "h w 3"]) -> tuple[Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
        """Boxes of the people in a frame, in pixels, and their scores.

        Raises:
            InputError: the model's outputs are not boxes and classes.
        """
        height, width = frame.shape[:2]
        crop = Crop.whole(frame, self._network.size, fill=_GREY, shrink=cv2.INTER_LINEAR)
        boxes, labels = self._network.run([crop.image[..., ::-1]], self._mean, self._std)
        if boxes.ndim != 3 or boxes.shape[-1] != 5 or labels.shape != boxes.shape[:-1]:
            raise InputError(
                f"person model {self._network.path}: dets {boxes.shape} and labels {labels.shape} are not (1, boxes, "
                "5) and (1, boxes); export it with mmdeploy"
            )
        found = boxes[0].astype(np.float64)
        # Boxes are edges of pixels, not centres: they have no offset.
        corners = found[:, :4].reshape(-1, 2, 2) * crop.scale
        corners = np.clip(corners, 0, (width - 1, height - 1))
        there = (labels[0] == _PERSON) & (found[:, 4] >= _MIN_SCORE) & (corners[:, 1] - corners[:, 0] >= 1).all(-1)
        return corners[there].reshape(-1, 4), found[there, 4]
