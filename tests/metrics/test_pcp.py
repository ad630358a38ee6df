import pytest
import torch
from torch.testing import assert_close

from poselift import metrics as M
from poselift.skeleton import COCO17
from tests.metrics.scalar import number

LEFT_FOREARM = list(M.LIMBS).index("left_lower_arm")


@pytest.fixture
def pose() -> torch.Tensor:
    """Joints 10 px apart from each other along x, in 2D, so that each limb is 20 px per step of the index."""
    x = 10.0 * torch.arange(17, dtype=torch.float64)
    return torch.stack((x, torch.zeros_like(x)), -1)


def test_strict_wants_both_ends_and_the_other_form_their_mean(pose):
    pred = pose.clone()
    pred[COCO17.index("left_wrist"), 1] = 15  # the left forearm is 20 px long
    strict = M.correct_limbs(pred, pose, COCO17)
    assert strict.values[LEFT_FOREARM] == 0
    assert_close(M.correct_limbs(pred, pose, COCO17).mean(), number(100 * 7 / 8))
    assert_close(M.correct_limbs(pred, pose, COCO17, strict=False).mean(), number(100.0))
    pred[COCO17.index("left_wrist"), 1] = 20.1
    assert_close(M.correct_limbs(pred, pose, COCO17, strict=False).mean(), number(100 * 7 / 8))


def test_an_end_at_the_threshold_is_correct(pose):
    pred = pose.clone()
    pred[COCO17.index("left_wrist"), 1] = 10
    assert_close(M.correct_limbs(pred, pose, COCO17).mean(), number(100.0))
    pred[COCO17.index("left_wrist"), 1] = 10.01
    assert_close(M.correct_limbs(pred, pose, COCO17).mean(), number(100 * 7 / 8))


def test_a_limb_counts_where_both_ends_do(pose):
    mask = torch.ones(17, dtype=torch.bool)
    mask[COCO17.index("left_elbow")] = False
    assert M.correct_limbs(pose, pose, COCO17, mask).counts.sum() == 6
