"""From the frames of a live source to everybody's 3D poses."""

import time
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import numpy as np

from poselift.detection import Detector
from poselift.skeleton import Skeleton
from poselift.structures import Detections, LiveFrame, StreamedPose
from poselift.tracking import Tracker
from poselift.video import Captured, Frame

_LONGEST = 10_000
"""Milliseconds; longer latencies count as this."""


@runtime_checkable
class FrameFinder(Protocol):
    """Finds the people in successive frames; it decides in which frames it looks."""

    def look(self, frame: Frame) -> Detections | None:
        """The people in the frame; None if it did not look."""
        ...


@runtime_checkable
class PeopleLifter(Protocol):
    """Lifts all people while frames arrive, as `poselift.lifting.StreamingPeople` does.

    Attributes:
        skeleton: of the poses.
    """

    skeleton: Skeleton

    def push(self, people: Mapping[int, tuple[np.ndarray, np.ndarray]], timestamp: float) -> dict[int, StreamedPose]:
        """The poses by number of the person, from the keypoints and scores of those who were found."""
        ...


class EveryFrame:
    """A finder that searches the whole picture in each frame.

    Args:
        detector: finds the people.
    """

    def __init__(self, detector: Detector) -> None:
        self._detector = detector

    def look(self, frame: Frame) -> Detections | None:
        """The people in the frame."""
        return self._detector.detect([frame.image])[0]


class LivePeople:
    """Finds, tracks and lifts the people of successive frames. Memory does not grow.

    Args:
        finder: finds them.
        lifter: lifts them.
        image_size: (width, height) of the frames in pixels.
    """

    def __init__(self, finder: FrameFinder, lifter: PeopleLifter, image_size: tuple[int, int]) -> None:
        self._finder, self._lifter = finder, lifter
        self._tracker = Tracker(image_size, history=False)

    def process(self, captured: Captured) -> LiveFrame:
        """The people in a frame.

        Where the finder did not look, there are no poses: the last ones are not repeated.
        """
        frame = captured.frame
        found = self._finder.look(frame)
        keypoints: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        people: dict[int, StreamedPose] = {}
        if found is not None:
            numbers = self._tracker.update(found, frame.timestamp)
            keypoints = {
                number: (found.keypoints[row], found.scores[row]) for row, number in enumerate(numbers) if number
            }
            people = self._lifter.push(keypoints, frame.timestamp)
        latency = time.monotonic() - captured.arrived
        return LiveFrame(frame.index, frame.timestamp, captured.dropped, latency, found is not None, people, keypoints)


class Latencies:
    """Percentiles of any number of latencies, to a millisecond. Memory does not grow."""

    def __init__(self) -> None:
        self._counts = np.zeros(_LONGEST + 1, np.int64)

    def __len__(self) -> int:
        return int(self._counts.sum())

    def add(self, seconds: float) -> None:
        """Adds a latency."""
        self._counts[min(max(0, round(1000 * seconds)), _LONGEST)] += 1

    def percentile(self, share: float) -> int:
        """Milliseconds that this share (0 to 1) of the latencies does not exceed; 0 without latencies."""
        return int(np.searchsorted(np.cumsum(self._counts), share * len(self)))
