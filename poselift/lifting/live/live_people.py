"""From the frames of a live source to everybody's 3D poses."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from time import monotonic
from typing import Protocol, runtime_checkable

import numpy as np

from poselift.finding.people_finder import PeopleFinder
from poselift.lifting.live.live_camera import LiveCamera
from poselift.lifting.live.live_hands import LiveHands
from poselift.lifting.world.streaming_world import StreamingWorld
from poselift.skeleton import Skeleton
from poselift.structures import Hands, LiveFrame, StreamedPose
from poselift.tracking import Tracker
from poselift.video import Captured

_PRESENT = 0.5
"""Seconds since the last detection of a person, who still counts as there."""
_REMEMBERED = 10.0
"""Seconds for which the last detection of a person is remembered: more than a lookahead takes."""
_FINE = 10_000
"""Milliseconds up to which latencies count one by one; longer ones count to 1 %."""


@runtime_checkable
class PeopleLifter(Protocol):
    """Lifts all people while frames arrive, as `poselift.lifting.StreamingPeople` does.

    Attributes:
        skeleton: of the poses.
    """

    skeleton: Skeleton

    def push(self, people: Mapping[int, tuple[np.ndarray, np.ndarray]], timestamp: float) -> dict[int, StreamedPose]:
        """Poses by person's number, from keypoints and scores of those found."""
        ...


class LivePeople:
    """Finds, tracks and lifts the people of successive frames. Memory does not grow.

    Args:
        finder: finds them.
        lifter: lifts them.
        image_size: (width, height) of the frames in pixels.
        world: moves the poses to the world frame; there are none until it knows the ground.
        hands: finds hands too.
        camera: tells if the camera moves.
    """

    def __init__(
        self,
        finder: PeopleFinder,
        lifter: PeopleLifter,
        image_size: tuple[int, int],
        world: StreamingWorld | None = None,
        hands: LiveHands | None = None,
        camera: LiveCamera | None = None,
    ) -> None:
        self._finder, self._lifter, self._world, self._hands, self._camera = finder, lifter, world, hands, camera
        self._tracker = Tracker(image_size, history=False)
        self._last_seen: dict[int, float] = {}

    def process(self, captured: Captured) -> LiveFrame:
        """The people in a frame.

        A person at whom the finder did not look has no pose: the last one is not repeated.
        """
        frame = captured.frame
        time = frame.timestamp
        found = self._finder.look(frame)
        numbers = self._tracker.update(found, time)
        keypoints: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        people: dict[int, StreamedPose] = {}
        hands: dict[int, Hands] = {}
        if found is not None:
            keypoints = {
                number: (found.keypoints[row], found.scores[row]) for row, number in enumerate(numbers) if number
            }
            self._last_seen |= dict.fromkeys(keypoints, time)
            poses = self._lifter.push(keypoints, time)
            # A lifter holds the last pose of those who were not found. Poses between two detections are new.
            people = {
                number: pose for number, pose in poses.items() if pose.timestamp <= self._last_seen.get(number, -np.inf)
            }
            if self._hands is not None:
                hands = self._hands.look(frame.image, keypoints, time)
                people = {
                    number: replace(pose, hands=self._hands.at(number, pose.timestamp))
                    for number, pose in people.items()
                }
            if self._camera is not None:
                self._camera.look(frame, keypoints)
            if self._world is not None:
                people = self._world.push(people) or {}
        self._last_seen = {number: seen for number, seen in self._last_seen.items() if time - seen <= _REMEMBERED}
        return LiveFrame(
            frame.index,
            time,
            captured.dropped,
            monotonic() - captured.arrived,
            found is not None,
            tuple(sorted(number for number, seen in self._last_seen.items() if time - seen <= _PRESENT)),
            people,
            keypoints,
            hands,
        )


class Latencies:
    """Percentiles of any number of latencies, in little memory. They are exact to a millisecond, above 10 s to 1 %."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def __len__(self) -> int:
        return self._counts.total()

    def add(self, seconds: float) -> None:
        """Adds a latency."""
        latency = max(0, round(1000 * seconds))
        if latency > _FINE:
            step = 10 ** (len(str(latency)) - 3)
            latency = step * round(latency / step)
        self._counts[latency] += 1

    def percentile(self, share: float) -> int:
        """Milliseconds that this share of latencies does not exceed. The share is 0 to 1; 0 without latencies."""
        latencies = sorted(self._counts)
        if not latencies:
            return 0
        reached = np.cumsum([self._counts[latency] for latency in latencies])
        return latencies[min(int(np.searchsorted(reached, share * len(self))), len(latencies) - 1)]
