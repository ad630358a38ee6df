"""Where the corners of a picture's background are in another picture."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.camera_path.background_picture import BackgroundPicture

_WINDOW = 15
"""Side of the square that optical flow compares, reduced pixels."""

_LEVELS = 4
"""Times that the flow halves the pictures: it finds motions of up to a quarter of the picture."""

_RETURNS = 0.4
"""Farthest from its start that a corner may come back by the flow from the second picture to the first, pixels."""

_AGREES = 1.0
"""Distance from the common homography at which a corner still agrees, reduced pixels."""

ENOUGH = 20
"""Least number of corners that agree."""

SHARE = 0.35
"""Least share of the corners that agree: of leaves, water or a crowd, fewer do."""

_SPREAD = 0.2
"""Least size of the part of the picture that the agreeing corners span: the smaller standard deviation of their places,
as a share of that of corners everywhere. A logo alone, or one thing on a blank wall, is smaller."""


@dataclass(frozen=True)
class Flow:
    """Corners of a picture that are found again in another.

    Attributes:
        before: in the first picture, reduced pixels.
        after: in the second one.
        corners: their numbers among the first picture's corners.
        agree: those that follow the homography.
        homography: from the first picture to the second, reduced pixels, of determinant 1.
    """

    before: Float[np.ndarray, "n 2"]
    after: Float[np.ndarray, "n 2"]
    corners: Int[np.ndarray, " n"]
    agree: Bool[np.ndarray, " n"]
    homography: Float[np.ndarray, "3 3"]


def apply_homography(H: Float[np.ndarray, "3 3"], points: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "n 2"]:
    """The points' places in the other picture. Infinite where they lie behind the camera."""
    lifted = points @ H[:, :2].T + H[:, 2]
    ahead = lifted[:, 2:] > 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ahead, lifted[:, :2] / lifted[:, 2:], np.inf)


def unit_determinant(H: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "3 3"]:
    """The homography scaled to determinant 1. What lies before both cameras then has a positive third number."""
    return H / np.cbrt(np.linalg.det(H))


def follow(
    first: BackgroundPicture, second: BackgroundPicture, guess: Float[np.ndarray, "3 3"] | None = None
) -> Flow | None:
    """The first picture's corners in the second one.

    None if too few agree on a homography.

    Args:
        first: gives the corners.
        second: of the same size.
        guess: the homography from the first to the second, as far as it is known. The second picture is warped by it,
            so that turned and zoomed pictures look alike.
    """
    points, rows = first.corners, np.arange(len(first.corners))
    if len(points) < ENOUGH:
        return None
    target = second.gray
    if guess is not None:
        target = cv2.warpPerspective(
            target, guess, first.size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_CONSTANT
        )
        width, height = second.size
        seen = apply_homography(guess, points)
        rows = np.flatnonzero(((seen >= 0) & (seen < [width, height])).all(-1))
        points = points[rows]
        if len(points) < ENOUGH:
            return None
    window, levels = (_WINDOW, _WINDOW), _LEVELS if guess is None else _LEVELS - 1
    start = points.astype(np.float32)[:, None]
    there = start.copy()
    moved, found, _ = cv2.calcOpticalFlowPyrLK(first.gray, target, start, there, winSize=window, maxLevel=levels)
    back, returned, _ = cv2.calcOpticalFlowPyrLK(
        target, first.gray, moved, start.copy(), winSize=window, maxLevel=levels
    )
    strayed = np.linalg.norm(np.asarray(back) - start, axis=-1)[:, 0]
    kept = (np.asarray(found)[:, 0] > 0) & (np.asarray(returned)[:, 0] > 0) & (strayed < _RETURNS)
    after = np.asarray(moved)[:, 0].astype(np.float64)
    if guess is not None:
        after = apply_homography(guess, after)
    kept &= _find_open(after, second)
    return _agree(points[kept], after[kept], rows[kept], first.size)


def _find_open(points: Float[np.ndarray, "n 2"], picture: BackgroundPicture) -> Bool[np.ndarray, " n"]:
    """Points that lie on the background of a picture."""
    width, height = picture.size
    inside = np.asarray(((points >= 0) & (points <= np.array([width - 1, height - 1]))).all(-1))
    column, row = np.where(inside[:, None], points, 0.0).round().astype(int).T
    free: np.ndarray = inside & picture.open[row, column]
    return free


def _agree(
    before: Float[np.ndarray, "n 2"],
    after: Float[np.ndarray, "n 2"],
    corners: Int[np.ndarray, " n"],
    size: tuple[int, int],
) -> Flow | None:
    """The flow with the homography that most corners follow (Barath et al. 2020, MAGSAC++)."""
    if len(before) < ENOUGH:
        return None
    H, _ = cv2.findHomography(before, after, cv2.USAC_MAGSAC, _AGREES, maxIters=2000, confidence=0.999)
    if H is None or not np.isfinite(H).all() or abs(np.linalg.det(H)) < 1e-9:
        return None
    H = unit_determinant(H)
    agree = np.linalg.norm(apply_homography(H, before) - after, axis=-1) < _AGREES
    if agree.sum() < max(ENOUGH, SHARE * len(before)) or not _is_spread(before[agree], size):
        return None
    return Flow(before, after, corners, agree, H)


def _is_spread(points: Float[np.ndarray, "n 2"], size: tuple[int, int]) -> bool:
    """Whether the points span enough of the picture."""
    return bool((points.std(0) > _SPREAD * np.array(size) / np.sqrt(12)).all())
