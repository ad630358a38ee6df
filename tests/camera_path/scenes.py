"""Pictures of a textured wall as a camera that turns and zooms sees it."""

from collections.abc import Callable, Iterator, Sequence

import cv2
import numpy as np

from poselift.geometry import axis_angle_to_matrix, intrinsics_from_fov
from poselift.video import Frame

SIZE = (320, 180)
K = intrinsics_from_fov(*SIZE, np.radians(55)).astype(np.float64)
FPS = 25.0


def wall(seed: int = 0, size: tuple[int, int] = SIZE) -> np.ndarray:
    """A picture with corners everywhere."""
    rng = np.random.default_rng(seed)
    width, height = size
    picture = np.full((height, width, 3), 120, np.uint8)
    for _ in range(width * height // 250):
        x, y, w, h = (int(v) for v in (rng.integers(width), rng.integers(height), *rng.integers(4, 30, 2)))
        cv2.rectangle(picture, (x, y), (x + w, y + h), [int(v) for v in rng.integers(30, 220, 3)], -1)
    return picture


def see(picture: np.ndarray, R: np.ndarray, zoom: float = 1.0) -> np.ndarray:
    """What a camera sees that is turned by R and zoomed, where a camera at rest sees the picture."""
    H = K @ np.diag([zoom, zoom, 1]) @ R.T @ np.linalg.inv(K)
    return cv2.warpPerspective(picture, H, SIZE, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101)


def turns(degrees: Sequence[Sequence[float]]) -> np.ndarray:
    """Rotations by tilt, pan and roll."""
    return axis_angle_to_matrix(np.radians(np.array(degrees, float)))


def as_frames(pictures: Sequence[np.ndarray]) -> list[Frame]:
    """Frames of a video."""
    return [Frame(picture, row / FPS, row) for row, picture in enumerate(pictures)]


def each(count: int, make: Callable[[float], np.ndarray]) -> Iterator[np.ndarray]:
    """Pictures by share of the clip."""
    return (make(row / max(count - 1, 1)) for row in range(count))


def angle(R: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Angles between rotations, degrees."""
    return np.degrees(np.linalg.norm(R - S, axis=(-2, -1)) / np.sqrt(2))
