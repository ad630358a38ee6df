import math

import pytest
import torch
from torch.testing import assert_close

from poselift import metrics as M
from poselift.skeleton import Skeleton
from tests.metrics.scalar import number

LEG = Skeleton("leg", ("ankle", "hip", "knee"), ("knee", None, "hip"))


def leg(thigh, shank) -> torch.Tensor:
    """Frames of a straight leg with bones of these lengths."""
    thigh, shank = torch.as_tensor(thigh, dtype=torch.float64), torch.as_tensor(shank, dtype=torch.float64)
    zero = torch.zeros_like(thigh)
    down = torch.stack((thigh + shank, zero, thigh), -1)
    return torch.stack((torch.zeros_like(down), down, torch.zeros_like(down)), -1)


def test_length_errors_by_hand():
    pred, target = leg(0.40, 0.41), leg(0.42, 0.40)
    found = M.bone_length_errors(pred, target, LEG)
    assert_close(found.values, torch.tensor([10.0, 20.0], dtype=torch.float64))  # in the order of LEG.bones
    assert_close(M.bone_length_errors(pred, target, LEG).mean(), number(15.0))
    mask = torch.tensor([False, True, True])
    assert_close(M.bone_length_errors(pred, target, LEG, mask).mean(), number(20.0))
    assert M.bone_length_errors(pred, target, LEG, torch.tensor([True, True, False])).mean().isnan()


def test_variation_by_hand():
    motion = leg([0.3, 0.5], [0.4, 0.4])
    found = M.bone_length_variations(motion, LEG)
    assert_close(found.values, torch.tensor([0.0, 25.0], dtype=torch.float64))
    assert_close(M.bone_length_variations(motion, LEG).mean(), number(12.5))


def test_variation_does_not_see_size_or_hidden_frames():
    motion = leg([0.3, 0.5, 9.0], [0.4, 0.4, 9.0])
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[2, 1] = False  # the hip: the thigh is not known in that frame
    hidden = motion.masked_fill(~mask[..., None], math.nan)
    assert_close(M.bone_length_variations(hidden, LEG, mask).values[1], number(25.0))
    assert_close(M.bone_length_variations(3 * motion, LEG).mean(), M.bone_length_variations(motion, LEG).mean())


@pytest.mark.parametrize("motion", [leg([0.3], [0.4]), leg([0.0, 0.0], [0.0, 0.0])])
def test_one_frame_and_no_length_vary_not_at_all_but_nan(motion):
    assert M.bone_length_variations(motion, LEG).mean().isnan()
