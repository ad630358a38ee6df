"""The protocol of all detectors of 2D keypoints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, UInt8

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


@dataclass(frozen=True)
class Search:
    """How a whole picture is searched for people. A detector with one way of searching ignores it.

    Attributes:
        fine: also find small people, where that costs more.
        turns: quarter turns, 0 to 3, by which the people to find are turned clockwise.
        tiles: search overlapping parts of the picture as well, where there are many or distant people.
        fine_turns: search for turned people as finely as for upright ones, at twice the cost.
        quick: compute with less precision, where the detector is faster so.
    """

    fine: bool = True
    turns: tuple[int, ...] = (0,)
    tiles: bool = False
    fine_turns: bool = False
    quick: bool = False


@runtime_checkable
class PlaceDetector(Detector, Protocol):
    """A detector that can also look at one place.

    It has no memory either: `poselift.finding.finder` decides who is looked for where and when. Several threads may
    search, and look at one box, at the same time.
    """

    def search(self, frame: UInt8[np.ndarray, "_ _ 3"], how: Search) -> Detections:
        """The people in a whole picture, each once; boxes fit the joints.

        Args:
            frame: RGB.
            how: what the search is for.
        """
        ...

    def look(
        self,
        frame: UInt8[np.ndarray, "_ _ 3"],
        boxes: Float[np.ndarray, "n 4"],
        angles: Float[np.ndarray, " n"],
        quick: bool = False,
    ) -> Detections:
        """The person in each box, in the order of the boxes.

        Args:
            frame: RGB.
            boxes: where people are expected, pixels; with an angle, before the box is turned about its own middle.
            angles: how far each person is turned clockwise from upright, radians.
            quick: compute with less precision, where the detector is faster so.

        Returns:
            One person a box, whether somebody is there or not; box scores are mean joint scores, and boxes fit the
            joints.
        """
        ...
