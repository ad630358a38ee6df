"""Pinhole cameras: points to pixels, pixels to rays, world to camera.

All functions share one rule: points are (..., n, 3), and the camera's arrays lack the axis of the points, e.g.
K (..., 3, 3). The n points share a camera; leading axes broadcast.

Camera frame: x right, y down, z forward. Pixel (0, 0) is the centre of the top-left pixel. K is
[[fx, skew, cx], [0, fy, cy], [0, 0, 1]] in pixels. Distortion is OpenCV's k1, k2, p1, p2, k3
(https://docs.opencv.org/4.x/d9/d0c/group__calib3d.html), with x, y on the plane z = 1 and r² = x² + y²:

    x' = x (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2 x²)
    y' = y (1 + k1 r² + k2 r⁴ + k3 r⁶) + p1 (r² + 2 y²) + 2 p2 x y

Four numbers are k1, k2, k3, k4 of OpenCV's fisheye lens, which bends the angle θ from its axis, with tan θ = r (Kannala
and Brandt, A generic camera model, PAMI 2006; https://docs.opencv.org/4.x/db/d58/group__calib3d__fisheye.html):

    x' = x θ' / r with θ' = θ (1 + k1 θ² + k2 θ⁴ + k3 θ⁶ + k4 θ⁸)

Human3.6M's own code has x' = x (1 + Σ k r²ⁿ + p · x) + p r² with p = (p2, p1), a slightly different model: its terms
in x² and x y have half of OpenCV's weight.
"""

import math

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace
from poselift.geometry.products import stack_matrix, transform

ASSUMED_FOV = 55.0
"""Field of view of an unknown camera across the picture's longer side, degrees: typical of phones and camcorders."""

NEAREST_PERSON = 0.2
"""Smallest distance of a person from the camera, metres."""

NEAREST = 1e-6
"""Smallest depth of a point that projects into the picture, metres."""

FISHEYE_TERMS = 4
"""Numbers that describe a fisheye lens."""

WIDEST = math.radians(85.0)
"""Largest angle of a ray from the camera's axis: on the plane z = 1 it is 11 m from the middle."""

_CENTRE = 1e-9
"""Distance from the middle of the plane z = 1 within which a lens bends nothing."""

NEWTON_STEPS = 10
NEWTON_TOLERANCE = 1e-4
"""On the plane z = 1; with a larger residual the distortion has no inverse at that pixel."""


def intrinsics_from_fov(width: int, height: int, fov: float) -> Float[np.ndarray, "3 3"]:
    """K of a camera with square pixels and a centred principal point.

    Args:
        width: width of the picture, pixels.
        height: height of the picture, pixels.
        fov: angle across the longer side, radians.

    Returns:
        K in pixels, float32.

    Raises:
        ValueError: a side is not positive, or the angle is not between 0 and pi.

    Example:
        >>> intrinsics_from_fov(1000, 800, math.pi / 2).tolist()
        [[500.0, 0.0, 499.5], [0.0, 500.0, 399.5], [0.0, 0.0, 1.0]]
    """
    if width <= 0 or height <= 0:
        raise ValueError(f"a picture of {width} x {height} pixels is empty; both sides must be positive")
    if not 0 < fov < math.pi:
        raise ValueError(f"the field of view is {fov} radians; it must lie between 0 and pi")
    focal = max(width, height) / 2 / math.tan(fov / 2)
    return np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]], np.float32)


def _distort(plane: Array, distortion: Array) -> tuple[Array, Array]:
    """Distorted points (..., n, 2) and their Jacobian (..., n, 2, 2). The points lie on the plane z = 1."""
    xp = array_namespace(plane)
    k1, k2, p1, p2, k3 = xp.unstack(distortion[..., None, :], axis=-1)
    x, y = xp.unstack(plane, axis=-1)
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    slope = k1 + r2 * (2 * k2 + r2 * 3 * k3)  # of `radial` by r²
    across = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    down = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    mixed = 2 * (slope * x * y + p1 * x + p2 * y)
    dx = radial + 2 * slope * x * x + 2 * p1 * y + 6 * p2 * x
    dy = radial + 2 * slope * y * y + 6 * p1 * y + 2 * p2 * x
    return xp.stack((across, down), axis=-1), stack_matrix((dx, mixed), (mixed, dy))


def _undistort(distorted: Array, distortion: Array) -> Array:
    """The inverse of `_distort` by Newton's method; NaN where none exists."""
    xp = array_namespace(distorted)
    plane = distorted
    for _ in range(NEWTON_STEPS):
        value, jacobian = _distort(plane, distortion)
        a, b, d = jacobian[..., 0, 0], jacobian[..., 0, 1], jacobian[..., 1, 1]  # it is symmetric
        x, y = xp.unstack(value - distorted, axis=-1)
        plane = plane - xp.stack((d * x - b * y, a * y - b * x), axis=-1) / (a * d - b * b)[..., None]
    value, jacobian = _distort(plane, distortion)
    found = xp.all(xp.abs(value - distorted) < NEWTON_TOLERANCE, axis=-1)
    # Beyond the radius where the lens model folds the picture over, a solution exists but is the wrong one.
    a, d = jacobian[..., 0, 0], jacobian[..., 1, 1]
    upright = (a * d > jacobian[..., 0, 1] ** 2) & (a > 0)
    return xp.where((found & upright)[..., None], plane, xp.nan)


