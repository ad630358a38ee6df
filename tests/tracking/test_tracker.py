import numpy as np
import pytest

from benchmarks.scenes import make_scene
from poselift.core.errors import InputError
from poselift.detection.duplicates import pose_nms
from poselift.skeleton import COCO17
from poselift.structures import Detections
from poselift.tracking import Tracker

RATE = 20
CLIP = np.arange(3 * RATE) / RATE


def nose(person):
    return person.keypoints[:, 0]


def test_two_people_keep_their_numbers_whatever_order_they_are_detected_in(scenes):
    def scene(time):
        poses = [scenes.walker(100 + 100 * time, time, seed=1), scenes.walker(900 - 50 * time, time, seed=2)]
        return poses if round(RATE * time) % 2 else poses[::-1]

    people, _ = scenes.track(scene, CLIP)
    assert [person.person for person in people] == [1, 2]
    assert all(len(person) == len(CLIP) and person.seen.all() for person in people)
    ends = sorted((float(nose(person)[0, 0]), float(nose(person)[-1, 0])) for person in people)
    np.testing.assert_allclose(ends, [[100, 395], [900, 752.5]], atol=8)


@pytest.mark.parametrize("speed", [100, 450])
def test_people_who_cross_are_not_swapped(scenes, speed):
    def scene(time):
        one = scenes.walker(640 + speed * (time - 1.5), time, seed=1)
        other = scenes.walker(640 - speed * (time - 1.5), time, seed=2)
        return [one, other]

    people, _ = scenes.track(scene, CLIP)
    assert len(people) == 2
    for person in people:
        steps = np.diff(nose(person)[:, 0])
        assert abs(steps.mean()) * RATE == pytest.approx(speed, rel=0.05)


def test_of_two_who_cross_one_is_hidden_behind_the_other(scenes):
    def scene(time):
        front = scenes.walker(640 + 150 * (time - 1.5), time, seed=1)
        behind = scenes.walker(640 - 150 * (time - 1.5), time, seed=2)
        return [front] if abs(time - 1.5) < 0.25 else [front, behind]

    people, _ = scenes.track(scene, CLIP)
    assert len(people) == 2
    for person in people:
        assert abs(nose(person)[-1, 0] - nose(person)[0, 0]) == pytest.approx(442, abs=10)
    hidden = next(person for person in people if not person.seen.all())
    gap = ~hidden.seen
    assert gap.sum() == np.sum(abs(CLIP - 1.5) < 0.25)
    assert np.isnan(hidden.keypoints[gap]).all()
    assert (hidden.scores[gap] == 0).all()


@pytest.mark.parametrize("hidden", [0.3, 1.6])
def test_somebody_hidden_for_a_while_is_one_person(scenes, hidden):
    def scene(time):
        return [] if 1.0 < time <= 1.0 + hidden else [scenes.walker(200 + 150 * time, time)]

    people, _ = scenes.track(scene, CLIP)
    assert len(people) == 1
    assert len(people[0]) == len(CLIP)
    assert (~people[0].seen).sum() == pytest.approx(RATE * hidden, abs=1)


@pytest.mark.parametrize(("gone", "live"), [(1.0, [1]), (1.8, [1]), (3.0, [1, 2])])
def test_who_leaves_the_picture_and_comes_back_is_the_same_person(scenes, gone, live):
    back = 2.0 + gone

    def scene(time):
        if time < 2.0:
            return [scenes.walker(1280 - 100 * (2.0 - time), time)]
        return [] if time < back else [scenes.walker(1280 - 100 * (time - back), time)]

    people, numbers = scenes.track(scene, np.arange(round((back + 1.5) * RATE)) / RATE)
    assert [person.person for person in people] == [1]
    # As it happens, a new number is given after two seconds; the tracks of the whole clip join the two.
    assert sorted({number for frame in numbers for number in frame} - {0}) == live


def test_who_was_hidden_comes_out_under_the_old_number_beside_somebody_who_stands_there(scenes):
    def scene(time):
        walks, stands = scenes.walker(250 + 200 * time, time, seed=1), scenes.walker(640, time, seed=2)
        if abs(time - 1.75) >= 0.5:
            return [walks, stands]
        # The one who stands is missed for two frames, just as the one who walks comes out from behind.
        return [stands]

    def flickering(time):
        poses = scene(time)
        return poses[:1] if 2.25 <= time < 2.35 else poses

    _, numbers = scenes.track(flickering, CLIP)
    assert numbers[20] == [1, 2]
    assert numbers[round(2.25 * RATE)] == [1]
    assert numbers[-1] == [1, 2]


