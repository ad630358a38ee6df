import dataclasses

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics import resample_motion
from tests.kinematics.conftest import pose, turn


def walk(frames=31, fps=30.0, **about):
    times = np.arange(frames) / fps
    root = np.stack([np.sin(3 * times), 0.9 + 0 * times, times], 1)
    turned = {"left_knee": turn("x", 40 * np.sin(5 * times))}
    return pose(turned, frames, fps=fps, root=root, contacts=np.stack([times < 0.5, times >= 0.5], 1), **about)


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0])
def test_frames_are_whole_and_lie_on_the_motion(rate):
    motion = walk()
    changed = resample_motion(motion, rate)
    np.testing.assert_allclose(changed.timestamps * rate, np.arange(int(rate) + 1), atol=1e-9)
    np.testing.assert_allclose(changed.root[:, 0], np.sin(3 * changed.timestamps), atol=1e-4)
    np.testing.assert_array_equal(changed.contacts[:, 0], changed.timestamps < 0.5 - 0.5 / 30 + 1e-9)
    assert len(changed.keypoints) == len(changed) == len(changed.interpolated)
    if rate == 30:
        np.testing.assert_allclose(changed.joints, motion.joints, atol=1e-12)


def test_a_clip_that_starts_late_keeps_the_clock():
    motion = walk()
    later = dataclasses.replace(
        motion,
        timestamps=motion.timestamps + 1.01,
        keypoints=dataclasses.replace(motion.keypoints, timestamps=motion.timestamps + 1.01),
    )
    changed = resample_motion(later, 25.0)
    np.testing.assert_allclose(changed.timestamps * 25, np.round(changed.timestamps * 25), atol=1e-9)
    np.testing.assert_allclose(changed.root[:, 2], changed.timestamps - 1.01, atol=1e-4)


def test_gaps_stay_empty_and_one_frame_is_one_frame():
    motion = walk()
    motion.joints[10:20] = np.nan
    changed = resample_motion(motion, 60.0)
    empty = ~changed.posed
    assert empty.any()
    assert (changed.timestamps[empty] > 9 / 30).all()
    assert (changed.timestamps[empty] < 20 / 30).all()
    assert len(resample_motion(walk(1), 24.0)) == 1


@pytest.mark.parametrize("rate", [0.0, float("nan"), 1e9])
def test_a_rate_that_cannot_be_is_refused(rate):
    with pytest.raises(InputError, match=r"frames a second|finite"):
        resample_motion(walk(), rate)
