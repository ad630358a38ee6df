"""The camera of a video: lens, picture size, and changing pose.

One class for every use: given or assumed intrinsics, calibrated rigs of datasets, the camera in a result's files. It
holds numpy arrays; `poselift.geometry.pinhole` has the mathematics, for torch too.

It passes 300 lines with the checks of what users give for a lens: they belong beside the class that they make.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.safe_parsing import real_number, whole_number
from poselift.geometry.pinhole import ASSUMED_FOV, intrinsics_from_fov, pixels_to_rays, project
from poselift.geometry.rotations_over_time import nearest_rotation, turn_partly

MOST_PIXELS = 1 << 16
"""Largest side of a picture."""

_FOV = (5.0, 150.0)
"""Accepted fields of view, degrees: a pinhole camera does not describe other lenses."""

_FISHEYE_FOV = (5.0, 170.0)
"""Accepted fields of view of a fisheye lens, degrees: rays further than 85 degrees from its axis are left out."""

_SQUEEZE = 4
"""Times by which fx and fy may differ: anamorphic lenses squeeze pictures to half."""

_ROTATION = 1e-3
"""Largest entry of R Rᵀ - 1 in a rotation that somebody wrote with few digits."""


def check_image_size(image_size: object) -> tuple[int, int]:
    """The size of a picture.

    Raises:
        InputError: it is not two whole numbers from 1 to 65,536, width and height.
    """
    array = isinstance(image_size, np.ndarray) and image_size.ndim == 1
    pair = list(image_size) if array or isinstance(image_size, tuple | list) else []  # type: ignore[call-overload]
    sides = [whole_number(real_number(side), 1, MOST_PIXELS) for side in pair]
    if len(sides) != 2 or sides[0] is None or sides[1] is None:
        raise InputError(f"image_size={image_size!r:.60} is not a size; give (width, height) in whole pixels")
    return sides[0], sides[1]


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera: its lens, the size of its pictures, and its pose.

    The camera frame is x right, y down, z forward. Without a pose it is the world. Focal lengths (`K`) and the pose
    (`R`, `t`) are constant, or have one entry for each of `times`: a camera that zooms, turns or walks.

    Attributes:
        K: intrinsics, pixels: (3, 3), or (t, 3, 3) for a zoom.
        image_size: (width, height) in pixels.
        origin: "given" by the user, a dataset or a calibration, or "assumed".
        distortion: k1, k2, p1, p2, k3 in OpenCV's order; None for a lens without distortion.
        R: from the camera frame to the world, (3, 3) or (t, 3, 3): a place x of the camera frame is at R x + t.
        t: the camera's place in the world, metres, (3,) or (t, 3).
        times: of the entries of what changes, seconds, increasing; None if nothing changes.
        name: of one camera of several; empty for a single one.
        fisheye: k1, k2, k3, k4 of OpenCV's fisheye lens, instead of `distortion`.

    Raises:
        InputError: the size is none, K is no matrix of intrinsics, the distortion is not five numbers, R is no
            rotation, or `times` does not fit what changes.

    Example:
        >>> K = np.array([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]])
        >>> camera = Camera(K, (640, 480))
        >>> round(camera.fov, 2), camera.still
        (65.24, True)
        >>> camera.project(np.array([[1.0, 0, 2]])).tolist()
        [[570.0, 240.0]]
    """

    K: Float[np.ndarray, "*zoom 3 3"]
    image_size: tuple[int, int]
    origin: Literal["given", "assumed"] = "given"
    distortion: Float[np.ndarray, " 5"] | None = None
    R: Float[np.ndarray, "*turn 3 3"] = field(default_factory=lambda: np.eye(3))
    t: Float[np.ndarray, "*walk 3"] = field(default_factory=lambda: np.zeros(3))
    times: Float[np.ndarray, " t"] | None = None
    name: str = ""
    fisheye: Float[np.ndarray, " 4"] | None = None

    def __post_init__(self) -> None:
        """Checks lens, size and pose."""
        object.__setattr__(self, "image_size", check_image_size(self.image_size))
        _check_lens_arrays(self.K, self.distortion, self.fisheye)
        _check_pose(self.R, self.t)
        _check_times(self.times, {"K": self.K[..., 0, 0], "R": self.R[..., 0, 0], "t": self.t[..., 0]})

    @classmethod
    def from_extrinsics(
        cls,
        K: Float[np.ndarray, "3 3"],
        image_size: tuple[int, int],
        R: Float[np.ndarray, "3 3"],
        t: Float[np.ndarray, "3"],
        distortion: Float[np.ndarray, " 5"] | None = None,
        name: str = "",
        fisheye: Float[np.ndarray, " 4"] | None = None,
    ) -> "Camera":
        """The camera of a calibration.

        A place X of the world is at R X + t in the camera frame.

        Args:
            K: see the class, also for the arguments below.
            image_size: (width, height) in pixels.
            R: from the world to the camera frame.
            t: likewise, metres.
            distortion: k1, k2, p1, p2, k3.
            name: of the camera.
            fisheye: k1, k2, k3, k4, instead of `distortion`.
        """
        _check_pose(R, t)
        place = -np.linalg.solve(R, t)
        return cls(K, image_size, distortion=distortion, R=R.T, t=place, name=name, fisheye=fisheye)

    @property
    def still(self) -> bool:
        """Whether neither lens nor pose changes."""
        return self.times is None

    @property
    def fov(self) -> float:
        """Field of view across the longer side, degrees; a zoom's median."""
        width, height = self.image_size
        focal = np.median(self.K[..., 0, 0] if width >= height else self.K[..., 1, 1])
        half = 0.5 * max(width, height) / float(focal)
        return math.degrees(2 * (math.atan(half) if self.fisheye is None else half))

    @property
    def lens(self) -> Float[np.ndarray, " k"] | None:
        """The lens of `poselift.geometry.project`.

        It has five numbers of `distortion` or four of `fisheye`, or is None.
        """
        return self.distortion if self.fisheye is None else self.fisheye

    @property
    def extrinsics(self) -> tuple[Float[np.ndarray, "*turn 3 3"], Float[np.ndarray, "*walk 3"]]:
        """The field's R and t, from the world to the camera."""
        R = self.R.swapaxes(-1, -2)
        return R, -(R @ self.t[..., None])[..., 0]

    def with_pose(
        self,
        R: Float[np.ndarray, "*turn 3 3"],
        t: Float[np.ndarray, "*walk 3"],
        times: Float[np.ndarray, " t"] | None = None,
    ) -> "Camera":
        """The camera at another place; for the arguments see the class."""
        return replace(self, R=R, t=t, times=self.times if times is None else times)

    def at(self, times: Float[np.ndarray, " n"]) -> "Camera":
        """The camera at some times, an entry for each.

        A camera that is still stays as it is. Places and intrinsics are interpolated by straight lines, rotations by
        the shortest turn; before the first and after the last entry they stay.

        Args:
            times: seconds, increasing.
        """
        if self.times is None:
            return self
        known, wanted = self.times, np.asarray(times, np.float64)
        after = np.clip(np.searchsorted(known, wanted), 1, max(len(known) - 1, 1)).clip(max=len(known) - 1)
        before = np.maximum(after - 1, 0)
        gap = np.where(after > before, known[after] - known[before], 1.0)
        share = np.clip((wanted - known[before]) / gap, 0.0, 1.0)

        def blend(values: np.ndarray, axes: int) -> np.ndarray:
            if values.ndim == axes:
                return values
            part = share.reshape(-1, *[1] * axes)
            mixed: np.ndarray = (1 - part) * values[before] + part * values[after]
            return mixed

        R = self.R
        if R.ndim == 3:
            R = nearest_rotation(R[before] @ turn_partly(R[before].swapaxes(-1, -2) @ R[after], share))
        return replace(self, K=blend(self.K, 2), R=R, t=blend(self.t, 1), times=wanted)

    def project(self, points: Float[np.ndarray, "*#t n 3"]) -> Float[np.ndarray, "*#t n 2"]:
        """Pixels of places in the world, distorted; NaN behind the camera.

        Args:
            points: metres; the first axis is that of `times` if something changes.
        """
        R, t = self.extrinsics
        seen = points @ R.swapaxes(-1, -2) + t[..., None, :]
        pixels: np.ndarray = project(seen, self.K.astype(seen.dtype), self._lens(seen.dtype))
        return pixels

    def rays(self, pixels: Float[np.ndarray, "*t n 2"]) -> Float[np.ndarray, "*t n 3"]:
        """Rays of pixels in the camera frame, at z = 1.

        NaN where the distortion has no inverse.

        Args:
            pixels: the first axis is that of `times` if something changes.
        """
        rays: np.ndarray = pixels_to_rays(pixels, self.K.astype(pixels.dtype), self._lens(pixels.dtype))
        return rays

    def _lens(self, dtype: np.dtype) -> np.ndarray | None:
        return None if self.lens is None else self.lens.astype(dtype)


