import dataclasses

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics import butterworth
from tests.kinematics.conftest import pose


def swaying(hertz, times):
    """A motion whose pelvis sways by 1 m at a frequency."""
    still = pose(frames=len(times))
    root = np.zeros((len(times), 3))
    root[:, 0] = np.sin(2 * np.pi * hertz * times)
    return dataclasses.replace(still, root=root, timestamps=times)


@pytest.mark.parametrize(("hertz", "kept"), [(0.5, 1.0), (6.0, 0.7071), (20.0, 0.01)])
def test_the_cutoff_is_weakened_by_three_decibels_without_delay(hertz, kept):
    times = np.arange(600) / 100
    before = swaying(hertz, times)
    after = butterworth(before, 6.0)
    inner = slice(150, 450)
    ratio = np.linalg.lstsq(before.root[inner, :1], after.root[inner, 0], rcond=None)[0].item()
    assert ratio == pytest.approx(kept, abs=0.01)


def test_uneven_times_are_filtered_as_even_ones():
    times = np.arange(300) / 50 + np.where(np.arange(300) % 2, 0.004, 0)
    before = swaying(1.0, times)
    after = butterworth(before, 6.0)
    np.testing.assert_allclose(after.root[50:250], before.root[50:250], atol=0.005)


def test_empty_frames_stay_empty_and_keep_to_themselves():
    before = swaying(1.0, np.arange(100) / 50)
    joints, root = before.joints.copy(), before.root.copy()
    joints[40:43], root[40:43] = np.nan, np.nan
    root[43:, 0] += 100
    after = butterworth(dataclasses.replace(before, joints=joints, root=root), 6.0)
    assert np.isnan(after.root[40:43]).all()
    assert np.isfinite(after.root[:40]).all()
    assert np.abs(after.root[:40]).max() < 2


@pytest.mark.parametrize("cutoff", [0.0, 50.0, float("nan")])
def test_a_cutoff_outside_the_rate_is_an_error(cutoff):
    with pytest.raises(InputError, match=r"half the frame rate|finite"):
        butterworth(swaying(1.0, np.arange(100) / 50), cutoff)
