import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from poselift import metrics as M
from tests.metrics.scalar import number


@pytest.mark.parametrize("alpha", [0.02, 0.05])
def test_it_is_the_formula_written_out_anew(alpha):
    """Joint by joint, in numpy and plain Python."""
    random = np.random.default_rng(0)
    target = random.normal(300, 80, (40, 17, 2))
    pred = target + random.normal(0, 15, target.shape)
    mask = random.random((40, 17)) < 0.8
    correct = []
    for pose, truth, counts in zip(pred, target, mask, strict=True):
        seen = truth[counts]
        diagonal = math.hypot(*(max(side) - min(side) for side in seen.T))
        correct += [math.dist(p, t) <= alpha * diagonal for p, t in zip(pose[counts], seen, strict=True)]
    found = M.correct_pixels(torch.from_numpy(pred), torch.from_numpy(target), torch.from_numpy(mask), alpha)
    assert 5 < 100 * np.mean(correct) < 100
    assert_close(found.mean(), number(100 * np.mean(correct)))


BODY = torch.tensor([[0.0, 0.0], [300.0, 0.0], [0.0, 400.0]], dtype=torch.float64)


def test_the_diagonal_is_of_the_box_around_the_joints_that_count():
    assert_close(M.box_diagonal(BODY), number(500.0))
    assert_close(M.box_diagonal(BODY, torch.tensor([True, False, True])), number(400.0))
    assert_close(M.box_diagonal(BODY, torch.tensor([True, False, False])), number(0.0))
    assert_close(M.box_diagonal(BODY, torch.tensor([False, False, False])), number(0.0))


def test_a_joint_at_the_threshold_is_correct():
    pred = BODY.clone()
    pred[1, 0] += 25  # 0.05 of 500
    pred[2, 1] += 25.01
    assert_close(M.correct_pixels(pred, BODY).values, torch.tensor([100.0, 100.0, 0.0], dtype=torch.float64))


def test_a_pose_without_a_size_does_not_count():
    people = torch.stack((BODY, BODY[:1].expand(3, 2)))
    found = M.correct_pixels(people, people)
    assert found.counts.sum(1).tolist() == [3, 0]
    mask = torch.tensor([False, True, False])
    assert M.correct_pixels(BODY, BODY, mask).mean().isnan()