def camera_for(
    image_size: tuple[int, int],
    fov: float | None = None,
    intrinsics: tuple[float, float, float, float] | None = None,
    distortion: Sequence[float] | None = None,
    fisheye: Sequence[float] | None = None,
) -> Camera:
    """The camera of a given lens, or an assumed one.

    Args:
        image_size: (width, height) in pixels.
        fov: field of view across the longer side of the picture, degrees.
        intrinsics: fx, fy, cx, cy in pixels of the upright picture, instead of `fov`.
        distortion: k1, k2, p1, p2 and perhaps k3 of OpenCV's lens.
        fisheye: k1, k2, k3, k4 of OpenCV's fisheye lens, instead of `distortion`; `fov` then counts angles, as that
            lens does.

    Raises:
        InputError: both are given, or the values do not fit a camera.

    Example:
        >>> camera_for((1920, 1080)).origin
        'assumed'
        >>> camera_for((1920, 1080), fov=60.0).origin
        'given'
    """
    width, height = check_image_size(image_size)
    check_distortion(distortion, fisheye)
    low, high = _FOV if fisheye is None else _FISHEYE_FOV
    values = check_lens(fov, intrinsics, fisheye)
    bent = None if distortion is None else np.array([*distortion, 0.0][:5], np.float32)
    wide = None if fisheye is None else np.array(fisheye, np.float32)
    if values is not None:
        fx, fy, cx, cy = values
        said = f"{_said(values)} do not fit pictures of {width} x {height} pixels"
        camera = Camera(np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]], np.float32), (width, height))
        camera = replace(camera, distortion=bent, fisheye=wide)
        if not low <= camera.fov <= high:
            raise InputError(
                f"{said}: the field of view is {camera.fov:.3g} degrees, not {low:g} to {high:g}; give pixels"
            )
        if not (-width < cx < 2 * width and -height < cy < 2 * height):
            raise InputError(f"{said}: cx and cy are far outside; give pixels from the upper left corner")
        return camera
    if wide is not None:
        assert fov is not None
        half = math.radians(fov) / 2
        angle = half * (1 + sum(k * half ** (2 * power) for power, k in enumerate(wide.tolist(), 1)))
        if angle <= 0:
            raise InputError(f"fisheye {_listed(wide)} is of no lens of {fov:g} degrees; give k1, k2, k3, k4 of yours")
        K = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
        K[[0, 1], [0, 1]] = max(width, height) / 2 / angle
        K[:2, 2] = (width - 1) / 2, (height - 1) / 2
    else:
        K = intrinsics_from_fov(width, height, math.radians(ASSUMED_FOV if fov is None else fov))
    return Camera(K, (width, height), "assumed" if fov is None else "given", bent, fisheye=wide)


