from dataclasses import replace

import numpy as np
import pytest

from poselift.kinematics.ground import find_ground
from poselift.skeleton import CMU28, H36M17, Skeleton
from tests.lifting.walking import render, standing_pose, walk

TIMES = np.arange(0, 5, 1 / 30)


def _turn(joints, angle):
    """About the vertical."""
    cos, sin = np.cos(angle), np.sin(angle)
    return joints @ np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])


def _error(ground, rendered):
    return np.degrees(np.arccos(np.clip(ground.up @ rendered.up, -1, 1)))


@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=["feet", "ankles"])
@pytest.mark.parametrize("pitch", [0.0, 0.35])
def test_who_walks_about_fixes_the_plane(skeleton, pitch):
    joints, down = walk(TIMES)
    rooms = [_turn(joints, angle) for angle in (0.0, 1.5, 2.9)]
    rendered = [render(room, TIMES, down, skeleton=skeleton, pitch=pitch, roll=0.05) for room in rooms]
    ground = find_ground([one.motion for one in rendered])
    assert _error(ground, rendered[0]) < 1.0
    assert ground.height == pytest.approx(-1.6, abs=0.05)
    assert np.degrees(ground.uncertainty) < 2.5


def test_who_stands_on_one_spot_leaves_it_to_the_body_and_says_so():
    joints = np.repeat(standing_pose()[None], len(TIMES), 0)
    rendered = render(joints, TIMES, pitch=0.15)
    ground = find_ground([rendered.motion])
    assert _error(ground, rendered) < 4.0
    assert 2.0 < np.degrees(ground.uncertainty) < 6.0
    assert ground.height == pytest.approx(-1.6, abs=0.25)


@pytest.mark.parametrize("height", [5, 40])
@pytest.mark.parametrize("walks", [True, False])
def test_a_camera_high_up_is_not_brought_down_to_where_cameras_are_held(height, walks):
    joints = walk(TIMES)[0] if walks else np.repeat(standing_pose()[None], len(TIMES), 0)
    rendered = render(joints, TIMES, skeleton=H36M17, pitch=0.35, height=height, distance=2 * height)
    ground = find_ground([rendered.motion])
    assert _error(ground, rendered) < (1.0 if walks else 5.0)
    assert ground.height == pytest.approx(-height, rel=0.05 if walks else 0.2)


def test_a_kick_held_in_the_air_is_outvoted():
    joints, down = walk(TIMES)
    kick = np.repeat(standing_pose()[None], 30, 0)
    kick[:, CMU28.indices(["left_ankle", "left_heel", "left_big_toe"])] += [0, 0.7, 0.4]
    others = [render(_turn(joints, angle), TIMES, down).motion for angle in (0.0, 1.5, 2.9)]
    rendered = render(kick, TIMES[:30])
    assert _error(find_ground([*others, rendered.motion]), rendered) < 2.0


def test_a_roof_beside_the_ground_does_not_tilt_it():
    """One person steps about on a roof behind, another walks past on the ground."""
    joints, down = walk(TIMES)
    below = render(_turn(joints, 1.57) + [-2, 0, 1], TIMES, down)
    above = render(_turn(joints, 0.6) * [0.3, 1, 0.3] + [-2, 2.5, -2], TIMES, down)
    ground = find_ground([above.motion, below.motion])
    assert _error(ground, below) < 3.0
    assert ground.height == pytest.approx(-1.6, abs=0.15)


def test_bodies_that_are_not_upright_say_nothing_of_up():
    joints = standing_pose()
    lying = np.stack([joints[:, 1], 0.12 + joints[:, 2] - joints[:, 2].min(), joints[:, 0]], -1)
    rendered = render(np.repeat(lying[None], len(TIMES), 0), TIMES, pitch=0.1)
    ground = find_ground([rendered.motion])
    assert _error(ground, rendered) < 5.0
    # Without feet to stand on, the ground is under the lowest joints.
    assert ground.height == pytest.approx(-1.6, abs=0.6)
    handstand = joints * [1, -1, 1] + [0, 2.0, 0]
    rendered = render(np.repeat(handstand[None], len(TIMES), 0), TIMES, pitch=0.1)
    assert _error(find_ground([rendered.motion]), rendered) < 5.0


def test_nobody_nothing_known_and_nothing_but_a_trunk():
    nobody = find_ground([])
    assert nobody.up @ [0, -1, 0] > 0.98
    assert nobody.height == pytest.approx(-1.4)
    motion = render(walk(TIMES)[0], TIMES).motion
    unknown = replace(motion, joints=np.full_like(motion.joints, np.nan), root=np.full_like(motion.root, np.nan))
    np.testing.assert_allclose(find_ground([unknown]).up, nobody.up)
    trunk = Skeleton("trunk", ("pelvis", "thorax"), (None, "pelvis"))
    rows = CMU28.indices(["pelvis", "thorax"])
    lowest = find_ground([replace(motion, joints=motion.joints[:, rows], skeleton=trunk)]).height
    assert -1.6 < lowest < -0.2


def _without_legs(motion):
    """The same motion, of somebody who is seen from the waist up."""
    keypoints = motion.keypoints
    legs = [
        row for row, joint in enumerate(keypoints.skeleton.joints) if joint.endswith(("knee", "ankle", "heel", "toe"))
    ]
    pixels = keypoints.keypoints.copy()
    pixels[:, legs] = np.nan
    return replace(motion, keypoints=replace(keypoints, keypoints=pixels))


@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=["feet", "ankles"])
def test_legs_that_nobody_saw_say_nothing(skeleton):
    rendered = render(walk(TIMES)[0], TIMES, skeleton=skeleton, roll=0.05, height=0.85)
    seen, guessed, nobody = (
        find_ground(motions) for motions in ([rendered.motion], [_without_legs(rendered.motion)], [])
    )
    assert (seen.feet_seen, guessed.feet_seen, nobody.feet_seen) == (True, False, False)
    assert np.degrees(seen.uncertainty) < 5
    assert np.degrees(guessed.uncertainty) == pytest.approx(30)
    np.testing.assert_allclose(guessed.up, nobody.up)
    assert guessed.height == pytest.approx(-1.4)
    both = find_ground([rendered.motion, _without_legs(rendered.motion)])
    np.testing.assert_allclose(both.up, seen.up)
    assert (both.height, both.uncertainty, both.feet_seen) == pytest.approx((seen.height, seen.uncertainty, True))


def test_a_foot_that_moved_while_frames_were_lacking_stood_in_two_places():
    times = np.r_[TIMES[:60], TIMES[:60] + 2.5]
    joints = np.repeat(standing_pose()[None], len(times), 0)
    one = find_ground([render(joints, times).motion]).uncertainty
    joints[60:, :, 2] -= 2
    assert find_ground([render(joints, times).motion]).uncertainty < 0.8 * one
