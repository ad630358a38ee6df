"""The camera that a video was taken with, as far as it is known."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.geometry import intrinsics_from_fov

DEFAULT_FOV = 55.0
"""Degrees across the picture's longer side, where nothing is known: phones and camcorders lie around it."""


@dataclass(frozen=True)
class CameraModel:
    """Intrinsics and where they are from.

    Attributes:
        K: intrinsics in pixels.
        image_size: width and height, pixels.
        source: "given" or "assumed".
    """

    K: Float[Tensor, "3 3"]
    image_size: tuple[int, int]
    source: str

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
        intrinsics: fx, fy, cx, cy in pixels of the upright picture; goes before `fov`.

    Raises:
        InputError: the values cannot be those of a camera.
    """
    width, height = image_size
    if intrinsics is not None:
        fx, fy, cx, cy = intrinsics
        if not all(map(math.isfinite, intrinsics)) or fx <= 0 or fy <= 0:
            raise InputError(f"intrinsics {fx},{fy},{cx},{cy} are not a camera's: fx and fy must be positive pixels")
        return CameraModel(torch.tensor([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]]), image_size, "given")
    if fov is not None and not 5.0 <= fov <= 150.0:
        raise InputError(f"a field of view of {fov} degrees cannot be used; give 5 to 150 across the longer side")
    K = intrinsics_from_fov(width, height, math.radians(DEFAULT_FOV if fov is None else fov))
    return CameraModel(K, image_size, "assumed" if fov is None else "given")