def check_distortion(distortion: object, fisheye: object) -> None:
    """Checks the numbers of a lens that bends the picture.

    Raises:
        InputError: both are given, they are not four or five numbers, or none is finite.
    """
    if distortion is not None and fisheye is not None:
        raise InputError("distortion and fisheye are both given; give those of one lens model")
    for name, given, counts, wanted in (
        ("distortion", distortion, (4, 5), "k1, k2, p1, p2 and perhaps k3"),
        ("fisheye", fisheye, (4,), "k1, k2, k3, k4"),
    ):
        if given is None:
            continue
        values = [real_number(value) for value in given] if np.iterable(given) and not isinstance(given, str) else []
        if len(values) not in counts or not all(value is not None and math.isfinite(value) for value in values):
            raise InputError(f"{name} is {given!r:.60}; give {wanted}, finite numbers in OpenCV's order")


def check_lens(fov: object, intrinsics: object, fisheye: object = None) -> tuple[float, float, float, float] | None:
    """Checks a field of view or intrinsics, whatever the picture's size.

    Returns:
        The intrinsics as numbers; None without any.

    Raises:
        InputError: both are given, or no lens has these values.
    """
    low, high = _FOV if fisheye is None else _FISHEYE_FOV
    if fisheye is not None and fov is None and intrinsics is None:
        raise InputError("a fisheye lens needs its focal length; give --fov or --intrinsics too")
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


