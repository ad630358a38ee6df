from dataclasses import replace

import numpy as np
import pytest

from poselift.kinematics.foot_contacts import (
    Feet,
    feet_of,
    find_contacts,
    find_resting_points,
    find_standing_shares,
    runs_of,
)
from poselift.skeleton import CMU28, COCO17, H36M17
from tests.lifting.walking import render, standing_pose, walk


def _contacts(rendered):
    down = find_contacts(rendered.motion, rendered.up)
    return down.any(-1)


def _agreement(found, true):
    return 2 * (found & true).sum() / (found.sum() + true.sum())


@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=["feet", "ankles"])
@pytest.mark.parametrize("fps", [10, 30, 120])
def test_a_walk_at_any_frame_rate(skeleton, fps):
    times = np.arange(0, 4, 1 / fps)
    joints, down = walk(times)
    rendered = render(joints, times, down, skeleton=skeleton)
    assert _agreement(_contacts(rendered), down) > (0.8 if fps == 10 else 0.9)


def test_noise_of_lifted_motion_does_not_make_it_flicker():
    times = np.arange(0, 4, 1 / 50)
    joints, down = walk(times)
    rendered = render(joints, times, down, skeleton=H36M17, noise=0.01)
    found = _contacts(rendered)
    assert _agreement(found, down) > 0.85
    steps = sum(len(runs_of(down[:, side])) for side in range(2))
    assert sum(len(runs_of(found[:, side])) for side in range(2)) <= steps + 2


def test_left_and_right_are_the_persons_own():
    times = np.arange(0, 2, 1 / 50)
    joints = np.repeat(standing_pose()[None], len(times), 0)
    lifted = CMU28.indices(["left_ankle", "left_heel", "left_big_toe"])
    joints[:, lifted, 1] += 0.4
    found = _contacts(render(joints, times))
    assert found[:, 1].all()
    assert not found[:, 0].any()


def test_who_stands_on_the_hands_has_no_foot_down():
    times = np.arange(0, 2, 1 / 50)
    joints = np.repeat(standing_pose()[None], len(times), 0)
    joints[..., 1] = 1.9 - joints[..., 1]
    assert not _contacts(render(joints, times)).any()


def test_a_jump_leaves_the_ground():
    times = np.arange(0, 2, 1 / 50)
    joints = np.repeat(standing_pose()[None], len(times), 0)
    flight = times - 1.0
    high = np.where(np.abs(flight) < 0.35, 0.5 * 9.81 * (0.35**2 - flight**2), 0.0)
    joints[..., 1] += high[:, None]
    found = _contacts(render(joints, times))
    assert found[np.abs(flight) > 0.5].all()
    assert not found[high > 0.25].any()


def test_unknown_frames_are_not_down_and_do_not_spoil_the_others():
    times = np.arange(0, 3, 1 / 50)
    joints, down = walk(times)
    rendered = render(joints, times, down)
    whole = _contacts(rendered)
    motion = rendered.motion
    broken = motion.joints.copy()
    broken[60:80] = np.nan
    found = _contacts(replace(rendered, motion=replace(motion, joints=broken)))
    assert not found[60:80].any()
    far = np.r_[0:40, 100:150]
    np.testing.assert_array_equal(found[far], whole[far])


def test_feet_of_a_child_rest_lower():
    times = np.arange(3.0)
    adult = render(np.repeat(standing_pose()[None], 3, 0), times).motion
    child = replace(adult, joints=adult.joints / 2)
    np.testing.assert_allclose(feet_of(child).rest, feet_of(adult).rest / 2, rtol=1e-5)


def test_runs_by_hand():
    assert runs_of(np.array([1, 1, 0, 0, 1, 0, 1], bool)) == [(0, 2), (4, 5), (6, 7)]
    assert runs_of(np.zeros(3, bool)) == []
    assert runs_of(np.zeros(0, bool), np.zeros(0)) == []


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([0.03, 0.03, 0.19, 0.03], [(0, 5)]),
        ([0.03, 0.03, 0.25, 0.03], [(0, 3), (3, 5)]),
        ([0.5, 0.5, 1.0, 0.5], [(0, 5)]),
        ([0.5, 1.2, 0.5, 0.5], [(0, 2), (2, 5)]),
    ],
)
def test_runs_end_where_frames_are_lacking(steps, expected):
    assert runs_of(np.ones(5, bool), np.cumsum([7.0, *steps])) == expected


def _unseen(rendered, rows, names, scores=0.0):
    """Some joints score less in some frames."""
    keypoints = rendered.motion.keypoints
    lower = keypoints.scores.copy()
    lower[np.ix_(rows, keypoints.skeleton.indices(names))] = scores
    return replace(rendered, motion=replace(rendered.motion, keypoints=replace(keypoints, scores=lower)))


FOOT = ["left_ankle", "left_heel", "left_big_toe"]


@pytest.mark.parametrize("skeleton", [CMU28, COCO17], ids=["feet", "ankles"])
def test_a_foot_that_nobody_saw_is_not_down(skeleton):
    """Heels and toes that a skeleton lacks are known by the ankle."""
    times = np.arange(0, 4, 1 / 30)
    joints, down = walk(times)
    rendered = render(joints, times, down)
    whole = _contacts(rendered)
    seen = render(joints, times, skeleton=skeleton).motion.keypoints
    rendered = replace(rendered, motion=replace(rendered.motion, keypoints=seen))
    np.testing.assert_array_equal(_contacts(rendered), whole)
    gone = [joint for joint in FOOT if joint in skeleton.joints]
    for scores in (0.0, 0.15):
        found = _contacts(_unseen(rendered, times >= 2, gone, scores))
        assert not found[times > 2.3, 0].any()
        np.testing.assert_array_equal(found[times < 1.2, 0], whole[times < 1.2, 0])
        np.testing.assert_array_equal(found[:, 1], whole[:, 1])


