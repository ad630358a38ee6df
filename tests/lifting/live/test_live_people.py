"""People of a live source: who is lifted when, and memory over many frames."""

import dataclasses
import time
import tracemalloc

import numpy as np
import pytest

from poselift.lifting import StreamingWorld
from poselift.lifting.live.live_people import Latencies, LivePeople
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Detections, StreamedPose
from poselift.video import Captured, Frame

pytestmark = pytest.mark.many_calls

SIZE = (640, 480)
IMAGE = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
BODY = np.random.default_rng(0).uniform((0, 0), (60, 200), (17, 2))


def detections(*places):
    """One person at each place (x in pixels)."""
    keypoints = np.array([BODY + [x, 100] for x in places]).reshape(-1, 17, 2)
    boxes = np.concatenate([keypoints.min(1), keypoints.max(1)], -1).reshape(-1, 4)
    count = len(places)
    return Detections(boxes, np.ones(count), keypoints, np.ones((count, 17)), COCO17)


class FakeFinder:
    """Finds what a function of the time tells; None: does not look."""

    warnings = ()

    def __init__(self, people):
        self._people = people

    def look(self, frame):
        places = self._people(frame.timestamp)
        return None if places is None else detections(*places)

    def find(self, frames):
        return ((self.look(frame), frame.timestamp) for frame in frames)


class FakeLifter:
    """Gives each person a pose at x / 100 metres, and remembers what it got."""

    skeleton = H36M17

    def __init__(self):
        self.pushes = []

    def push(self, people, timestamp):
        self.pushes.append((timestamp, sorted(people)))
        return {
            number: StreamedPose(
                timestamp,
                np.zeros((17, 3), np.float32),
                np.array([keypoints[0, 0] / 100, 0, 4], np.float32),
                None,
                False,
                keypoints,
                scores,
            )
            for number, (keypoints, scores) in people.items()
        }


def captured(index, rate=25, dropped=0):
    return Captured(Frame(IMAGE, index / rate, index), time.monotonic(), dropped)


def run(people, frames, rate=25):
    lifter = FakeLifter()
    live = LivePeople(FakeFinder(people), lifter, SIZE)
    return [live.process(captured(index, rate)) for index in range(frames)], lifter


def test_people_come_and_go():
    def people(time):
        return [100] * (time < 1) + [400] * (time >= 0.5)

    frames, _ = run(people, 50)
    there = {round(frame.timestamp, 2): sorted(frame.people) for frame in frames}
    assert there[0.0] == [], "a person has a number after 0.1 s"
    assert there[0.2] == [1]
    assert there[0.8] == [1, 2]
    assert there[1.2] == [2]
    assert there[1.96] == [2]
    at = frames[45]
    np.testing.assert_allclose(at.people[2].root[0], (BODY[0, 0] + 400) / 100, rtol=1e-5)
    np.testing.assert_allclose(at.keypoints[2][0], BODY + [400, 100])


def test_frames_without_a_look_give_no_poses_and_are_not_pushed():
    frames, lifter = run(lambda time: [100] if round(25 * time) % 2 == 0 else None, 20)
    assert [frame.looked for frame in frames] == [True, False] * 10
    assert all(not frame.people and not frame.keypoints for frame in frames if not frame.looked)
    assert [time for time, _ in lifter.pushes] == [frame.timestamp for frame in frames if frame.looked]


def test_an_empty_frame_is_pushed_because_the_lifter_must_know_who_was_lost():
    frames, lifter = run(lambda time: [], 3)
    assert len(lifter.pushes) == 3
    assert all(frame.looked for frame in frames)


def test_poses_that_a_lifter_holds_are_left_out_and_those_between_looks_stay():
    class Holding(FakeLifter):
        """As `StreamingPeople`: known people who were not found keep their pose; two frames late."""

        def push(self, people, timestamp):
            self.known = getattr(self, "known", {}) | super().push(people, timestamp)
            return {n: dataclasses.replace(pose, timestamp=timestamp - 0.08) for n, pose in self.known.items()}

    live = LivePeople(FakeFinder(lambda time: [100] if time < 1.01 else []), Holding(), SIZE)
    frames = [live.process(captured(index)) for index in range(60)]
    assert [frame.index for frame in frames if 1 in frame.people] == list(range(3, 28))
    assert [frame.index for frame in frames if 1 in frame.present] == list(range(3, 38))


def test_poses_come_in_the_world_frame_once_the_ground_is_known():
    class World(StreamingWorld):
        """Knows the ground after a second, and is one metre below."""

        def __init__(self):
            self.given = []

        def push(self, poses):
            self.given.append(len(poses))
            if len(self.given) < 25:
                return None
            return {n: dataclasses.replace(pose, root=pose.root + 1, frame="world") for n, pose in poses.items()}

    live = LivePeople(FakeFinder(lambda time: [100]), FakeLifter(), SIZE, world := World())
    frames = [live.process(captured(index)) for index in range(30)]
    assert world.given[5:] == [1] * 25
    assert [1 in frame.people for frame in frames] == [False] * 24 + [True] * 6
    assert frames[-1].people[1].frame == "world"
    assert frames[-1].people[1].root[2] == 5
    assert frames[10].present == (1,)


@pytest.mark.slow
def test_memory_is_flat():
    frames = 400

    # People who walk to and fro, leave and come back, so that tracks begin and end all the time.
    def people(time):
        return [100 + 50 * np.sin(time)] * (time % 7 < 3) + [400] * (time % 5 < 4)

    live = LivePeople(FakeFinder(people), lifter := FakeLifter(), SIZE)
    tracemalloc.start()
    used = []
    for index in range(frames):
        live.process(captured(index))
        lifter.pushes.clear()
        if index + 1 in (frames // 2, frames):
            used.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    # A tracker with its history keeps about 1 kB for each person and frame.
    assert used[1] - used[0] < 50 * frames
    assert len(live._tracker._tracks) <= 4


def test_latencies_of_minutes_are_told():
    """They counted as 10 s."""
    latencies = Latencies()
    assert (len(latencies), latencies.percentile(0.5)) == (0, 0)
    for seconds in [0.0123] * 50 + [9.9994] * 30 + [61.234] * 20:
        latencies.add(seconds)
    assert len(latencies) == 100
    assert [latencies.percentile(share) for share in (0.5, 0.8, 0.99, 1.0)] == [12, 9999, 61200, 61200]