@pytest.mark.slow
def test_crossing_people_of_a_motion_corpus_keep_their_numbers(corpus):
    scene = make_scene(corpus, people=3, seed=4, seconds=6.0)
    tracker = Tracker(scene.image_size)
    right = wrong = 0
    last: dict[int, int] = {}
    for time, found, owners in zip(scene.times, scene.detections, scene.owners, strict=True):
        kept = pose_nms(found.keypoints, found.scores, found.boxes, found.box_scores)
        found = Detections(
            found.boxes[kept], found.box_scores[kept], found.keypoints[kept], found.scores[kept], found.skeleton
        )
        for owner, number in zip(owners[kept], tracker.update(found, float(time)), strict=True):
            if owner >= 0 and number > 0:
                same = last.setdefault(int(owner), number) == number
                right, wrong = right + same, wrong + (not same)
                last[int(owner)] = number
    assert right > 300
    assert wrong <= 1


def test_each_track_covers_the_frames_in_which_its_person_is_there(scenes):
    def scene(time):
        poses = [scenes.walker(100, time, seed=1)] if time >= 1.0 else []
        return poses + ([scenes.walker(900, time, seed=2)] if time < 2.0 else [])

    people, _ = scenes.track(scene, CLIP)
    assert nose(people[0])[0, 0] == pytest.approx(900, abs=30)
    np.testing.assert_array_equal(people[0].timestamps, CLIP[CLIP < 2.0])
    np.testing.assert_array_equal(people[1].timestamps, CLIP[CLIP >= 1.0])
    assert people[0].image_size == (1280, 720)
    assert people[0].skeleton == COCO17


def test_spurious_detections_are_dropped(scenes):
    rng = np.random.default_rng(0)

    def scene(time):
        poses = [scenes.walker(300 + 60 * time, time)]
        if rng.random() < 0.2:
            poses.append(scenes.walker(rng.uniform(0, 1280), time, 100, rng.uniform(0, 600), seed=3))
        return poses

    people, _ = scenes.track(scene, CLIP)
    assert len(people) == 1
    assert people[0].seen.all()


def test_what_the_detector_hardly_believes_in_begins_no_track(scenes):
    tracker = Tracker((1280, 720))
    for time in CLIP:
        tracker.update(scenes.detections([scenes.walker(300, time)], 0.25), float(time))
    assert tracker.tracks() == []


def test_what_the_detector_hardly_believes_in_carries_a_track_on(scenes):
    tracker = Tracker((1280, 720))
    for time in CLIP:
        tracker.update(scenes.detections([scenes.walker(300, time)], 0.7 if time < 1 else 0.25), float(time))
    assert [len(person) for person in tracker.tracks()] == [len(CLIP)]


@pytest.mark.parametrize("rate", [8, 90])
def test_any_frame_rate(scenes, rate):
    def scene(time):
        return [scenes.walker(100 + 200 * time, time, seed=1), scenes.walker(1000 - 200 * time, time, seed=2)]

    people, _ = scenes.track(scene, np.arange(rate) / rate)
    assert [len(person) for person in people] == [rate] * 2
    assert all(abs(np.diff(nose(person)[:, 0]).mean()) * rate == pytest.approx(200, rel=0.1) for person in people)


def test_live_numbers_come_with_confirmation_and_stay(scenes):
    _, numbers = scenes.track(lambda time: [scenes.walker(300, time)], CLIP)
    assert numbers[0] == numbers[1] == [0]
    assert all(number == [1] for number in numbers[3:])


def test_time_must_go_on(scenes):
    tracker = Tracker((1280, 720))
    tracker.update(scenes.detections([]), 1.0)
    with pytest.raises(InputError, match=r"frame at 1\.0 s follows one at 1\.0 s"):
        tracker.update(scenes.detections([]), 1.0)
    with pytest.raises(InputError, match="the timestamp nan is not a finite number; give seconds"):
        tracker.update(scenes.detections([]), np.nan)
    with pytest.raises(InputError, match="this tracker keeps no history; build it with history=True"):
        Tracker((1280, 720), history=False).tracks()


def test_who_gets_guessed_legs_at_the_hips_is_still_the_same_person(scenes):
    """A detection that guesses the legs makes the box a half, and says by their scores that they are guesses."""

    def look(time):
        found = scenes.detections([scenes.walker(100 + 100 * time, time)])
        if 1.0 <= time < 1.5:
            found.keypoints[0, 13:] = found.keypoints[0, 11:13].mean(0)
            found.scores[0, 13:] = 0.1
        return found

    tracker = Tracker((1280, 720))
    numbers = [tracker.update(look(time), time) for time in CLIP]
    assert {number for (number,) in numbers} == {0, 1}
    assert [len(person) for person in tracker.tracks()] == [len(CLIP)]


@pytest.mark.parametrize("speed", [120, 300])  # of a person of 280 pixels: 0.7 and 1.8 m/s
def test_a_picture_that_freezes_splits_nobody(scenes, speed):
    """For half a second all pictures are the same, then everybody has moved on."""

    def scene(time):
        time = 2.0 if 2.0 < time < 2.5 else time
        return [scenes.walker(150 + speed * time, time), scenes.walker(1100 - speed / 2 * time, time, seed=3)]

    people, numbers = scenes.track(scene, CLIP)
    assert [len(person) for person in people] == [len(CLIP)] * 2
    assert numbers[-1] == [1, 2]
