import threading
from time import sleep

import numpy as np
import pytest

from poselift.finding.finder import Finder
from poselift.finding.people_finder import build_finder
from poselift.finding.qualities import Pace
from poselift.finding.searching_finder import SearchingFinder
from poselift.skeleton import COCO17
from poselift.structures import Detections
from poselift.video import Frame

pytestmark = pytest.mark.many_calls

BODY = np.stack([np.tile(np.linspace(0, 1, 6), 3)[:17], np.linspace(0, 1, 17)], -1) * [40, 100]
PACE = Pace(30.0, 2, 4.0)


class Street:
    """A detector of made people: `people(time)` gives the upper left corner of each, and its clock is the picture."""

    name, skeleton = "street", COCO17

    def __init__(self, people, small=()):
        self.people, self.small = people, small
        self.weights = {}
        self.crops, self.searches = [], []

    @staticmethod
    def time(frame):
        return int(frame[0, 0, 0]) + int(frame[0, 0, 1]) / 60

    def poses(self, frame):
        return [BODY + corner for corner in self.people(self.time(frame))]

    def found(self, poses, scores):
        poses = np.array(poses).reshape(-1, 17, 2)
        boxes = np.concatenate([poses.min(1), poses.max(1)], -1)
        return Detections(
            boxes, np.array(scores, float), poses, np.repeat(np.array(scores, float)[:, None], 17, 1), COCO17
        )

    def detect(self, frames):
        return [self.found(poses, [0.8] * len(poses)) for poses in map(self.poses, frames)]

    def search(self, frame, how):
        self.searches.append((self.time(frame), how))
        upright = [] if 0 not in how.turns else list(enumerate(self.poses(frame)))
        poses = [pose for number, pose in upright if how.fine or number not in self.small]
        return self.found(poses, [0.8] * len(poses))

    def look(self, frame, boxes, angles, quick=False):
        self.crops.append((self.time(frame), len(boxes)))
        poses, scores = [], []
        for box in boxes:
            near = [pose for pose in self.poses(frame) if np.abs(pose.mean(0) - (box[:2] + box[2:]) / 2).max() < 25]
            poses.append(near[0] if near else BODY + box[:2])
            scores.append(0.8 if near else 0.05)
        return self.found(poses, scores)


