"""Pinhole cameras: points to pixels, pixels to rays, world to camera.

One rule for all functions: points are (..., n, 3), and what describes the camera has one axis of points less,
K (..., 3, 3), so that the n points share a camera; the leading axes broadcast.

Camera frame: x right, y down, z forward. Pixel (0, 0) is the centre of the top-left pixel. K is
[[fx, skew, cx], [0, fy, cy], [0, 0, 1]] in pixels. Distortion is OpenCV's k1, k2, p1, p2, k3
(https://docs.opencv.org/4.x/d9/d0c/group__calib3d.html), with x, y on the plane z = 1 and r² = x² + y²:

    x' = x (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2 x²)
    y' = y (1 + k1 r² + k2 r⁴ + k3 r⁶) + p1 (r² + 2 y²) + 2 p2 x y

Human3.6M's own code writes x' = x (1 + Σ k r²ⁿ + p · x) + p r² with p = (p2, p1). That is not quite the same:
its terms in x² and x y have half of OpenCV's weight.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry.products import transform

NEAREST = 1e-6
"""Metres in front of the camera below which a point has no picture."""

NEWTON_STEPS = 10
NEWTON_TOLERANCE = 1e-4
"""On the plane z = 1; a residual above it means that the distortion cannot be undone there."""


def intrinsics_from_fov(width: int, height: int, fov: float) -> Float[Tensor, "3 3"]:
    """The K of a camera with square pixels that looks at the centre of its picture.

    Args:
        width: of the picture, in pixels.
        height: of the picture, in pixels.
        fov: the angle across the longer side, in radians.

    Returns:
        K in pixels, float32.

    Raises:
        ValueError: a side is not positive, or the angle is not between 0 and pi.
    """
    if width <= 0 or height <= 0:
        raise ValueError(f"a picture of {width} x {height} pixels has no camera; both sides must be positive")
    if not 0 < fov < math.pi:
        raise ValueError(f"the field of view is {fov} radians; it must lie between 0 and pi")
    focal = max(width, height) / 2 / math.tan(fov / 2)
    return torch.tensor([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])


def _distort(plane: Tensor, distortion: Tensor) -> tuple[Tensor, Tensor]:
    """Distorted (..., n, 2) points of the plane z = 1, and the (..., n, 2, 2) Jacobian of doing so."""
    k1, k2, p1, p2, k3 = distortion[..., None, :].unbind(-1)
    x, y = plane.unbind(-1)
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    slope = k1 + r2 * (2 * k2 + r2 * 3 * k3)  # of `radial` by r²
    distorted = torch.stack(
        (
            x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
            y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
        ),
        -1,
    )
    mixed = 2 * (slope * x * y + p1 * x + p2 * y)
    dx = radial + 2 * slope * x * x + 2 * p1 * y + 6 * p2 * x
    dy = radial + 2 * slope * y * y + 6 * p1 * y + 2 * p2 * x
    jacobian = torch.stack((torch.stack((dx, mixed), -1), torch.stack((mixed, dy), -1)), -2)
    return distorted, jacobian


def _undistort(distorted: Tensor, distortion: Tensor) -> Tensor:
    """The inverse of `_distort` by Newton's method; NaN where there is none."""
    plane = distorted
    for _ in range(NEWTON_STEPS):
        value, jacobian = _distort(plane, distortion)
        (a, b), (c, d) = (row.unbind(-1) for row in jacobian.unbind(-2))
        x, y = (value - distorted).unbind(-1)
        plane = plane - torch.stack((d * x - b * y, a * y - c * x), -1) / (a * d - b * c)[..., None]
    value, jacobian = _distort(plane, distortion)
    found = ((value - distorted).abs() < NEWTON_TOLERANCE).all(-1)
    # Past the point where a lens folds the picture over, a solution exists but is not the one that was seen.
    a, d = jacobian[..., 0, 0], jacobian[..., 1, 1]
    upright = (a * d > jacobian[..., 0, 1] ** 2) & (a > 0)
    return plane.where((found & upright)[..., None], torch.nan)


def project(
    points: Float[Tensor, "*#batch n 3"],
    K: Float[Tensor, "*#batch 3 3"],
    distortion: Float[Tensor, "*#batch 5"] | None = None,
) -> Float[Tensor, "... n 2"]:
    """Where points of the camera frame appear in the picture.

    Args:
        points: metres.
        K: intrinsics in pixels.
        distortion: k1, k2, p1, p2, k3; none if left out.

    Returns:
        Pixels; NaN for points at or behind the camera.
    """
    depth = points[..., 2:]
    visible = depth > NEAREST
    plane = points[..., :2] / depth.where(visible, 1.0)
    if distortion is not None:
        plane, _ = _distort(plane, distortion)
    x, y = plane.unbind(-1)
    K = K[..., None, :, :]
    u = K[..., 0, 0] * x + K[..., 0, 1] * y + K[..., 0, 2]
    v = K[..., 1, 1] * y + K[..., 1, 2]
    return torch.stack((u, v), -1).where(visible, torch.nan)


def pixels_to_rays(
    pixels: Float[Tensor, "*#batch n 2"],
    K: Float[Tensor, "*#batch 3 3"],
    distortion: Float[Tensor, "*#batch 5"] | None = None,
) -> Float[Tensor, "... n 3"]:
    """The directions in which pixels look, scaled to z = 1: the inverse of `project` up to depth.

    Args:
        pixels: as `project` gives them.
        K: intrinsics in pixels.
        distortion: k1, k2, p1, p2, k3; none if left out.

    Returns:
        Rays of the camera frame; NaN where the pixel is NaN or the distortion cannot be undone.
    """
    K = K[..., None, :, :]
    y = (pixels[..., 1] - K[..., 1, 2]) / K[..., 1, 1]
    x = (pixels[..., 0] - K[..., 0, 2] - K[..., 0, 1] * y) / K[..., 0, 0]
    plane = torch.stack((x, y), -1)
    if distortion is not None:
        plane = _undistort(plane, distortion)
    return torch.nn.functional.pad(plane, (0, 1), value=1.0)


def world_to_camera(
    points: Float[Tensor, "*#batch n 3"], R: Float[Tensor, "*#batch 3 3"], t: Float[Tensor, "*#batch 3"]
) -> Float[Tensor, "... n 3"]:
    """R X + t: points of the world, in metres, as the camera sees them."""
    return transform(R, points) + t[..., None, :]


def camera_to_world(
    points: Float[Tensor, "*#batch n 3"], R: Float[Tensor, "*#batch 3 3"], t: Float[Tensor, "*#batch 3"]
) -> Float[Tensor, "... n 3"]:
    """Rᵀ (X - t): the inverse of `world_to_camera`, with the same R and t."""
    return transform(R.mT, points - t[..., None, :])
