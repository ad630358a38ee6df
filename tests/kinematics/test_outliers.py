from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics import hampel
from tests.kinematics.walker import walker


def test_a_joint_that_jumps_for_a_frame_comes_back_and_the_rest_stays():
    walk = walker()
    joints = walk.joints.copy()
    joints[40, 5] += [0.4, -0.3, 0.2]
    joints[90:92, 9] += 0.5
    found = hampel(replace(walk, joints=joints), 0.1)
    away = np.linalg.norm(found.joints - walk.joints, axis=-1)
    assert away[40, 5] < 0.05
    assert away[90:92, 9].max() < 0.05
    assert away.max() < 0.05
    assert found.filters[-1] == {"name": "Hampel", "window_s": 0.1, "limit": 3.0}


def test_a_smooth_walk_hardly_changes():
    walk = walker()
    away = np.linalg.norm(hampel(walk, 0.1).joints - walk.joints, axis=-1)
    assert np.mean(away > 0.005) < 0.01


def test_empty_frames_stay_empty():
    walk = walker()
    joints = walk.joints.copy()
    joints[60:70] = np.nan
    found = hampel(replace(walk, joints=joints), 0.1)
    assert np.isnan(found.joints[60:70]).all()
    assert np.isfinite(found.joints[:60]).all()


@pytest.mark.parametrize("window", [0.0, -1.0, 6.0, float("nan")])
def test_a_window_that_is_none(window):
    with pytest.raises(InputError, match=r"0.1 is usual|finite"):
        hampel(walker(), window)
