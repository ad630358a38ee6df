import json
import warnings

import numpy as np
import pytest

from benchmarks.made_worlds import Scene, hop, see
from benchmarks.made_worlds import walk as made_walk
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.lifting import camera_for, lift, settled_sides
from poselift.lifting.prepare.exchanged_sides import exchange, exchange_joints, group_pairs
from poselift.lifting.run import lift_clip
from poselift.lifting.settled_sides import Sides, lift_settled, settle_sides
from poselift.models import load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

pytestmark = pytest.mark.many_calls

SIZE = (1280, 720)
BODY = group_pairs(COCO17)[0]


@pytest.fixture(scope="module")
def small():
    return load_weights("small")


@pytest.fixture(scope="module")
def walk(shared):
    """The keypoints of a walk from the side, and of the same with the sides exchanged from 3 s on."""

    def read(name):
        people = json.loads((shared / "cases" / "world" / name).read_text())
        points = np.array([person["keypoints"] for person in people]).reshape(-1, 17, 3)
        return Keypoints2D(points[..., :2], points[..., 2], np.arange(len(points)) / 30, COCO17, SIZE)

    return read("sw_walk_s_ok.json"), read("sw_walk_s_half.json")


@pytest.mark.slow
def test_a_walk_whose_second_half_is_exchanged_is_put_back(walk, small):
    right, half = walk
    camera = camera_for(SIZE)
    sides = settle_sides(half, small, camera)
    np.testing.assert_array_equal(sides.keypoints.keypoints, right.keypoints)
    assert sides.cautions() == [
        "person 1: left and right were exchanged in 50% of the frames, from 3.00 to 5.97 s, and were put back"
    ]
    again = settle_sides(sides.keypoints, small, camera)
    assert again.keypoints is sides.keypoints
    assert not again.cautions()
    assert (sides.cautions()[0].kind, sides.cautions()[0].person) == ("confusion", 1)
    before, after = lift(half, small, camera), lift(sides.keypoints, small, camera)
    truth = lift(right, small, camera)
    away = [1000 * np.linalg.norm(motion.joints - truth.joints, axis=-1).mean() for motion in (before, after)]
    assert away[0] > 60
    assert away[1] < 0.01
    assert len(sides.readings) == 1


def test_a_weak_detector_that_exchanges_in_a_third_of_the_frames(walk, small):
    right, _ = walk
    given = exchange(right, np.random.default_rng(0).random(len(right)) < 1 / 3, BODY)
    sides = settle_sides(given, small, camera_for(SIZE))
    np.testing.assert_array_equal(sides.keypoints.keypoints, right.keypoints)
    assert "28% of the frames" in sides.cautions()[0]


@pytest.mark.parametrize("first", [18, 33])
def test_legs_exchanged_for_a_moment_do_not_turn_the_whole_body(small, first):
    """In profile the other joints hide each other, so they do not tell it from an exchange of the whole body."""
    right = see(Scene("", made_walk, 0, 10, seconds=3.0))[0]
    rows = np.arange(len(right))
    given = exchange(right, (rows >= first) & (rows < first + 6), group_pairs(COCO17)[1])
    sides = settle_sides(given, small, camera_for(right.image_size))
    np.testing.assert_array_equal(sides.keypoints.keypoints, right.keypoints)
    assert sides.exchanged.sum() == 6
    assert not sides.cautions()


def test_what_is_right_stays_the_same(walk, small):
    sides = settle_sides(walk[0], small, camera_for(SIZE))
    assert sides.keypoints is walk[0]
    assert not sides.exchanged.any()
    assert not sides.cautions()


def test_unsure_sides_widen_the_uncertainty_to_the_other_reading(walk, small):
    right, camera = walk[0][:40], camera_for(SIZE)
    unsure = np.zeros((40, 17), bool)
    unsure[20:, BODY] = True
    sides = Sides((right, exchange_joints(right, unsure)), np.zeros(40, bool), unsure)
    assert "it is not sure in which" in sides.cautions()[0]
    motion, other = (lift(reading, small, camera) for reading in sides.readings)
    wider = sides.cover([motion, other]).uncertainty
    apart = np.linalg.norm(motion.joints - other.joints, axis=-1)
    np.testing.assert_allclose(wider[:20], motion.uncertainty[:20], rtol=1e-6)
    assert (wider[20:] >= apart[20:] - 1e-6).all()
    assert wider[20:].mean() > motion.uncertainty[20:].mean()


@pytest.mark.slow
def test_an_exchange_that_only_the_lifter_tells_is_unsure(small):
    """Somebody in profile, whose sides hide each other for the whole clip."""
    right, camera, _, _ = see(Scene("", hop, 0, 10), noise=2.0)
    apart = np.linalg.norm(right.keypoints[:, 5:] - right.keypoints[:, list(COCO17.flip_indices)[5:]], axis=-1)
    first = 30 + int(apart[30:90].mean(1).argmin())
    motion, sides = lift_settled(exchange(right, np.arange(len(right)) >= first, BODY), small, camera)
    assert "it is not sure in which" in sides.cautions()[0]
    away = np.linalg.norm(motion.joints - lift(right, small, camera).joints, axis=-1)
    assert (away <= motion.uncertainty).mean() > 0.9
    assert not settle_sides(right, small, camera).cautions()