def _check_lens_arrays(K: object, lens: object, fisheye: object) -> None:
    """Checks intrinsics and distortion."""
    if not isinstance(K, np.ndarray) or K.ndim not in (2, 3) or K.shape[-2:] != (3, 3) or K.dtype.kind not in "fiu":
        found = f"of the shape {np.shape(K)}" if isinstance(K, np.ndarray) else f"a {type(K).__name__}"
        raise InputError(f"K is {found}; give the 3 x 3 matrix of the intrinsics, in pixels, as a numpy array")
    if lens is not None and not (isinstance(lens, np.ndarray) and lens.shape == (5,) and lens.dtype.kind in "fiu"):
        found = f"a {type(lens).__name__}"
        if isinstance(lens, np.ndarray):
            found = f"{lens.dtype} of the shape {lens.shape}"
        raise InputError(f"distortion is {found}; give k1, k2, p1, p2, k3 as an array of the shape (5,), or None")
    if isinstance(lens, np.ndarray) and not np.isfinite(lens).all():
        raise InputError("distortion has NaN or infinity; give k1, k2, p1, p2, k3, or None")
    if fisheye is not None and lens is not None:
        raise InputError("distortion and fisheye are both given; give those of one lens model")
    if fisheye is not None and not (
        isinstance(fisheye, np.ndarray)
        and fisheye.shape == (4,)
        and fisheye.dtype.kind in "fiu"
        and np.isfinite(fisheye).all()
    ):
        raise InputError("fisheye must be k1, k2, k3, k4 as an array of four finite numbers, or None")
    assert isinstance(K, np.ndarray)
    if not np.isfinite(K).all() or (K[..., 0, 0] <= 0).any() or (K[..., 1, 1] <= 0).any():
        raise InputError("K must have finite numbers and positive focal lengths, in pixels")


def _check_pose(R: object, t: object) -> None:
    """Checks rotation and place."""
    for name, value, shape in (("R", R, (3, 3)), ("t", t, (3,))):
        if not isinstance(value, np.ndarray) or value.shape[-len(shape) :] != shape or value.ndim > len(shape) + 1:
            found = f"of the shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise InputError(f"the camera's {name} is {found}; give the shape {shape}, or (t, {str(shape)[1:]}")
        if not np.isfinite(value).all():
            raise InputError(f"the camera's {name} has NaN or infinity; give finite numbers")
    assert isinstance(R, np.ndarray)
    if np.abs(R @ R.swapaxes(-1, -2) - np.eye(3)).max() > _ROTATION or (np.linalg.det(R) < 0).any():
        raise InputError("the camera's R is no rotation: its rows must be at right angles, of length 1, not mirrored")


def _check_times(times: Float[np.ndarray, " t"] | None, changing: dict[str, np.ndarray]) -> None:
    """Checks that what changes has an entry for each time."""
    counts = {name: len(values) for name, values in changing.items() if values.ndim}
    if times is None:
        if counts:
            raise InputError(f"the camera's {next(iter(counts))} changes, but without times; give times, seconds")
        return
    if not isinstance(times, np.ndarray) or times.ndim != 1 or not len(times) or not (np.diff(times) > 0).all():
        raise InputError("the camera's times must be an array of increasing seconds")
    for name, count in counts.items():
        if count != len(times):
            raise InputError(f"the camera has {len(times)} times, but {count} entries of {name}; give one for each")
    if not counts:
        raise InputError("the camera has times, but nothing changes; leave the times out")


def _said(intrinsics: Sequence[float]) -> str:
    """Intrinsics for a message."""
    return f"intrinsics {_listed(intrinsics)}"


def _listed(values: Sequence[float] | np.ndarray) -> str:
    """Numbers for a message."""
    return ",".join(f"{value:g}" for value in values)


def _number(value: object, name: str) -> float:
    """The value as a number."""
    if (number := real_number(value)) is None:
        raise InputError(f"{name} has {value!r:.40}; give numbers")
    return number
