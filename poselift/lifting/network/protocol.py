"""What runs a lifter: batches of windows in, joints and uncertainty out."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class EncodedWindows:
    """Windows of the same length.

    Attributes:
        pixels: the lifter's input joints; NaN where not seen.
        scores: of the same joints; 0 where not seen.
        times: seconds from the first frame of each window.
        K: intrinsics of each window's camera, pixels.
        image_size: width and height of its picture, pixels.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order, or k1 to k4 of a fisheye lens; None if no lens distorts.
    """

    pixels: Float[np.ndarray, "b t j 2"]
    scores: Float[np.ndarray, "b t j"]
    times: Float[np.ndarray, "b t"]
    K: Float[np.ndarray, "b 3 3"]
    image_size: Float[np.ndarray, "b 2"]
    distortion: Float[np.ndarray, "b k"] | None = None

    def __getitem__(self, rows: slice) -> "EncodedWindows":
        """Some of the windows."""
        lens = None if self.distortion is None else self.distortion[rows]
        return EncodedWindows(
            self.pixels[rows], self.scores[rows], self.times[rows], self.K[rows], self.image_size[rows], lens
        )


@dataclass(frozen=True)
class Lifted:
    """What a lifter gives.

    Attributes:
        joints: relative to the root, frame of the window's camera, metres.
        uncertainty: of each joint as the lifter gives it, metres; None if it gives none.
    """

    joints: Float[np.ndarray, "*n j 3"]
    uncertainty: Float[np.ndarray, "*n j"] | None

    def __getitem__(self, rows: slice) -> "Lifted":
        """The same of some rows."""
        return Lifted(self.joints[rows], None if self.uncertainty is None else self.uncertainty[rows])


@runtime_checkable
class LifterNetwork(Protocol):
    """Runs a lifter.

    Attributes:
        batch: number of windows that are best lifted at once.
    """

    batch: int

    def lift(self, windows: EncodedWindows, flip: bool) -> Lifted:
        """The joints (b, t, j, 3) of windows.

        Args:
            windows: at most `batch` of them.
            flip: average with the mirrored windows.
        """
        ...
