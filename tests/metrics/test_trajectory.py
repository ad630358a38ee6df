import jaxtyping
import pytest
import torch
from torch.testing import assert_close

from poselift.geometry import axis_angle_to_matrix
from poselift.metrics import functional as F


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


@pytest.fixture
def path() -> torch.Tensor:
    return torch.randn(2, 9, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def changed(path, scale):
    R = axis_angle_to_matrix(torch.tensor([0.1, 0.5, -0.3], dtype=torch.float64))
    return scale * path @ R.mT + torch.tensor([1.0, 2.0, 3.0])


def test_each_alignment_takes_out_what_it_says(path):
    shifted = path + torch.tensor([0.3, 0, 0.4])
    assert_close(F.trajectory_error(shifted, path, "none"), number(500.0))
    assert_close(F.trajectory_error(shifted, path, "first_frame"), number(0.0))
    assert_close(F.trajectory_error(changed(path, 1.0), path, "rigid"), number(0.0), rtol=0, atol=1e-9)
    assert F.trajectory_error(changed(path, 1.0), path, "first_frame") > 10
    assert F.trajectory_error(changed(path, 2.0), path, "rigid") > 10
    assert_close(F.trajectory_error(changed(path, 2.0), path, "similarity"), number(0.0), rtol=0, atol=1e-9)


def test_the_first_frame_is_the_first_that_counts(path):
    pred = path.clone()
    pred[:, 0] += 1
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[:, 0] = False
    assert_close(F.trajectory_error(pred, path, "first_frame", mask), number(0.0))
    assert F.trajectory_error(pred, path, "first_frame") > 1000


@pytest.mark.parametrize("alignment", ["none", "first_frame", "rigid", "similarity"])
def test_no_frame_that_counts_is_nan(path, alignment):
    assert F.trajectory_error(path, path, alignment, torch.zeros(2, 9, dtype=torch.bool)).isnan()


def test_two_frames_do_not_count_for_an_alignment_that_turns(path):
    assert F.trajectory_error(path[:, :2], path[:, :2], "rigid").isnan()
    assert F.trajectory_error(path[:, :2], path[:, :2], "first_frame") == 0


def test_an_unknown_alignment_is_refused(path):
    with pytest.raises((ValueError, jaxtyping.TypeCheckError)):
        F.trajectory_error(path, path, "best")
