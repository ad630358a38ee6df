from dataclasses import replace

import numpy as np
import pytest

from poselift.lifting.contacts import feet_of, find_contacts, spells
from poselift.skeleton import CMU28, H36M17, Skeleton
from tests.lifting.walking import film, standing_pose, walk


def _contacts(filmed):
    down = find_contacts(filmed.motion, filmed.up)
    return down.any(-1)


def _agreement(found, true):
    return 2 * (found & true).sum() / (found.sum() + true.sum())


@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=["feet", "ankles"])
@pytest.mark.parametrize("fps", [10, 30, 120])
def test_a_walk_at_any_frame_rate(skeleton, fps):
    times = np.arange(0, 4, 1 / fps)
    joints, down = walk(times)
    filmed = film(joints, times, down, skeleton=skeleton)
    assert _agreement(_contacts(filmed), down) > (0.8 if fps == 10 else 0.9)


def test_uneven_times():
    times = np.sort(np.random.default_rng(0).choice(np.arange(0, 4, 1 / 60), 120, replace=False))
    joints, down = walk(times)
    assert _agreement(_contacts(film(joints, times, down)), down) > 0.9


def test_noise_of_lifted_motion_does_not_make_it_flicker():
    times = np.arange(0, 4, 1 / 50)
    joints, down = walk(times)
    filmed = film(joints, times, down, skeleton=H36M17, noise=0.01)
    found = _contacts(filmed)
    assert _agreement(found, down) > 0.85
    steps = sum(len(spells(down[:, side])) for side in range(2))
    assert sum(len(spells(found[:, side])) for side in range(2)) <= steps + 2


def test_left_and_right_are_the_persons_own():
    times = np.arange(0, 2, 1 / 50)
    joints = np.repeat(standing_pose()[None], len(times), 0)
    lifted = CMU28.indices(["left_ankle", "left_heel", "left_big_toe"])
    joints[:, lifted, 1] += 0.4
    found = _contacts(film(joints, times))
    assert found[:, 1].all()
    assert not found[:, 0].any()


def test_who_stands_on_the_hands_has_no_foot_down():
    times = np.arange(0, 2, 1 / 50)
    joints = np.repeat(standing_pose()[None], len(times), 0)
    joints[..., 1] = 1.9 - joints[..., 1]
    assert not _contacts(film(joints, times)).any()


def test_a_jump_leaves_the_ground():
    times = np.arange(0, 2, 1 / 50)
    joints = np.repeat(standing_pose()[None], len(times), 0)
    flight = times - 1.0
    high = np.where(np.abs(flight) < 0.35, 0.5 * 9.81 * (0.35**2 - flight**2), 0.0)
    joints[..., 1] += high[:, None]
    found = _contacts(film(joints, times))
    assert found[np.abs(flight) > 0.5].all()
    assert not found[high > 0.25].any()


def test_unknown_frames_are_not_down_and_do_not_spoil_the_others():
    times = np.arange(0, 3, 1 / 50)
    joints, down = walk(times)
    filmed = film(joints, times, down)
    whole = _contacts(filmed)
    motion = filmed.motion
    broken = motion.joints.copy()
    broken[60:80] = np.nan
    found = _contacts(replace(filmed, motion=replace(motion, joints=broken)))
    assert not found[60:80].any()
    far = np.r_[0:40, 100:150]
    np.testing.assert_array_equal(found[far], whole[far])


def test_one_frame_goes_by_height():
    found = _contacts(film(standing_pose()[None], np.zeros(1)))
    np.testing.assert_array_equal(found, [[True, True]])


def test_what_the_feet_are_known_by():
    times = np.arange(3.0)
    joints = np.repeat(standing_pose()[None], 3, 0)
    filmed = film(joints, times)
    feet = feet_of(filmed.motion)
    assert feet.joints == ("heel", "big_toe")
    heels = filmed.world(filmed.motion)[:, CMU28.indices(["left_heel", "right_heel"])]
    np.testing.assert_allclose(feet.points[:, :, 0] @ filmed.R.T + filmed.t, heels, atol=1e-5)
    assert feet_of(film(joints, times, skeleton=H36M17).motion).joints == ("ankle",)
    handless = replace(filmed.motion, joints=np.zeros((3, 2, 3)), skeleton=_two_joints())
    assert feet_of(handless) is None
    assert find_contacts(handless, filmed.up) is None


def test_feet_of_a_child_rest_lower():
    times = np.arange(3.0)
    adult = film(np.repeat(standing_pose()[None], 3, 0), times).motion
    child = replace(adult, joints=adult.joints / 2)
    np.testing.assert_allclose(feet_of(child).rest, feet_of(adult).rest / 2, rtol=1e-5)


def _two_joints():
    return Skeleton("two", ("pelvis", "thorax"), (None, "pelvis"))


def test_spells_by_hand():
    assert spells(np.array([1, 1, 0, 0, 1, 0, 1], bool)) == [(0, 2), (4, 5), (6, 7)]
    assert spells(np.zeros(3, bool)) == []


def test_who_stands_on_a_roof_has_the_feet_down():
    times = np.arange(0, 2, 1 / 50)
    assert _contacts(film(np.repeat(standing_pose()[None], len(times), 0) + [0, 2.5, 0], times)).all()
