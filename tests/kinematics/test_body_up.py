from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from benchmarks.made_worlds import Scene, lie, pedal, see, sit, walk, walk_round
from poselift.kinematics.body_up import (
    LEAN,
    TRUNK_LEAN,
    UPRIGHT,
    find_body_up,
    find_level_way,
    find_upright_footfalls,
    find_walking_axis,
    sits_on_wheels,
)
from poselift.kinematics.ground import UNKNOWN_UP, find_ground
from poselift.kinematics.up import up_of_tilt
from poselift.lifting import to_world
from poselift.skeleton import COCO17
from poselift.structures import Motion

RIDE = partial(sit, speed=1.0)


def _seen(body, pitch, heading=0.0, distance=5.0):
    """The true motion of somebody made, and up, both in the camera frame."""
    keypoints, _, up, joints = see(Scene("", body, heading, pitch, distance))
    root = joints[:, 11:13].mean(1)
    relative = (joints - root[:, None]).astype(np.float32)
    interpolated = np.zeros(len(root), bool)
    motion = Motion(relative, root.astype(np.float32), keypoints.timestamps, interpolated, COCO17, "camera", keypoints)
    return motion, up


def _off(a, b):
    return np.degrees(np.arccos(np.clip(a @ b, -1, 1)))


def test_who_stands_is_upright_by_the_axis_and_who_sits_by_the_trunk():
    motion, up = _seen(walk, 10)
    body = find_body_up(motion)
    assert _off(body.axis, up) < 3
    assert body.spread == pytest.approx(LEAN)
    motion, up = _seen(sit, 10, heading=60)
    axes = motion.body_axis()
    assert _off(axes[0] / np.linalg.norm(axes[0]), up) > 20
    body = find_body_up(motion)
    assert _off(body.axis, up) < 6
    assert body.spread == TRUNK_LEAN


def test_who_pedals_is_doubtful_and_who_stands_up_later_is_not():
    assert find_body_up(_seen(pedal, 10)[0]).spread > 2 * LEAN
    sitting, up = _seen(sit, 10)
    standing, _ = _seen(walk, 10)
    joints = np.concatenate([sitting.joints, standing.joints[:40]])
    root = np.concatenate([sitting.root, standing.root[:40]])
    times = np.arange(len(root)) / 30
    pixels = sitting.keypoints
    keypoints = replace(
        pixels,
        keypoints=np.resize(pixels.keypoints, (len(root), 17, 2)),
        scores=np.full((len(root), 17), 0.9),
        timestamps=times,
    )
    both = Motion(joints, root, times, np.zeros(len(root), bool), COCO17, "camera", keypoints)
    body = find_body_up(both)
    assert body.spread == pytest.approx(LEAN)
    assert _off(body.axis, up) < 3


@pytest.mark.parametrize("pitch", [10, 65, 80])
def test_steps_tell_up_under_any_camera(pitch):
    motion, up = _seen(walk, pitch)
    axis = find_walking_axis(motion)
    assert _off(axis, up) < 3
    assert len(find_upright_footfalls(motion, axis)[0]) >= 5
    assert (find_body_up(motion) is None) == (_off(np.array([0.0, -1, 0]), axis) > np.degrees(np.arccos(UPRIGHT)))
    ground = find_ground([motion])
    assert _off(ground.up, up) < 4
    assert np.degrees(ground.uncertainty) < 6


@pytest.mark.parametrize("body", [sit, RIDE, lie, pedal])
def test_who_does_not_step_is_no_walker(body):
    assert find_walking_axis(_seen(body, 10)[0]) is None


def test_wheels_stay_level():
    motion, up = _seen(RIDE, 0)
    way = find_level_way(motion)
    assert abs(way.direction @ up) < 0.02
    assert way.spread < np.deg2rad(4)
    assert _off(find_ground([motion]).up, up) < 6
    assert find_level_way(_seen(walk, 0)[0]) is None
    assert find_level_way(_seen(sit, 0)[0]) is None
    unseen = replace(motion, threshold=0.95)
    assert find_level_way(unseen) is None


def test_feet_on_wheels_do_not_stand():
    slow, _ = _seen(partial(sit, speed=0.3), 10)
    assert sits_on_wheels(slow)
    assert not sits_on_wheels(_seen(sit, 10)[0])
    assert not sits_on_wheels(_seen(walk, 10)[0])
    camera = see(Scene("", partial(sit, speed=0.3), 0, 10))[1]
    rolled = to_world([slow], camera).motions[0]
    assert not rolled.contacts.any()
    assert np.linalg.norm(rolled.root[-1] - rolled.root[0]) == pytest.approx(0.3 * 119 / 30, rel=0.05)


def test_who_falls_does_not_ride():
    """Two metres down in two seconds, without a foot at rest: up stays where it was."""
    motion, up = _seen(sit, 0)
    down = np.linspace(0, 2, len(motion))[:, None] * -up
    falling = replace(motion, root=(motion.root + down).astype(np.float32))
    assert _off(find_ground([falling]).up, up) < 8


@pytest.mark.parametrize("pitch", [25, 65])
def test_nobody_knows_the_tilt_over_somebody_who_lies_unless_it_is_given(pitch):
    motion, up = _seen(lie, pitch)
    ground = find_ground([motion])
    assert ground.uncertainty == UNKNOWN_UP
    given = find_ground([motion], given_up=up_of_tilt(np.radians(pitch)))
    assert _off(given.up, up) < 1
    assert np.degrees(given.uncertainty) < 4


@pytest.mark.parametrize("pitch", [35, 50])
def test_a_camera_that_looks_down_steeply_does_not_tilt_the_world(pitch):
    for body, distance in ((walk, 5.0), (walk_round, 6.0)):
        motion, up = _seen(body, pitch, distance=distance)
        assert _off(find_ground([motion]).up, up) < 4
