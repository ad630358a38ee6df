import numpy as np
import pytest

from poselift.tracking.track import Track, displacement, size_of


def run(scenes, speed=200.0, seconds=1.0, rate=30):
    track = Track()
    for frame in range(int(seconds * rate)):
        time = frame / rate
        track.add(frame, time, scenes.walker(100 + speed * time, time), np.ones(17))
    return track


@pytest.mark.parametrize("rate", [15, 30, 100])
def test_velocity_is_learnt_in_pixels_a_second(scenes, rate):
    track = run(scenes, rate=rate)
    np.testing.assert_allclose(track.velocity, [200, 0], atol=25)
    np.testing.assert_allclose(track.first_velocity, [200, 0], atol=45)


def test_prediction_goes_on_and_fades(scenes):
    track = run(scenes)
    last = track.timestamps[-1]
    for elapsed in (0.1, 0.5, 5.0):
        ahead = track.keypoints[-1] + track.velocity * (1 - np.exp(-elapsed))
        difference = track.difference(last + elapsed, ahead, np.ones(17))
        assert max(difference.shift, difference.shape, difference.size) < 1e-6


def test_a_difference_is_told_apart_into_shift_shape_and_size(scenes):
    track = Track()
    pose = scenes.walker(100, 0.0)
    track.add(0, 0.0, pose, np.ones(17))
    size = size_of(pose)
    moved = track.difference(0.1, pose + np.array([0.2 * size, 0]), np.ones(17))
    assert (moved.shift, moved.shape, moved.size) == pytest.approx((0.2, 0, 0), abs=1e-9)
    centre = pose.mean(0)
    grown = track.difference(0.1, centre + 2 * (pose - centre), np.ones(17))
    assert (grown.shift, grown.size) == pytest.approx((0, np.log(2)), abs=1e-9)
    assert grown.shape > 0.1


def test_a_pose_does_not_shrink_when_its_legs_are_not_seen(scenes):
    track = Track()
    pose = scenes.walker(100, 0.0)
    track.add(0, 0.0, pose, np.ones(17))
    upper = np.where(np.arange(17)[:, None] < 11, pose, np.nan)
    difference = track.difference(0.1, upper, np.ones(17))
    assert (difference.shift, difference.shape, difference.size) == (0, 0, 0)


def test_unsure_joints_count_less():
    start = np.zeros((2, 2))
    end = np.array([[10.0, 0.0], [100.0, 0.0]])
    shift, spread = displacement(start, np.ones(2), end, np.array([1.0, 0.0]))
    np.testing.assert_array_equal(shift, [10, 0])
    assert spread == 0
