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
    orb = cv2.ORB.create(nfeatures=1000)
    matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
    due = list(np.linspace(*span, _PICTURES + 1))
    first = None
    moves = []
    for frame in frames:
        image, time = frame.image, frame.timestamp
        if not due:
            break
        if time < due[0] - 1e-6:
            continue
        while due and time >= due[0] - 1e-6:
            due.pop(0)
        scale = min(1.0, _SIDE / max(image.shape[:2]))
        points, features = _background(orb, image, scale, _boxes(tracks, time))
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


def _boxes(tracks: Sequence[Keypoints2D], time: float) -> list[tuple[int, int, int, int]]:
    """Boxes (x0, y0, x1, y1) around people at a time, with margin."""
    boxes = []
    for track in tracks:
        row = int(np.abs(track.timestamps - time).argmin())
        points = track.keypoints[row]
        points = points[np.isfinite(points).all(-1)]
        if len(points):
            low, high = points.min(0), points.max(0)
            margin = _MARGIN * (high - low).max()
            x0, y0, x1, y1 = (int(value) for value in (*(low - margin), *(high + margin)))
            boxes.append((x0, y0, x1, y1))
    return boxes
