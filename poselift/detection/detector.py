"""What every detector of 2D keypoints is to the rest of the project."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import UInt8

from poselift.skeleton import Skeleton
from poselift.structures import Detections


@runtime_checkable
class Detector(Protocol):
    """Finds the people in pictures and their 2D keypoints.

    A detector keeps nothing from one frame to the next: who is who over time is the tracker's business.

    Attributes:
        name: as in `poselift.detection.DETECTORS`.
        skeleton: the joint set of what it finds.
        weights: file name -> SHA-256 of each file of weights that it uses, to be written down with results.
    """

    name: str
    skeleton: Skeleton
    weights: dict[str, str]

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame.

        Args:
            frames: RGB pictures, any number and any sizes.

        Returns:
            One `Detections` a frame, in order; with nobody in the frame it has length 0.
        """
        ...
