"""Camera intrinsics: given by the user, or assumed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from poselift.core.bounded import real_number
from poselift.core.errors import InputError
from poselift.geometry import ASSUMED_FOV, intrinsics_from_fov
from poselift.structures import check_image_size

_FOV = (5.0, 150.0)
"""Accepted fields of view, degrees: a pinhole camera does not describe other lenses."""

_SQUEEZE = 4
"""Times by which fx and fy may differ: anamorphic lenses squeeze pictures to half."""


@dataclass(frozen=True)
class CameraModel:
    """Intrinsics of a camera.

    Attributes:
        K: intrinsics in pixels, converted to float32.
        image_size: (width, height) in pixels.
        origin: "given" by the user or a dataset, or "assumed".
        distortion: k1, k2, p1, p2, k3 in OpenCV's order; None for a lens without distortion.

    Raises:
        InputError: the size is none, K is not 3 x 3, its focal lengths are not positive, or the distortion is not five
            numbers.

    Example:
        >>> K = np.array([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]])
        >>> round(CameraModel(K, (640, 480), "given").fov, 2)
        65.24
    """

    K: Float[np.ndarray, "3 3"]
    image_size: tuple[int, int]
    origin: Literal["given", "assumed"]
    distortion: Float[np.ndarray, " 5"] | None = None

    def __post_init__(self) -> None:
        """Checks the size, K and the distortion."""
        object.__setattr__(self, "image_size", check_image_size(self.image_size))
        K, lens = self.K, self.distortion
        if not isinstance(K, np.ndarray) or K.shape != (3, 3):
            found = f"of the shape {np.shape(K)}" if isinstance(K, np.ndarray) else f"a {type(K).__name__}"
            raise InputError(f"K is {found}; give the 3 x 3 matrix of the intrinsics, in pixels, as a numpy array")
        if lens is not None and not (isinstance(lens, np.ndarray) and lens.shape == (5,) and lens.dtype.kind in "fiu"):
            array = isinstance(lens, np.ndarray)
            found = f"{lens.dtype} of the shape {lens.shape}" if array else f"a {type(lens).__name__}"
            raise InputError(f"distortion is {found}; give k1, k2, p1, p2, k3 as an array of the shape (5,), or None")
        if lens is not None and not np.isfinite(lens).all():
            raise InputError("distortion has NaN or infinity; give k1, k2, p1, p2, k3, or None")
        if not np.isfinite(K).all() or K[0, 0] <= 0 or K[1, 1] <= 0:
            raise InputError("K must have finite numbers and positive focal lengths, in pixels")
        object.__setattr__(self, "K", K.astype(np.float32))

    @property
    def fov(self) -> float:
        """Field of view across the longer side of the picture, degrees."""
        width, height = self.image_size
        focal = self.K[0, 0] if width >= height else self.K[1, 1]
        return math.degrees(2 * math.atan(0.5 * max(width, height) / float(focal)))


def camera_for(
    image_size: tuple[int, int], fov: float | None = None, intrinsics: tuple[float, float, float, float] | None = None
) -> CameraModel:
    """The camera with the given field of view or intrinsics, or an assumed one.

    Args:
        image_size: (width, height) in pixels.
        fov: field of view across the longer side of the picture, degrees.
        intrinsics: fx, fy, cx, cy in pixels of the upright picture, instead of `fov`.

    Raises:
        InputError: both are given, or the values do not fit a camera.

    Example:
        >>> camera_for((1920, 1080)).origin
        'assumed'
        >>> camera_for((1920, 1080), fov=60.0).origin
        'given'
    """
    unit = CameraModel(np.eye(3), image_size, "assumed")  # checks the size before it is used
    width, height = unit.image_size
    low, high = _FOV
    values = check_lens(fov, intrinsics)
    if values is not None:
        fx, fy, cx, cy = values
        said = f"{_said(values)} do not fit pictures of {width} x {height} pixels"
        camera = replace(unit, K=np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]]), origin="given")
        if not low <= camera.fov <= high:
            raise InputError(
                f"{said}: the field of view is {camera.fov:.3g} degrees, not {low:g} to {high:g}; give pixels"
            )
        if not (-width < cx < 2 * width and -height < cy < 2 * height):
            raise InputError(f"{said}: cx and cy are far outside; give pixels from the upper left corner")
        return camera
    K = intrinsics_from_fov(width, height, math.radians(ASSUMED_FOV if fov is None else fov))
    return replace(unit, K=K, origin="assumed" if fov is None else "given")


def check_lens(fov: object, intrinsics: object) -> tuple[float, float, float, float] | None:
    """Checks a field of view or intrinsics, as far as pictures of any size can have them.

    Returns:
        The intrinsics as numbers; None without any.

    Raises:
        InputError: both are given, or no lens has these values.
    """
    low, high = _FOV
    if fov is not None and not low <= _number(fov, "fov") <= high:
        raise InputError(f"the field of view is {fov} degrees; give {low:g} to {high:g}, across the longer side")
    if intrinsics is None:
        return None
    if fov is not None:
        raise InputError("a field of view and intrinsics are both given; give one of them")
    values = [_number(value, "intrinsics") for value in intrinsics] if np.iterable(intrinsics) else []
    if len(values) != 4:
        raise InputError(f"intrinsics are {intrinsics!r:.60}; give four numbers: fx, fy, cx, cy")
    fx, fy, cx, cy = values
    if not all(map(math.isfinite, values)) or fx <= 0 or fy <= 0:
        raise InputError(f"{_said(values)} are of no lens: fx and fy must be positive pixels")
    if not 1 / _SQUEEZE < fx / fy < _SQUEEZE:
        raise InputError(f"{_said(values)} are of no lens: fx and fy are too different; give both in pixels")
    return fx, fy, cx, cy


def _said(intrinsics: Sequence[float]) -> str:
    """Intrinsics for a message."""
    return f"intrinsics {','.join(f'{value:g}' for value in intrinsics)}"


def _number(value: object, name: str) -> float:
    """The value as a number."""
    if (number := real_number(value)) is None:
        raise InputError(f"{name} has {value!r:.40}; give numbers")
    return number
