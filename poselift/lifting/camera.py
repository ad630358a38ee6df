"""The camera that a video was taken with, as far as it is known."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.geometry import ASSUMED_FOV, intrinsics_from_fov

_FOV = (5.0, 150.0)
"""Degrees that a lens may see across the picture's longer side: beyond, a pinhole is no picture of it."""


@dataclass(frozen=True)
class CameraModel:
    """Intrinsics and where they are from.

    Attributes:
        K: intrinsics in pixels; float32 in any case.
        image_size: width and height, pixels.
        source: "given" or "assumed".
        distortion: k1, k2, p1, p2, k3 in OpenCV's order; None for a lens without distortion.

    Raises:
        InputError: K is not 3 x 3, or its focal lengths are not positive.
    """

    K: Float[Tensor, "3 3"]
    image_size: tuple[int, int]
    source: str
    distortion: Float[Tensor, " 5"] | None = None

    def __post_init__(self) -> None:
        """Refuses what is no camera."""
        K = self.K
        if not isinstance(K, Tensor) or K.shape != (3, 3):
            raise InputError(f"K is {K}; give the 3 x 3 matrix of the intrinsics, in pixels, as a torch tensor")
        if not K.isfinite().all() or K[0, 0] <= 0 or K[1, 1] <= 0:
            raise InputError("K is not a camera's: its numbers must be finite, and its focal lengths positive pixels")
        object.__setattr__(self, "K", K.float())

    @property
    def fov(self) -> float:
        """Across the picture's longer side, degrees."""
        width, height = self.image_size
        focal = self.K[0, 0] if width >= height else self.K[1, 1]
        return math.degrees(2 * math.atan(0.5 * max(width, height) / float(focal)))


def camera_for(
    image_size: tuple[int, int], fov: float | None = None, intrinsics: tuple[float, float, float, float] | None = None
) -> CameraModel:
    """The camera from what the user knows of it.

    Args:
        image_size: width and height, pixels.
        fov: across the picture's longer side, degrees.
        intrinsics: fx, fy, cx, cy in pixels of the upright picture, in the place of `fov`.

    Raises:
        InputError: the values cannot be those of a camera.
    """
    width, height = image_size
    low, high = _FOV
    if intrinsics is not None:
        if fov is not None:
            raise InputError(
                "a field of view and intrinsics are both given, and each says how long the lens is; give one"
            )
        if np.shape(intrinsics) != (4,):
            raise InputError(f"intrinsics are of shape {np.shape(intrinsics)}; give four numbers, fx, fy, cx and cy")
        fx, fy, cx, cy = (float(value) for value in intrinsics)
        said = f"intrinsics {fx:g},{fy:g},{cx:g},{cy:g} are not those of a camera with pictures of {width} x {height}"
        if not all(map(math.isfinite, (fx, fy, cx, cy))) or fx <= 0 or fy <= 0:
            raise InputError(f"{said}: fx and fy must be positive pixels")
        camera = CameraModel(torch.tensor([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]]), image_size, "given")
        if not low <= camera.fov <= high:
            raise InputError(f"{said}: it would see {camera.fov:.3g} degrees, not {low:g} to {high:g}; give pixels")
        if not (-width < cx < 2 * width and -height < cy < 2 * height):
            raise InputError(f"{said}: cx and cy are far outside; give pixels from its upper left corner")
        return camera
    if fov is not None and not low <= fov <= high:
        raise InputError(
            f"a field of view of {fov} degrees cannot be used; give {low:g} to {high:g} across the longer side"
        )
    K = intrinsics_from_fov(width, height, math.radians(ASSUMED_FOV if fov is None else fov))
    return CameraModel(K, image_size, "assumed" if fov is None else "given")
