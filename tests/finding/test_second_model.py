from concurrent.futures import Future

import numpy as np
import pytest

import poselift
from poselift.detection import MoveNetBlazePose
from poselift.detection.blazepose import BlazePose
from poselift.detection.joining import compare
from poselift.finding import VideoClip
from poselift.finding.followed_person import Followed
from poselift.finding.qualities import SECOND_RATES
from poselift.finding.second_model import SecondModel, _Seen
from poselift.samples import demo_video
from poselift.skeleton import COCO17, COCO_WHOLEBODY23
from poselift.structures import Detections
from poselift.video import Frame, VideoReader

pytestmark = pytest.mark.many_calls

LOSS = {"start": 2.6, "end": 3.6}
"""Seconds of the demo clip in which MoveNet alone loses somebody in the shade."""

FEET = COCO_WHOLEBODY23.indices(["left_heel", "right_heel", "left_big_toe", "right_big_toe"])


@pytest.fixture(scope="module")
def detector():
    return MoveNetBlazePose("cpu")


@pytest.fixture(scope="module")
def clips(detector):
    """The people of a second of the demo clip, with both models and with MoveNet alone."""
    return [list(VideoClip(demo_video(), each, start=1.0, end=1.6).people()) for each in (detector, detector.first)]


@pytest.mark.slow
def test_the_people_are_movenets_with_feet_in_every_frame(clips):
    joined, first = clips
    assert len(joined) == len(first) > 15
    for (people, time), (alone, other_time) in zip(joined, first, strict=True):
        assert time == other_time
        assert people.skeleton == COCO_WHOLEBODY23
        np.testing.assert_array_equal(people.boxes, alone.boxes)
        assert np.isfinite(people.keypoints[:, FEET]).all()
        assert (people.scores[:, FEET] > 0).all()
        sizes = (alone.boxes[:, 2:] - alone.boxes[:, :2]).max(-1)
        apart = np.linalg.norm(people.keypoints[:, : len(COCO17)] - alone.keypoints, axis=-1) / sizes[:, None]
        assert np.nanmax(apart) < 0.06, "a mean of two that agree"
    assert np.nanmean(apart) > 0.002, "the second model counts"


@pytest.mark.slow
def test_the_second_model_looks_at_some_frames_only(detector, monkeypatch):
    calls = []
    look_at = BlazePose.look_at
    monkeypatch.setattr(BlazePose, "look_at", lambda self, *given: (calls.append(1), look_at(self, *given))[1])
    list(VideoClip(demo_video(), detector, start=1.0, end=2.0).people())
    rate = SECOND_RATES["balanced"]
    assert 2 * rate - 4 <= len(calls) <= 2 * rate + 6, "of two people, in a second"


@pytest.mark.slow
def test_the_same_frames_give_the_same_joints(detector, clips):
    again = list(VideoClip(demo_video(), detector, start=1.0, end=1.6).people())
    for (people, _), (others, _) in zip(clips[0], again, strict=True):
        np.testing.assert_array_equal(people.keypoints, others.keypoints)
        np.testing.assert_array_equal(people.scores, others.scores)


@pytest.mark.slow
def test_a_stream_never_waits_for_the_second_model(detector, monkeypatch):
    tasks = []

    class Busy:
        def submit(self, look, *given):
            tasks.append((Future(), look, given))
            return tasks[-1][0]

    monkeypatch.setattr("poselift.finding.second_model.background_pool", Busy)
    frame = next(iter(VideoReader(demo_video())))
    (found,) = detector.first.detect([frame.image])
    people = [Followed.start(found, row, 0.9, frame.timestamp, False) for row in range(len(found))]
    second = SecondModel(detector, SECOND_RATES["balanced"], wait=False)
    second.note(frame, found, people)
    early = second.join(found, frame.timestamp)
    assert early.skeleton == COCO_WHOLEBODY23
    assert np.isnan(early.keypoints[:, FEET]).all()
    for future, look, given in tasks:
        future.set_result(look(*given))
    assert np.isfinite(second.join(found, frame.timestamp).keypoints[:, FEET]).all()


