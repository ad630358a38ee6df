"""RTMPose from an exported ONNX file. The top-down network classifies the place of joints along each axis."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float, Float32, UInt8

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.detection.crop import Crop
from poselift.detection.duplicates import keep_each_once
from poselift.detection.multipose import MultiPose
from poselift.detection.network import IMAGENET_MEAN, IMAGENET_STD, Network
from poselift.detection.person_model import PersonModel
from poselift.skeleton import COCO17, COCO_WHOLEBODY23, HALPE26, Skeleton
from poselift.structures import Detections

_PADDING = 1.25
"""Factor by which a person's box is enlarged, as in all configs of RTMPose."""
_FRAMES = 8
"""Largest number of frames whose people go through the network together."""
_SKELETONS = {17: COCO17, 26: HALPE26, 133: COCO_WHOLEBODY23}
"""Skeleton by the model's number of joints. Whole-body models have faces and hands after it, which are ignored."""


class RTMPose:
    """RTMPose models of the user, exported by mmdeploy and run by onnxruntime.

    A model has one input, the crops of people, and the outputs `simcc_x` and `simcc_y`. The number of joints decides
    the skeleton, so models of animals with 17 joints are taken for people.

    Joints outside the picture, or without any response, are NaN with score 0. Scores are the network's raw responses,
    clipped to 0 to 1.

    Source: RTMPose, https://arxiv.org/abs/2303.07399; the crop and the normalisation are those of its configs in
    mmpose 1.3.2.

    Args:
        device: "cpu", "cuda", or "auto" for CUDA if onnxruntime offers it.
        model: the ONNX file.
        person_model: an ONNX file that finds the people (see `PersonModel`); MoveNet MultiPose if None.

    Raises:
        InputError: a file is missing or is another kind of model, or the device cannot be used.
    """

    name = "rtmpose"

    def __init__(self, device: str = "auto", model: str | None = None, person_model: str | None = None) -> None:
        if model is None:
            raise InputError("detector rtmpose needs an ONNX file of RTMPose; add --model FILE.onnx")
        self._network = Network(Path(model), device, ("simcc_x", "simcc_y"))
        self.skeleton = _skeleton(self._network)
        self._finder = MultiPose(device) if person_model is None else PersonModel(Path(person_model), device)
        self.weights = {Path(model).name: sha256(model)} | self._finder.weights

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame; see `poselift.detection.Detector`."""
        found: list[Detections] = []
        for start in range(0, len(frames), _FRAMES):
            some = frames[start : start + _FRAMES]
            people = [self._finder.people(frame) for frame in some]
            poses = self._find_joints(some, [boxes for boxes, _ in people])
            for frame, (boxes, box_scores), pose in zip(some, people, poses, strict=True):
                found.append(keep_each_once(frame, pose, boxes, box_scores, self.skeleton))
        return found

    def _find_joints(
        self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]], boxes: list[Float[np.ndarray, "_ 4"]]
    ) -> list[Float[np.ndarray, "_ j 3"]]:
        """Everybody's joints x, y and score in each frame, pixels."""
        crops = [
            Crop.top_down(frame, box, self._network.size, _PADDING)
            for frame, people in zip(frames, boxes, strict=True)
            for box in people
        ]
        found = np.zeros((len(crops), len(self.skeleton), 3))
        if crops:
            x, y = self._network.run([crop.image for crop in crops], IMAGENET_MEAN, IMAGENET_STD)
            count = len(self.skeleton)
            points, scores = decode_simcc(x[:, :count], y[:, :count], self._network.size)
            for person, crop in enumerate(crops):
                found[person, :, :2] = crop.to_picture(points[person])
            found[..., 2] = scores.clip(0, 1)
        return np.split(found, np.cumsum([len(people) for people in boxes])[:-1])


def _skeleton(network: Network) -> Skeleton:
    """A model's skeleton, found with a blank picture."""
    blank = np.zeros((network.size[1], network.size[0], 3), np.uint8)
    x, y = network.run([blank], IMAGENET_MEAN, IMAGENET_STD)
    if x.ndim != 3 or y.ndim != 3 or x.shape[:2] != y.shape[:2]:
        raise InputError(
            f"model {network.path}: simcc_x {x.shape} and simcc_y {y.shape} are not (people, joints, places); export "
            "it with mmdeploy"
        )
    if x.shape[1] not in _SKELETONS:
        raise InputError(
            f"model {network.path} gives {x.shape[1]} joints; use one of 17 (COCO), 26 (Halpe) or 133 (COCO-WholeBody)"
        )
    return _SKELETONS[x.shape[1]]


def decode_simcc(
    simcc_x: Float32[np.ndarray, "n j wx"], simcc_y: Float32[np.ndarray, "n j wy"], size: tuple[int, int]
) -> tuple[Float[np.ndarray, "n j 2"], Float[np.ndarray, "n j"]]:
    """Pixels and scores of joints from the responses along each axis.

    The place is the index of the largest response over the number of places per pixel (2 in RTMPose):
    x = argmax(simcc_x) / (wx / width), and likewise y. The score is the smaller of the two largest responses.

    Sources: SimCC, https://arxiv.org/abs/2107.03332; the score is that of mmpose's `get_simcc_maximum`.

    Args:
        simcc_x: responses from left to right.
        simcc_y: responses from top to bottom.
        size: (width, height) of the crop in pixels.
    """
    axes = (simcc_x, simcc_y)
    places = [axis.argmax(-1) * (length / axis.shape[-1]) for axis, length in zip(axes, size, strict=True)]
    return np.stack(places, axis=-1), np.minimum(simcc_x.max(-1), simcc_y.max(-1)).astype(np.float64)