def _bend(plane: Array, fisheye: Array) -> Array:
    """Points at z = 1 as a fisheye lens shows them."""
    xp = array_namespace(plane)
    radius = xp.linalg.vector_norm(plane, axis=-1)
    bent, _ = _bend_angle(xp.atan(radius), fisheye)
    return plane * (bent / xp.where(radius > _CENTRE, radius, 1.0) + (radius <= _CENTRE))[..., None]


def _unbend(bent: Array, fisheye: Array) -> Array:
    """The inverse of `_bend`, by Newton's method. NaN where none exists, or at 90 degrees from the axis and more."""
    xp = array_namespace(bent)
    radius = xp.linalg.vector_norm(bent, axis=-1)
    angle = radius
    for _ in range(NEWTON_STEPS):
        value, slope = _bend_angle(angle, fisheye)
        angle = angle - (value - radius) / slope
    value, slope = _bend_angle(angle, fisheye)
    found = (xp.abs(value - radius) < NEWTON_TOLERANCE) & (slope > 0) & (angle > -_CENTRE) & (angle < WIDEST)
    scale = xp.tan(xp.where(found, angle, 0.0)) / xp.where(radius > _CENTRE, radius, 1.0) + (radius <= _CENTRE)
    return xp.where(found[..., None], bent * scale[..., None], xp.nan)


def _bend_angle(angle: Array, fisheye: Array) -> tuple[Array, Array]:
    """θ' of angles θ (..., n), radians, and its slope."""
    k1, k2, k3, k4 = array_namespace(angle).unstack(fisheye[..., None, :], axis=-1)
    squared = angle * angle
    bent = angle * (1 + squared * (k1 + squared * (k2 + squared * (k3 + squared * k4))))
    slope = 1 + squared * (3 * k1 + squared * (5 * k2 + squared * (7 * k3 + squared * 9 * k4)))
    return bent, slope


def project(
    points: Float[Array, "*#batch n 3"],
    K: Float[Array, "*#batch 3 3"],
    distortion: Float[Array, "*#batch k"] | None = None,
) -> Float[Array, "... n 2"]:
    """Pixels of points in the camera frame.

    Args:
        points: metres.
        K: intrinsics, pixels.
        distortion: k1, k2, p1, p2, k3, or k1, k2, k3, k4 of a fisheye lens; None for a lens without distortion.

    Returns:
        Pixels; NaN for points at or behind the camera.

    Example:
        >>> K = np.array([[500.0, 0, 320], [0, 500.0, 240], [0, 0, 1]])
        >>> project(np.array([[0.0, 0, 2], [1, 0, 2]]), K).tolist()
        [[320.0, 240.0], [570.0, 240.0]]
    """
    xp = array_namespace(points)
    depth = points[..., 2:]
    visible = depth > NEAREST
    plane = points[..., :2] / xp.where(visible, depth, 1.0)
    if distortion is not None and distortion.shape[-1] == FISHEYE_TERMS:
        plane = _bend(plane, distortion)
    elif distortion is not None:
        plane, _ = _distort(plane, distortion)
    x, y = xp.unstack(plane, axis=-1)
    K = K[..., None, :, :]
    u = K[..., 0, 0] * x + K[..., 0, 1] * y + K[..., 0, 2]
    v = K[..., 1, 1] * y + K[..., 1, 2]
    return xp.where(visible, xp.stack((u, v), axis=-1), xp.nan)


def pixels_to_rays(
    pixels: Float[Array, "*#batch n 2"],
    K: Float[Array, "*#batch 3 3"],
    distortion: Float[Array, "*#batch k"] | None = None,
) -> Float[Array, "... n 3"]:
    """Viewing directions of pixels, scaled to z = 1.

    This is the inverse of `project`, up to the depth.

    Args:
        pixels: as from `project`.
        K: intrinsics, pixels.
        distortion: k1, k2, p1, p2, k3, or k1, k2, k3, k4 of a fisheye lens; None for a lens without distortion.

    Returns:
        Rays in the camera frame; NaN where the pixel is NaN or the distortion has no inverse.

    Example:
        >>> K = np.array([[500.0, 0, 320], [0, 500.0, 240], [0, 0, 1]])
        >>> pixels_to_rays(np.array([[570.0, 240]]), K).tolist()
        [[0.5, 0.0, 1.0]]
    """
    xp = array_namespace(pixels)
    K = K[..., None, :, :]
    y = (pixels[..., 1] - K[..., 1, 2]) / K[..., 1, 1]
    x = (pixels[..., 0] - K[..., 0, 2] - K[..., 0, 1] * y) / K[..., 0, 0]
    plane = xp.stack((x, y), axis=-1)
    if distortion is not None:
        straighten = _unbend if distortion.shape[-1] == FISHEYE_TERMS else _undistort
        plane = straighten(plane, distortion)
    return xp.concat((plane, xp.ones_like(plane[..., :1])), axis=-1)


def world_to_camera(
    points: Float[Array, "*#batch n 3"], R: Float[Array, "*#batch 3 3"], t: Float[Array, "*#batch 3"]
) -> Float[Array, "... n 3"]:
    """World points in the camera frame, R X + t, metres."""
    return transform(R, points) + t[..., None, :]