def frames(seconds, fps=60):
    for index in range(round(seconds * fps)):
        whole, part = divmod(index * 60 // fps, 60)
        yield Frame(np.full((400, 600, 3), [whole, part, 0], np.uint8), index / fps, index)


def watch(people, seconds=4.0, fps=60, pace=PACE, small=()):
    detector = Street(people, small)
    finder = Finder(detector, pace)
    return detector, [(time, found) for found, time in finder.find(frames(seconds, fps))]


def corners(found):
    return sorted(found.boxes[:, 0].round().tolist())


def test_calm_people_are_looked_at_every_second_time():
    detector, seen = watch(lambda time: [(100 + 30 * time, 50)], 2.0)
    looked = [time for time, found in seen if found is not None]
    assert np.diff(looked[5:-1]) == pytest.approx(1 / 15, abs=1e-6)
    assert looked[-1] == 119 / 60  # the last frame in any case
    assert all(corners(found) == [round(100 + 30 * time)] for time, found in seen if found is not None)
    assert sum(count for _, count in detector.crops) < 2 * 15 + 12  # and again after each search at most


def test_the_first_search_is_for_upright_and_turned_people_at_once():
    detector, seen = watch(lambda time: [(100, 50), (300, 50)], 0.1)
    assert sorted(how.turns for time, how in detector.searches if time == 0) == [(0,), (1, 2, 3)]
    assert len(seen[0][1]) == 2


def test_people_who_change_their_movement_are_looked_at_each_time():
    _, seen = watch(lambda time: [(100 + 20 * np.sin(25 * time), 50)], 2.0)
    looked = [time for time, found in seen if found is not None]
    assert len(looked) > 2 * 24
    assert np.diff(looked[:-1]).min() > 1 / 30 - 1e-6


@pytest.mark.parametrize("fps", [12, 24, 25, 50])
def test_crop_detections_do_not_depend_on_the_frame_rate(fps):
    _, seen = watch(lambda time: [(100 + 20 * np.sin(25 * time), 50)], 2.0, fps)
    looked = sum(found is not None for _, found in seen)
    assert min(fps, 30) * 2 * 0.75 <= looked <= min(fps, 30) * 2 + 1


@pytest.mark.slow
def test_newcomers_are_found_within_half_a_second():
    _, seen = watch(lambda time: [(100, 50)] + [(300, 50)] * (time > 1.03) + [(400, 250)] * (time > 2.2), small=(2,))
    first = {
        corner: min(time for time, found in seen if found is not None and corner in corners(found))
        for corner in (300, 400)
    }
    assert first[300] - 1.03 < 0.35
    assert first[400] - 2.2 < 0.6


def test_newcomers_of_a_file_are_there_from_the_first_frame_that_shows_them():
    def people(time):
        return [(100, 50)] + [(300 - 40 * time, 50)] * (time > 1.03)

    _, seen = watch(people, 2.5, small=(1,))
    with_newcomer = [time for time, found in seen if found is not None and len(found) == 2]
    assert 1.03 < with_newcomer[0] < 1.03 + 2 / 15
    assert np.diff(with_newcomer).max() < 0.15
    for time, found in seen:
        if found is not None and len(found) == 2:
            assert corners(found)[1] == pytest.approx(300 - 40 * time, abs=1), time


def test_somebody_who_is_missed_at_the_start_is_there_from_the_start():
    class Late(Street):
        def search(self, frame, how):
            found = super().search(frame, how)
            return found if self.time(frame) > 0.1 or not len(found) else found.rows([0])

    finder = Finder(Late(lambda time: [(100, 50), (300, 50)]), PACE)
    first = next(found for found, _ in finder.find(frames(1)))
    assert corners(first) == [100, 300]


def test_without_a_file_nobody_is_followed_backwards():
    detector = Street(lambda time: [(100, 50)] + [(300, 50)] * (time > 0.5))
    finder = Finder(detector, PACE)
    times = [time for time, found in ((frame.timestamp, finder.look(frame)) for frame in frames(1.5)) if found]
    assert times == sorted(times)
    looked = [time for time, _ in detector.crops]
    assert looked == sorted(looked)


EVERY = Pace(30.0, 1, 4.0)


def one_by_one(people, seconds, fps):
    """What the finder gives where it does not know the next frame."""
    detector = Street(people)
    finder = Finder(detector, EVERY)
    return [(frame.timestamp, finder.look(frame)) for frame in frames(seconds, fps)]


@pytest.mark.slow
@pytest.mark.parametrize("fps", [30, 60])
def test_early_detections_show_what_those_in_turn_show(fps):
    def people(time):
        return [(100 + 60 * time, 50 + 20 * time)]

    detector, seen = watch(people, 2.0, fps, EVERY)
    for (time, found), (_, expected) in zip(seen[:-1], one_by_one(people, 2.0, fps), strict=False):
        assert (found is None) == (expected is None), time
        if found is not None:
            np.testing.assert_array_equal(found.keypoints, expected.keypoints)
    times = [time for time, count in detector.crops if count == 1]
    assert sorted(times) == pytest.approx([time for time, found in seen if found is not None])


def test_an_early_detection_at_the_wrong_place_is_not_used():
    def people(time):  # walks, and jumps aside within one frame
        return [(100 + 60 * time + 22 * (time >= 0.99), 50)]

    detector, seen = watch(people, 2.0, 30, EVERY)
    for time, found in seen[1:]:
        np.testing.assert_allclose(found.boxes[:, 0], people(time)[0][0], err_msg=str(time))
    times = [time for time, count in detector.crops if count == 1]
    assert len(set(times)) < len(times)  # somewhere after the jump there was a second crop


class StillStreet(Street):
    """The same with a still camera: people are grey, and the first pixel is the clock."""

    def frames(self, seconds):
        for frame in frames(seconds):
            image = np.full((400, 600, 3), 120, np.uint8)
            for left, top in np.array(self.people(frame.timestamp)).reshape(-1, 2).round().astype(int):
                image[top : top + 100, left : left + 40] = 30
            image[0, 0] = frame.image[0, 0]
            yield Frame(image, frame.timestamp, frame.index)


def still(people, seconds):
    detector = StillStreet(people)
    seen = list(Finder(detector, Pace(30.0, 2, 6.0)).find(detector.frames(seconds)))
    return [time for time, how in detector.searches if 0 in how.turns], seen


@pytest.mark.slow
def test_a_still_picture_is_searched_once_a_second():
    searched, _ = still(lambda time: [(100 + 40 * time, 50)], 6.0)
    assert len([time for time in searched if time < 1]) > 2
    assert np.diff([time for time in searched if time > 1]) == pytest.approx(1.1, abs=0.15)


@pytest.mark.slow
def test_who_comes_into_a_still_picture_is_searched_for_at_once():
    searched, seen = still(lambda time: [(100, 50)] + [(300, 50)] * (time > 2.03), 4.0)
    assert sum(2.03 < time < 2.8 for time in searched) >= 3
    assert min(time for found, time in seen if found is not None and 300 in corners(found)) < 2.03 + 0.5


def test_what_no_search_finds_again_is_given_up():
    detector = Street(lambda time: [(100, 50)])
    seen = detector.search
    detector.search = lambda frame, how: seen(frame, how) if detector.time(frame) < 0.5 else detector.found([], [])
    finder = Finder(detector, PACE)
    found = [(time, people) for people, time in finder.find(frames(4)) if people is not None]
    assert all(len(people) == 1 for time, people in found if time < 1)
    assert all(len(people) == 0 for time, people in found if time > 2.5)


def test_best_looks_at_every_frame():
    detector = Street(lambda time: [(100, 50)])
    found = [people for people, _ in build_finder(detector, "best").find(frames(1))]
    assert all(people is not None and len(people) == 1 for people in found)


def test_a_detector_without_places_searches_whole_frames():
    class Whole:
        name, skeleton, weights = "whole", COCO17, {}
        detect = Street(lambda time: [(9, 9)]).detect

    finder = build_finder(Whole(), "balanced")
    assert isinstance(finder, SearchingFinder)
    batches = [found is not None for found, _ in finder.find(frames(1))]
    assert sum(batches) == 15 + 1  # and the last frame
    alone = build_finder(Whole(), "balanced")
    assert [alone.look(frame) is not None for frame in frames(1)][:-1] == batches[:-1]


class Acrobats(Street):
    """Upright crops and searches do not show these people: they are turned clockwise by `angle(time)`."""

    def __init__(self, angle):
        super().__init__(lambda time: [(250, 150)])
        self.angle = angle

    def poses(self, frame):
        angle = self.angle(self.time(frame))
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return [(pose - [270, 200]) @ turn.T + [270, 200] for pose in super().poses(frame)]

    def search(self, frame, how):
        upright = [
            np.abs(np.angle(np.exp(1j * (self.angle(self.time(frame)) - np.pi / 2 * turn)))) for turn in how.turns
        ]
        poses = self.poses(frame) if min(upright) < np.pi / 4 + 0.01 else []
        return self.found(poses, [0.8] * len(poses))

    def look(self, frame, boxes, angles, quick=False):
        found = super().look(frame, boxes, angles, quick)
        off = np.abs(np.angle(np.exp(1j * (self.angle(self.time(frame)) - angles))))
        # As MoveNet's scores fall with the angle: about 0.5 at 60 degrees.
        return self.found(found.keypoints, found.box_scores * np.select([off < 0.6, off < 1.1], [1.0, 0.6], 0.06))


@pytest.mark.parametrize("degrees", [60, 180])
def test_turned_people_are_found_at_once_and_not_lost(degrees):
    finder = Finder(Acrobats(lambda time: np.radians(degrees)), PACE)
    seen = [found for found, _ in finder.find(frames(2, 30)) if found is not None]
    assert all(len(found) == 1 for found in seen)


@pytest.mark.slow
def test_a_cartwheel_is_followed():
    finder = Finder(Acrobats(lambda time: np.pi * max(0, time - 1)), PACE)
    seen = [found for found, _ in finder.find(frames(4)) if found is not None]
    assert np.mean([len(found) == 1 for found in seen]) > 0.97


class Busy(Street):
    """A machine on which a search takes half a second."""

    def search(self, frame, how):
        sleep(0.5)
        self.threads.add(threading.current_thread().name.rpartition("_")[0])
        return super().search(frame, how)


@pytest.mark.slow
@pytest.mark.parametrize("wait_first", [True, False])
def test_the_first_search_of_a_file_is_waited_for_and_gives_way_to_nobody(wait_first):
    detector = Busy(lambda time: [(100, 50)])
    detector.threads = set()
    finder = Finder(detector, PACE, wait=False, wait_first=wait_first)
    first = finder.look(next(frames(1)))
    assert (first is not None and len(first) == 1) == wait_first
    sleep(1.2)
    assert detector.threads == {"poselift"}
