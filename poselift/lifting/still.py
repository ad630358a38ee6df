"""Whether the camera is still: a world can only be told from a camera that does not move."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.lifting.camera import CameraModel
from poselift.structures import Motion

STILL = 0.5
"""Degrees by which a camera on a stand may seem to turn. At 5 m this is 4 cm."""

_PICTURES = 8
"""Pictures of a clip that are compared with its first."""

_SIDE = 640
"""Pixels of the longer side to which pictures are reduced."""

_MARGIN = 0.2
"""By how much of its height a person's box is enlarged on each side: hair, hands and feet reach beyond the joints."""

_ENOUGH = 25
"""Points of the background without which nothing is said, and of which so many must agree on how it moved."""


@dataclass(frozen=True)
class CameraMotion:
    """By how much the background moved against the first picture, at most.

    Attributes:
        pixels: mean over the picture's corners, which also move where the camera zooms or rolls about the middle; as
            they are in the video. Infinite where the background of the first picture is not found again.
        degrees: by which the camera seems to have turned.
    """

    pixels: float
    degrees: float

    @property
    def still(self) -> bool:
        """Whether the camera is as good as still."""
        return self.degrees <= STILL


def camera_motion(
    pictures: Iterable[tuple[UInt8[np.ndarray, "h w 3"], float]],
    span: tuple[float, float],
    motions: Sequence[Motion],
    camera: CameraModel,
) -> CameraMotion | None:
    """Compares a few pictures of a clip with its first, by features of the background.

    Oriented FAST and rotated BRIEF (Rublee et al. 2011) outside of the people's boxes are matched, and a similarity
    is fitted to the matches by RANSAC.

    Args:
        pictures: RGB and their times in seconds, in order.
        span: times of the first and the last picture.
        motions: the people, whose keypoints say where no background is.
        camera: for the angle.

    Returns:
        The largest motion; None where it cannot be told, as there is one picture only or too little in it.
    """
    orb = cv2.ORB.create(nfeatures=1000)
    matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
    due = list(np.linspace(*span, _PICTURES + 1))
    first = None
    moves = []
    for image, time in pictures:
        if not due or time < due[0] - 1e-6:
            continue
        while due and time >= due[0] - 1e-6:
            due.pop(0)
        scale = min(1.0, _SIDE / max(image.shape[:2]))
        points, features = _background(orb, image, scale, _boxes(motions, time))
        if len(points) < _ENOUGH:
            continue
        if first is None:
            first = points, features
            continue
        pairs = matcher.match(first[1], features)
        before, after = (
            np.array([first[0][pair.queryIdx] for pair in pairs]).reshape(-1, 2),
            np.array([points[pair.trainIdx] for pair in pairs]).reshape(-1, 2),
        )
        height, width = image.shape[:2]
        corners = scale * np.array([[0, 0], [width, 0], [0, height], [width, height]])
        moves.append(_move(before, after, corners) / scale)
    if not moves:
        return None
    pixels = max(moves)
    return CameraMotion(pixels, math.degrees(math.atan(pixels / float(camera.K[0, 0]))))


def _background(
    orb: cv2.ORB, image: UInt8[np.ndarray, "h w 3"], scale: float, boxes: list[tuple[int, int, int, int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 2) of the reduced picture outside of the boxes, and their descriptors."""
    mask = np.full(image.shape[:2], 255, np.uint8)
    for x0, y0, x1, y1 in boxes:
        mask[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = 0
    gray: np.ndarray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    if scale < 1:
        gray = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        mask = cv2.resize(mask, (gray.shape[1], gray.shape[0]), interpolation=cv2.INTER_NEAREST).astype(np.uint8)
    keypoints, features = orb.detectAndCompute(gray, mask)
    points = np.array([keypoint.pt for keypoint in keypoints]).reshape(-1, 2)
    return points, np.zeros((0, 32), np.uint8) if features is None else features


def _move(
    before: Float[np.ndarray, "n 2"], after: Float[np.ndarray, "n 2"], corners: Float[np.ndarray, "4 2"]
) -> float:
    """Pixels by which the picture's corners moved, their mean; infinite where too few points agree."""
    if len(before) < _ENOUGH:
        return math.inf
    matrix, agree = cv2.estimateAffinePartial2D(before, after, method=cv2.RANSAC, ransacReprojThreshold=2.0)
    if matrix is None or int(agree.sum()) < _ENOUGH:
        return math.inf
    return float(np.linalg.norm(corners @ matrix[:, :2].T + matrix[:, 2] - corners, axis=-1).mean())


def _boxes(motions: Sequence[Motion], time: float) -> list[tuple[int, int, int, int]]:
    """Around everybody's keypoints at that time, enlarged: x0, y0, x1, y1."""
    boxes = []
    for motion in motions:
        row = int(np.abs(motion.timestamps - time).argmin())
        points = motion.keypoints.keypoints[row]
        points = points[np.isfinite(points).all(-1)]
        if len(points):
            low, high = points.min(0), points.max(0)
            margin = _MARGIN * (high - low).max()
            x0, y0, x1, y1 = (int(value) for value in (*(low - margin), *(high + margin)))
            boxes.append((x0, y0, x1, y1))
    return boxes