def test_frames_before_and_after_decide_between_two_places():
    """The second model is at another wrist in one of three frames; a detection that is not done does not count."""
    first, wrist = np.random.default_rng(0).uniform(0, 100, (17, 2)), COCO17.index("left_wrist")
    scores, feet = np.full(23, 0.8), np.full((6, 2), np.nan)
    person = Detections(np.array([[0.0, 0, 100, 100]]), np.ones(1), first[None], scores[None, :17], COCO17)
    followed = Followed.start(person, 0, 0.9, 0.0, False)
    seen = _Seen(followed)
    for number in range(3):
        points = np.concatenate([first + (2, 0), feet])
        points[wrist] += (40 * (number == 1), 0)
        seen.times.append(number / 10)
        seen.differences.append(Future())
        seen.differences[-1].set_result(compare(first, scores[:17], points, scores))
    middle = seen.at(0.1, wait=True)
    assert middle.score_factors[wrist] == 1
    np.testing.assert_allclose(middle.offsets[wrist], 0)
    alone = _Seen(followed, [0.1, 0.2], [seen.differences[1], Future()]).at(0.1, wait=False)
    assert alone.score_factors[wrist] == pytest.approx(0.6)


def test_bodies_of_those_who_are_gone_are_forgotten():
    """A newcomer may get the number of an object that is gone."""
    person = Detections(np.array([[0.0, 0, 9, 9]]), np.ones(1), np.zeros((1, 17, 2)), np.ones((1, 17)), COCO17)
    followed, second = Followed.start(person, 0, 0.9, 0.0, False), SecondModel(None, 1.0, wait=True)
    second._note_body(followed, person, 0)
    assert len(second._bodies) == 1
    del followed
    assert len(second._bodies) == 0


def test_nobody_is_looked_at_twice_in_a_frame():
    """The crop detection that vouches for somebody is also that which is compared."""
    points = np.random.default_rng(0).uniform(20, 80, (1, 17, 2))
    given = [np.concatenate([points, points[:, 11:17]], 1), np.full((1, 23), 0.8)]
    looks = []

    class Second:
        def look_at(self, picture, points, scores):
            looks.append(picture)
            return Detections(np.array([[20.0, 20, 80, 80]]), np.ones(1), *given, COCO_WHOLEBODY23)

    both = MoveNetBlazePose.__new__(MoveNetBlazePose)  # without networks
    both.second = Second()
    second, box = SecondModel(both, 7.5, wait=True), np.array([[20.0, 20, 80, 80]])
    person = Detections(box, np.full(1, 0.7), points, np.full((1, 17), 0.7), COCO17)
    weak = Detections(box, np.full(1, 0.1), points, np.full((1, 17), 0.1), COCO17)
    people = [Followed.start(person, 0, 0.7, 0.0, False)]
    for time, detected, expected in ((0.2, person, 1), (0.4, weak, 2), (0.6, weak, 3), (0.8, person, 4)):
        frame = Frame(np.zeros((100, 100, 3), np.uint8), time, 0)
        found, vouched = second.vouch(frame, detected, people)
        second.note(frame, found, people)
        joined = second.join(found, time)
        assert (vouched, len(looks)) == ([0] * (detected is weak), expected), time
        np.testing.assert_allclose(joined.keypoints[0, :17], points[0])
        assert np.isfinite(joined.keypoints[0, FEET]).all()


@pytest.mark.slow
def test_somebody_in_the_shade_is_kept_by_the_second_model(detector, monkeypatch):
    calls = []
    look_at = BlazePose.look_at
    monkeypatch.setattr(BlazePose, "look_at", lambda self, *given: (calls.append(1), look_at(self, *given))[1])
    clip = VideoClip(demo_video(), detector, **LOSS)
    counts = [0 if people is None else len(people) for people, _ in clip.people()]
    assert min(counts) == 2
    assert not clip.warnings
    assert len(calls) <= 2 * 2 * SECOND_RATES["balanced"], "vouching takes no more than looking at two people"


@pytest.mark.slow
def test_a_loss_in_the_middle_of_the_picture_is_a_warning(detector):
    clip = VideoClip(demo_video(), detector.first, **LOSS)
    assert len(list(clip.people())[-1][0]) == 1
    assert any("not recognised: from 3." in line for line in clip.warnings)


@pytest.mark.slow
def test_nobody_is_followed_twice_beside_others(shared):
    """A looser second look beside others kept a second track on a woman at the edge of the picture."""
    found = poselift.lift(shared / "data" / "phones" / "cam02.mp4", start=0.3, end=1.0, weights="tiny")
    assert [int(motion.keypoints.seen.sum()) for motion in found.people] == [22, 22, 22]
