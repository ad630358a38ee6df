"""MediaPipe's hand landmark model: 21 joints at a forearm's end. The forearm is known."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.registry import published
from poselift.detection.crop import Crop
from poselift.detection.orientation import box_along, rotation
from poselift.detection.session import Session
from poselift.skeleton.hand import HAND21

_SIZE = 224
_JOINTS = len(HAND21)
_AHEAD, _HALF = 0.35, 0.5
"""Middle of the first crop beyond the wrist, in forearms, and half its side, likewise."""
_FOREARM = 0.13
"""Least length of a forearm that points at the camera, as a share of the body."""
_AGAIN = 1.1
"""Half the side of the second crop over the longer side of the first crop's joints."""
_NEAR = 0.35
"""Largest distance of the hand's wrist from the body's, in forearms: farther ones are another hand."""
_LEAST = 24.0
"""Least side of a crop, pixels: smaller hands have no fingers to be seen."""
_PRESENT, _MAYBE = 0.5, 0.1
"""Least probability of a hand, and the least of a first crop that is worth a second one."""
_MIDDLE = HAND21.index("middle_mcp")
_FLAT = 0.35
"""Largest mean distance of the metric joints, seen from the front, from those in the picture, in hands: they agree."""


@dataclass(frozen=True)
class Hand:
    """A hand in a picture.

    Attributes:
        keypoints: its joints, pixels.
        joints: metres from the wrist; x right, y down, z forward, for a hand in the middle of the picture.
        score: how sure it is, 0 to 1: the probability of a hand, times how well the two agree.
    """

    keypoints: Float[np.ndarray, "21 2"]
    joints: Float[np.ndarray, "21 3"]
    score: float


class HandModel:
    """Google's hand landmark model of MediaPipe, of the full kind.

    The crop begins at the wrist that a body has, along its forearm; a second crop is about the joints of the first one,
    with the middle finger's root above the wrist. A hand that is small, does not begin at the wrist, or of whose
    presence the model is not sure, is none. Left and right are the body's.

    Source: Zhang et al. 2020, MediaPipe Hands: On-device Real-time Hand Tracking, https://arxiv.org/abs/2006.10214, and
    poselift/weights/mediapipe/README.md.

    Args:
        device: as in `poselift.detection.session.open_session`; "auto" is the CPU.

    Attributes:
        weights: SHA-256 of the weight file by file name.

    Raises:
        InputError: the weights are missing or damaged, or the device cannot be used.
    """

    def __init__(self, device: str = "auto") -> None:
        network = published("hand_landmark")
        self.weights = {network.path.name: network.sha256}
        self._session = Session(network.get(), "cpu" if device == "auto" else device, threads=1)

    def look_at(
        self,
        frame: UInt8[np.ndarray, "h w 3"],
        elbow: Float[np.ndarray, "2"],
        wrist: Float[np.ndarray, "2"],
        body: float,
    ) -> Hand | None:
        """The hand at the end of a forearm, or None.

        Args:
            frame: RGB.
            elbow: pixels.
            wrist: pixels.
            body: longer side of the person's box, pixels.
        """
        if not np.isfinite([*elbow, *wrist, body]).all():
            return None
        along = wrist - elbow
        forearm = max(float(np.linalg.norm(along)), _FOREARM * body)
        half, middle = _HALF * forearm, wrist + _AHEAD * along
        if 2 * half < _LEAST:
            return None
        angle = float(np.arctan2(along[0], -along[1]))
        first, sure = self._run(frame, np.concatenate([middle - half, middle + half]), angle)
        if sure < _MAYBE:
            return None
        up = first.keypoints[_MIDDLE] - first.keypoints[0]
        angle = float(np.arctan2(up[0], -up[1]))
        box = box_along(first.keypoints, angle)
        middle, half = (box[:2] + box[2:]) / 2, _AGAIN * float((box[2:] - box[:2]).max())
        if 2 * half < _LEAST:
            return None
        second, again = self._run(frame, np.concatenate([middle - half, middle + half]), angle)
        hand, sure = (second, again) if again >= sure else (first, sure)
        far = float(np.linalg.norm(hand.keypoints[0] - wrist)) / forearm
        return hand if sure >= _PRESENT and far <= _NEAR and hand.score > 0 else None

    def _run(self, frame: UInt8[np.ndarray, "h w 3"], box: Float[np.ndarray, "4"], angle: float) -> tuple[Hand, float]:
        """The hand in a turned box, and its probability."""
        crop = Crop.square(frame, box, _SIZE, 1.0, angle)
        return read_hand(self._session.run([crop.image])[0], crop)


def read_hand(output: Float[np.ndarray, "128"], crop: Crop) -> tuple[Hand, float]:
    """The model's hand, and the probability that it is one.

    Args:
        output: places in pixels, probabilities of a hand and of a right one, places in metres.
        crop: that the model saw.
    """
    places = output[: 3 * _JOINTS].reshape(_JOINTS, 3)
    sure = float(np.clip(output[3 * _JOINTS], 0, 1))
    joints = output[3 * _JOINTS + 2 :].reshape(_JOINTS, 3)
    joints = joints - joints[0]
    agreement = max(0.0, 1 - measure_disagreement(places[:, :2], joints[:, :2]) / _FLAT)
    if crop.angle:
        joints = np.concatenate([joints[:, :2] @ rotation(crop.angle).T, joints[:, 2:]], -1)
    return Hand(crop.to_picture(places[:, :2] - 0.5), joints, sure * agreement), sure


def measure_disagreement(pixels: Float[np.ndarray, "j 2"], metres: Float[np.ndarray, "j 2"]) -> float:
    """Mean distance of two flat shapes after alignment, relative.

    After the best shift and scale, as a share of the first one's size.

    Args:
        pixels: joints in the picture.
        metres: the same joints from the front.
    """
    a, b = pixels - pixels.mean(0), metres - metres.mean(0)
    scale = float((a * b).sum()) / max(float((b**2).sum()), 1e-12)
    size = max(float(np.ptp(pixels, axis=0).max()), 1e-9)
    return float(np.linalg.norm(a - scale * b, axis=-1).mean()) / size