def test_a_foot_in_sight_may_be_missed_for_a_moment_and_one_out_of_sight_seem_to_be_there():
    times = np.arange(0, 4, 1 / 30)
    rendered = render(np.repeat(standing_pose()[None], len(times), 0), times)
    assert _contacts(_unseen(rendered, (times > 2) & (times < 2.5), FOOT)).all()
    assert not _contacts(_unseen(rendered, np.arange(len(times)) % 10 > 0, FOOT))[:, 0].any()


def test_where_a_foot_went_while_there_were_no_frames_is_no_speed():
    """Four frames a second, further apart than the window; 3 m are walked while 1.5 s are lacking."""
    times = np.r_[np.arange(0, 2, 0.25), 3.25 + np.arange(0, 2, 0.25)]
    joints = np.repeat(standing_pose()[None], len(times), 0)
    joints[8:, :, 0] += 3
    assert _contacts(render(joints, times)).all()


def test_who_stands_on_a_roof_has_the_feet_down():
    times = np.arange(0, 2, 1 / 50)
    assert _contacts(render(np.repeat(standing_pose()[None], len(times), 0) + [0, 2.5, 0], times)).all()


def test_a_foot_on_the_ground_may_move_faster_than_one_that_comes_down():
    """It comes down below 0.45 m/s and takes off above 0.6."""
    times = np.arange(60) / 30
    speed = np.repeat([0.3, 0.53, 2.0], 20)
    points = np.zeros((60, 2, 1, 3))
    points[..., 0] = np.cumsum(speed / 30)[:, None, None]
    points[..., 2] = 4.0
    seen = np.ones((60, 2, 1), bool)
    down = find_resting_points(Feet(points, ("ankle",), np.zeros(1), seen), times)
    assert down[5:35].all()
    assert not down[45:].any()
    points[:20] += 20 * points[:20]  # never slow enough to come down
    assert not find_resting_points(Feet(points, ("ankle",), np.zeros(1), seen), times)[:35].any()


def test_two_feet_that_move_against_each_other_do_not_both_stand():
    """Somebody turns round: the heels go at 0.35 and 0.4 m/s to opposite sides, each slow enough to stand."""
    times = np.arange(90) / 30
    turns = (times >= 1) & (times < 2)
    points = np.zeros((90, 2, 2, 3))
    points[..., 0] = np.cumsum(turns / 30)[:, None, None] * np.array([[0.35], [-0.4]])
    points[..., 1, 2] = 0.2  # the toes
    points[..., 2] += 4.0
    feet = Feet(points, ("heel", "big_toe"), np.zeros(2), np.ones((90, 2, 2), bool))
    down = find_resting_points(feet, times)
    assert down[:, 0].all()
    assert down[np.r_[:27, 63:90], 1].all()
    assert not down[33:57, 1].any()
    points[:, 1, 0] = points[:, 0, 0]  # a foot that rolls: one of its points stays with the other foot
    assert find_resting_points(feet, times).all()


def test_the_probability_of_standing_falls_with_speed_and_height():
    times = np.arange(0, 2, 1 / 50)
    body = np.repeat(standing_pose()[None], len(times), 0)
    still = render(body, times)
    sure = 0.5 + 0.5 * np.tanh(0.35 / 0.3)  # at rest
    np.testing.assert_allclose(find_standing_shares(still.motion, still.up), sure, atol=0.03)
    left = CMU28.indices(["left_ankle", "left_heel", "left_big_toe"])
    by_height = []
    for height in (0.05, 0.15, 0.3):
        held = body.copy()
        held[:, left, 1] += height
        rendered = render(held, times)
        by_height.append(find_standing_shares(rendered.motion, rendered.up)[:, 0].mean())
    assert by_height[0] > 0.8
    assert 0.35 < by_height[1] < 0.7  # 0.15 m is the border
    assert by_height[2] < 0.05
    slides = body + np.outer(0.35 * times, [1.0, 0, 0])[:, None]
    slides = render(slides, times)
    found = find_standing_shares(slides.motion, slides.up)
    np.testing.assert_allclose(found[10:-10], 0.5, atol=0.1)  # speed along the line of sight counts half
    assert (find_contacts(slides.motion, slides.up)).all()


def test_the_probability_of_standing_is_high_in_stance_and_low_in_the_air():
    times = np.arange(0, 4, 1 / 50)
    joints, down = walk(times)
    rendered = render(joints, times, down)
    share = find_standing_shares(rendered.motion, rendered.up).max(-1)
    assert share[down].mean() > 0.75
    assert share[~down].mean() < 0.15


def test_a_foot_that_nobody_saw_has_no_probability_of_standing():
    times = np.arange(0, 2, 1 / 50)
    rendered = render(np.repeat(standing_pose()[None], len(times), 0), times)
    keypoints = rendered.motion.keypoints
    scores = keypoints.scores.copy()
    scores[:, keypoints.skeleton.indices([joint for joint in keypoints.skeleton.joints if "left_" in joint])] = 0.0
    motion = replace(rendered.motion, keypoints=replace(keypoints, scores=scores))
    share = find_standing_shares(motion, rendered.up)
    assert (share[:, 0] == 0).all()
    assert share[:, 1].min() > 0.85
