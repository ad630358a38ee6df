"""Detects camera motion: a world frame needs a still camera."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.geometry.camera import Camera
from poselift.structures import Keypoints2D
from poselift.video import Frame

STILL = 0.5
"""Apparent rotation of a camera on a tripod, degrees. At a distance of 5 m this is 4 cm."""

_PICTURES = 8
"""Number of pictures that are compared with the first one."""

_SIDE = 640
"""Longer side of the reduced pictures, pixels."""

_MARGIN = 0.2
"""Margin around a person's joints for hair, hands and feet, as a share of the longer side of their box."""

_ENOUGH = 25
"""Least number of background points, and of points that agree on one motion."""


@dataclass(frozen=True)
class CameraMotion:
    """Largest motion of the background against the first picture.

    Attributes:
        pixels: mean motion of the corners of the picture, which also shows zoom and roll; in pixels of the video.
            Infinite if a later picture does not show the background of the first one.
        degrees: apparent rotation of the camera.
    """

    pixels: float
    degrees: float

    @property
    def still(self) -> bool:
        """Whether the camera does not move."""
        return self.degrees <= STILL

    def describe(self) -> str:
        """That the camera moves, and by how much."""
        by = f"by {self.degrees:.1f} degrees" if math.isfinite(self.pixels) else "to another view"
        return f"the camera moves {by}"


def camera_motion(
    frames: Iterable[Frame], span: tuple[float, float], tracks: Sequence[Keypoints2D], camera: Camera
) -> CameraMotion | None:
    """The largest motion of the background; None if it cannot be measured.

    Matches oriented FAST and rotated BRIEF features (Rublee et al. 2011) outside of the people's boxes between the
    first picture and later ones, and fits a similarity by RANSAC.

    Args:
        frames: of the clip, in order.
        span: timestamps of the first and the last frame to compare, seconds.
        tracks: the people, whose keypoints say where the background is hidden.
        camera: gives the focal length.

    Returns:
        The motion; None for a single picture, or one with too few features.
    """
    due = list(np.linspace(*span, _PICTURES + 1))
    watch = BackgroundWatch(camera)
    moves = []
    for frame in frames:
        time = frame.timestamp
        if not due:
            break
        if time < due[0] - 1e-6:
            continue
        while due and time >= due[0] - 1e-6:
            due.pop(0)
        nearest = [track.keypoints[int(np.abs(track.timestamps - time).argmin())] for track in tracks]
        if (motion := watch.look(frame.image, nearest)) is not None:
            moves.append(motion)
    return max(moves, key=lambda motion: motion.pixels, default=None)


class BackgroundWatch:
    """Compares pictures with the first one that shows a background.

    Args:
        camera: gives the focal length.
    """

    def __init__(self, camera: Camera) -> None:
        self._orb = cv2.ORB.create(nfeatures=1000)
        self._matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
        self._focal = float(camera.K[0, 0])
        self._first: tuple[np.ndarray, np.ndarray] | None = None

    def look(
        self, image: UInt8[np.ndarray, "h w 3"], people: Iterable[Float[np.ndarray, "j 2"]]
    ) -> CameraMotion | None:
        """The background's motion since the first picture. None for that one, and without enough features.

        Args:
            image: RGB.
            people: keypoints of each, pixels; NaN where unknown.
        """
        scale = min(1.0, _SIDE / max(image.shape[:2]))
        points, features = _background(self._orb, image, scale, _boxes(people))
        if len(points) < _ENOUGH:
            return None
        if self._first is None:
            self._first = points, features
            return None
        pairs = self._matcher.match(self._first[1], features)
        before, after = (
            np.array([self._first[0][pair.queryIdx] for pair in pairs]).reshape(-1, 2),
            np.array([points[pair.trainIdx] for pair in pairs]).reshape(-1, 2),
        )
        height, width = image.shape[:2]
        corners = scale * np.array([[0, 0], [width, 0], [0, height], [width, height]])
        pixels = _move(before, after, corners) / scale
        return CameraMotion(pixels, math.degrees(math.atan(pixels / self._focal)))


def _background(
    orb: cv2.ORB, image: UInt8[np.ndarray, "h w 3"], scale: float, boxes: list[tuple[int, int, int, int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 2) outside the boxes, and their features (n, 32). The points are of the reduced picture."""
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
    """Mean motion of the picture's corners, pixels. Infinite if too few points agree."""
    if len(before) < _ENOUGH:
        return math.inf
    matrix, agree = cv2.estimateAffinePartial2D(before, after, method=cv2.RANSAC, ransacReprojThreshold=2.0)
    if matrix is None or int(agree.sum()) < _ENOUGH:
        return math.inf
    return float(np.linalg.norm(corners @ matrix[:, :2].T + matrix[:, 2] - corners, axis=-1).mean())


def _boxes(people: Iterable[Float[np.ndarray, "j 2"]]) -> list[tuple[int, int, int, int]]:
    """Boxes (x0, y0, x1, y1) around people's keypoints, with margin."""
    boxes = []
    for points in people:
        points = points[np.isfinite(points).all(-1)]
        if len(points):
            low, high = points.min(0), points.max(0)
            margin = _MARGIN * (high - low).max()
            x0, y0, x1, y1 = (int(value) for value in (*(low - margin), *(high + margin)))
            boxes.append((x0, y0, x1, y1))
    return boxes
