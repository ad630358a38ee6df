"""BlazePose's landmark model, for people at a known place. It gives their joints, with heels and toes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.errors import InputError
from poselift.core.files import sha256
from poselift.core.registry import published
from poselift.detection.crop import Crop
from poselift.detection.orientation import body_angle
from poselift.detection.outside import hide_outside
from poselift.detection.session import Session
from poselift.skeleton import COCO17, COCO_WHOLEBODY23, MEDIAPIPE_LANDMARKS
from poselift.structures import Detections

_NAMES = [joint for joint in COCO_WHOLEBODY23.joints if joint in MEDIAPIPE_LANDMARKS]
_FROM, _TO = [MEDIAPIPE_LANDMARKS[joint] for joint in _NAMES], COCO_WHOLEBODY23.indices(_NAMES)
_SIZE = 256
_VALUES = 5
"""Numbers of a landmark: x, y, z, logit of visibility, logit of presence."""
_COUNT = 39
"""Landmarks of the model: 33 joints, and 6 that place the next crop."""
_MARGIN = 1.25
"""Radius of the crop over the distance of the farthest joint from the hips, as MediaPipe has it."""
_STRETCH = 1.6
"""Least distance of the farthest joint over the length of the trunk, for people whose limbs are outside the picture."""
_SEEN = 0.15
"""Least score of a joint that counts for the crop."""
_PRESENT = 0.5
"""Least probability of a person for joints to count, as MediaPipe has it: in a crop of anything, some seem visible."""
_HIPS, _SHOULDERS = (COCO17.indices([f"left_{joint}", f"right_{joint}"]) for joint in ("hip", "shoulder"))


class BlazePose:
    """Google's BlazePose GHUM landmark model, of the heavy kind, as in MediaPipe.

    It needs to know where somebody is, as the first model of `poselift.detection.joined.MoveNetBlazePose` says. Its
    crop is MediaPipe's: a square about the middle of the hips, turned so that the body is upright.

    Its joints are those of COCO-17, heels and big toes; small toes are NaN. Box scores are the model's probability that
    the crop shows a person; below a half all joints are NaN.

    Source: Bazarevsky et al. 2020, BlazePose: On-device Real-time Body Pose Tracking, https://arxiv.org/abs/2006.10204,
    and poselift/weights/mediapipe/README.md.

    Args:
        device: as in `poselift.detection.session.open_session`; "auto" is the CPU.
        path: of another model of tools/prepare_landmark_models.py; the shipped one if None.

    Attributes:
        weights: SHA-256 of the weight file by file name.

    Raises:
        InputError: the weights are missing or damaged, or the device cannot be used.
    """

    skeleton = COCO_WHOLEBODY23

    def __init__(self, device: str = "auto", path: Path | None = None) -> None:
        path = published("blazepose_heavy").get() if path is None else path
        if not path.is_file():
            raise InputError(f"model {path}: no such file; check the path")
        self.weights = {path.name: sha256(path)}
        self._session = Session(path, "cpu" if device == "auto" else device, threads=1)

    def look_at(
        self, frame: UInt8[np.ndarray, "h w 3"], keypoints: Float[np.ndarray, "17 2"], scores: Float[np.ndarray, " 17"]
    ) -> Detections:
        """The person whose joints another model has found.

        Several threads may look at the same time.

        Args:
            frame: RGB.
            keypoints: joints of COCO-17, pixels; NaN for joints that were not seen.
            scores: of these joints.

        Returns:
            One person; all NaN, with a box score of 0, where hips or shoulders are not known.
        """
        where = place(keypoints, scores)
        if where is None:
            return _NOBODY
        crop = Crop.square(frame, where[0], _SIZE, 1.0, where[1])
        return read_landmarks(self._session.run([crop.image])[0], crop, frame.shape)


def place(
    keypoints: Float[np.ndarray, "17 2"], scores: Float[np.ndarray, " 17"]
) -> tuple[Float[np.ndarray, "4"], float] | None:
    """The box of somebody's crop, and its angle, or None.

    Before it is turned about its middle; None without a trunk.

    Args:
        keypoints: joints of COCO-17, pixels.
        scores: of these joints.
    """
    seen = np.isfinite(keypoints).all(-1) & (scores >= _SEEN)
    there = np.isfinite(keypoints).all(-1)
    ends = [[row for row in rows if there[row]] for rows in (_HIPS, _SHOULDERS)]
    if not all(ends):
        return None
    hips, shoulders = (keypoints[rows].mean(0) for rows in ends)
    far = np.linalg.norm(keypoints[seen] - hips, axis=-1).max(initial=0.0)
    half = _MARGIN * max(far, _STRETCH * float(np.linalg.norm(shoulders - hips)), 1.0)
    return np.concatenate([hips - half, hips + half]), body_angle(keypoints, scores, COCO17) or 0.0


def read_landmarks(output: Float[np.ndarray, " m"], crop: Crop, picture: Sequence[int]) -> Detections:
    """The person of an output of the model.

    Args:
        output: landmarks, then the probability of a person.
        crop: that the model saw.
        picture: shape of the picture, (rows, columns, ...).
    """
    landmarks = output[: _COUNT * _VALUES].reshape(_COUNT, _VALUES)
    points = crop.to_picture(landmarks[_FROM, :2] - 0.5)  # it counts pixels from their edges
    keypoints, scores = np.full((1, len(COCO_WHOLEBODY23), 2), np.nan), np.zeros((1, len(COCO_WHOLEBODY23)))
    keypoints[0, _TO] = points
    # A landmark must be in the crop, and not be hidden.
    scores[0, _TO] = _sigmoid(landmarks[_FROM, 3]) * _sigmoid(landmarks[_FROM, 4])
    if output[-1] < _PRESENT:
        keypoints[:], scores[:] = np.nan, 0.0
    keypoints, scores = hide_outside(keypoints, scores, tuple(picture))
    box = np.concatenate([points.min(0), points.max(0)])
    return Detections(box[None], output[-1:].clip(0, 1), keypoints, scores, COCO_WHOLEBODY23)


def _sigmoid(logits: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    shares: np.ndarray = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    return shares


_NOBODY = Detections(
    np.zeros((1, 4)),
    np.zeros(1),
    np.full((1, len(COCO_WHOLEBODY23), 2), np.nan),
    np.zeros((1, len(COCO_WHOLEBODY23))),
    COCO_WHOLEBODY23,
)