@pytest.mark.slow
@pytest.mark.parametrize(("part", "named"), [(0, ""), (1, " of the legs")])
def test_frequent_exchanges_of_somebody_in_profile_are_unsure(small, part, named):
    """The sides hide each other in all frames, and one step that hardly tells turns half of the clip."""
    right, camera, _, _ = see(Scene("", hop, 0, 10), noise=2.0)
    joints = group_pairs(COCO17)[part]
    given = exchange(right, np.random.default_rng(0).random(len(right)) < 1 / 3, joints)
    motion, sides = lift_settled(given, small, camera)
    assert f"left and right{named} are exchanged in a part of the frames" in sides.cautions()[0]
    assert sides.unsure[:, joints].all()
    assert sides.unsure.sum() == len(right) * len(joints)
    first, second = sides.readings
    np.testing.assert_array_equal(second.keypoints, exchange(first, sides.unsure.any(1), joints).keypoints)
    away = np.linalg.norm(motion.joints - lift(right, small, camera).joints, axis=-1)
    assert (away <= motion.uncertainty).mean() > 0.99


def test_long_exchanges_are_the_lifters_and_never_unclear(walk, small, monkeypatch):
    monkeypatch.setattr(settled_sides, "find_unclear", lambda track, *_: np.ones(len(track), bool))
    sides = settle_sides(walk[1], small, camera_for(SIZE))
    assert sides.put_back
    assert not sides.unsure.any()


def test_frames_without_a_pose_tell_nothing():
    """Somebody in profile, whose sides hide each other, is unseen for over a second."""
    random, times = np.random.default_rng(0), np.arange(120) / 30
    heights = [-80, -85, -85, -83, -83, -60, -60, -30, -30, -5, -5, 0, 0, 45, 45, 90, 90]
    points = 3 * np.column_stack([np.zeros(17), heights]) + (640, 360) + random.normal(0, 1.5, (120, 17, 2))
    scores = np.full((120, 17), 0.8)
    points[40:80], scores[40:80] = np.nan, 0
    track = Keypoints2D(points.astype(np.float32), scores, times, COCO17, (1280, 720))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sides = settle_sides(track, load_weights("tiny"), camera_for((1280, 720)))
    assert not sides.exchanged.any()


@pytest.mark.slow
def test_each_stretch_between_gaps_is_settled_by_itself(walk, small, monkeypatch):
    """In a long clip, nothing is lifted again for each of many stretches."""
    right, camera, lifted = walk[0], camera_for(SIZE), []
    rows, pixels, scores = np.arange(len(right)), right.keypoints.copy(), right.scores.copy()
    lost = rows % 60 < 12
    pixels[lost], scores[lost] = np.nan, 0
    seen = Keypoints2D(pixels, scores, right.timestamps, COCO17, SIZE)
    given = exchange(seen, (rows % 60 >= 36) & (rows >= 60), BODY)

    def count(track, *others):
        lifted.append(len(track))
        return lift(track, *others)

    monkeypatch.setattr(settled_sides, "lift", count)
    sides = settle_sides(given, small, camera)
    np.testing.assert_array_equal(sides.keypoints.keypoints, seen.keypoints)
    assert sides.put_back
    assert sum(lifted) <= 3 * len(right)


def test_a_stretch_that_the_lifter_expects_exchanged_as_a_whole_stays(walk, small, monkeypatch):
    right = walk[0]
    scores = right.scores * (abs(np.arange(len(right)) - 60) > 6)[:, None]
    given = Keypoints2D(right.keypoints, scores, right.timestamps, COCO17, SIZE)
    expected = np.arange(len(right)) >= 67
    monkeypatch.setattr(settled_sides, "_find_expected", lambda *_: expected)
    sides = settle_sides(given, small, camera_for(SIZE))
    assert not sides.exchanged.any()
    assert not sides.cautions()


def test_a_tie_is_unsure(walk, small, monkeypatch):
    monkeypatch.setattr(settled_sides, "_surprises", lambda *_: (-2.0, -2.2, -2.2, True))
    sides = settle_sides(walk[1], small, camera_for(SIZE))
    assert sides.unsure[:, BODY].all()
    first, second = sides.readings
    np.testing.assert_array_equal(second.keypoints, exchange_joints(first, sides.unsure).keypoints)


@pytest.mark.slow
def test_somebody_who_lies_is_told_as_unsure_and_the_uncertainty_covers_both_sides(small, shared):
    """The lifter prefers the mirrored reading of this right file by a little."""
    people = json.loads((shared / "cases" / "world" / "lie_high.json").read_text())
    points = np.array([person["keypoints"] for person in people]).reshape(-1, 17, 3)
    right = Keypoints2D(points[..., :2], points[..., 2], np.arange(len(points)) / 30, COCO17, SIZE)
    given = exchange(right, np.arange(len(right)) >= 75, BODY)
    motion, sides = lift_settled(given, small, camera_for(SIZE))
    assert sides.unsure[:, BODY].all()
    assert "it is not sure in which" in sides.cautions()[0]
    away = np.linalg.norm(motion.joints - lift(right, small, camera_for(SIZE)).joints, axis=-1)
    assert 1000 * away.mean() > 100
    assert (away <= motion.uncertainty).mean() > 0.9


@pytest.mark.slow
def test_the_run_puts_them_back_and_says_so(shared, walk, small):
    file = read_keypoints(shared / "cases" / "world" / "sw_walk_s_half.json")
    recording = lift_clip(KeypointClip(file, fps=30, image_size=SIZE), small)
    assert any("left and right were exchanged in 50%" in warning for warning in recording.warnings)
    np.testing.assert_allclose(recording.people[0].keypoints.keypoints, walk[0].keypoints)


@pytest.mark.slow
def test_earlier_results_stay_as_they_are(walk, small, shared):
    """A user may have exchanged the sides by hand."""
    file = read_keypoints(shared / "cases" / "world" / "sw_walk_s_half.json")
    clip = KeypointClip(file, fps=30, image_size=SIZE)
    clip.detector_name = "poselift"
    recording = lift_clip(clip, small)
    np.testing.assert_allclose(recording.people[0].keypoints.keypoints, walk[1].keypoints)
    assert not any("exchanged" in warning for warning in recording.warnings)
