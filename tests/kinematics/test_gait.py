import dataclasses

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics import gait
from tests.kinematics.conftest import pose


def test_a_walk_of_two_steps_a_second_and_strides_of_one_metre():
    frames = 121
    root = np.zeros((frames, 3))
    root[:, 2] = np.arange(frames) / 30  # 1 m/s
    contacts = np.stack([np.arange(frames) % 30 < 18, (np.arange(frames) + 15) % 30 < 18], 1)
    radii = np.full((frames, 28), 0.05)
    found = gait(pose(frames=frames, root=root, contacts=contacts, uncertainty=radii))
    np.testing.assert_allclose(found.step_time, 0.5)
    assert found.cadence == pytest.approx(120)
    np.testing.assert_allclose(found.stride_length, 1.0, atol=1e-6)
    np.testing.assert_allclose(found.stride_uncertainty, 0.0465, atol=1e-4)


def test_a_motion_without_contacts_is_an_error():
    with pytest.raises(InputError, match="--world"):
        gait(dataclasses.replace(pose(), contacts=None))
