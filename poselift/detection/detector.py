"""The protocol of all detectors of 2D keypoints."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import UInt8

from poselift.skeleton import Skeleton
from poselift.structures import Detections


@runtime_checkable
class Detector(Protocol):
    """Finds the people in pictures, and their 2D keypoints.

    A detector has no memory of earlier frames: the tracker identifies people over time.

    Attributes:
        name: its name in `poselift.detection.DETECTORS`.
        skeleton: skeleton of the keypoints.
        weights: SHA-256 of each weight file by file name, for the results.
    """

    name: str
    skeleton: Skeleton
    weights: dict[str, str]

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame.

        Args:
            frames: RGB pictures of any number and size.

        Returns:
            One `Detections` per frame, in order; length 0 for an empty frame.
        """
        ...
