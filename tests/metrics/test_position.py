import math
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from poselift import metrics as M
from poselift.detection.mmpose.compat import mmpose_imports
from poselift.geometry import axis_angle_to_matrix
from poselift.metrics.elements import prepare
from tests.metrics.scalar import number

seeds = st.integers(0, 2**32 - 1)
quick = settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])


def mpjpe(pred, target, mask=None):
    return M.joint_errors(pred, target, mask).mean()


def p_mpjpe(pred, target, mask=None):
    return M.aligned_joint_errors(pred, target, mask).mean()


def n_mpjpe(pred, target, mask=None):
    return M.scaled_joint_errors(pred, target, mask).mean()


def moved(points, seed, scale=1.0):
    """The points after some rotation, translation and scaling."""
    generator = torch.Generator().manual_seed(seed)
    R = axis_angle_to_matrix(torch.randn(3, generator=generator, dtype=torch.float64))
    return scale * points @ R.mT + torch.randn(3, generator=generator, dtype=torch.float64)


def test_by_hand():
    target = torch.zeros(2, 2, 3)
    pred = torch.tensor([[[0.003, 0.004, 0], [0, 0, 0.001]], [[0, 0, 0], [0, 0, 0.002]]])
    assert_close(mpjpe(pred, target), number(2.0))
    mask = torch.tensor([[True, False], [True, True]])
    assert_close(mpjpe(pred, target, mask), number(7 / 3))
    errors = M.joint_errors(pred, target, mask)
    assert_close(errors.mean(0), torch.tensor([2.5, 2.0], dtype=torch.float64))
    assert_close(errors.mean(-1), torch.tensor([5.0, 1.0], dtype=torch.float64))


def test_published_numbers():
    """Those of MMPose's test of `keypoint_mpjpe`, which aligns over all joints and then masks."""
    pred = torch.zeros(2, 5, 3)
    target = torch.zeros(2, 5, 3)
    pred[0] = torch.tensor([[1.0, 0, 0], [2, 2, 0], [0, 0, -1], [3, 3, 1], [0, 1, 1]])
    pred[1] = torch.tensor([[1.0, 0, 0], [2, 2, 1], [-1, 0, 0], [0, 0, 3], [0, 0, 1]])
    target[0] = torch.tensor([[1.0, 0, 0], [1, 1, 1], [-1, 0, 0], [3, 3, 1], [0, 1, 0]])
    target[1] = torch.tensor([[1.0, 1, 0], [1, 0, 1], [-1, 0, 0], [0, 0, 3], [1, 1, 0]])
    mask = torch.tensor([[True, True, False, True, True]] * 2)
    same = {"rtol": 1e-12, "atol": 0}
    assert_close(mpjpe(pred, target, mask), number(962.5211990796929), **same)
    target64 = target.double()
    assert_close(mpjpe(M.procrustes_align(pred, target), target64, mask), number(1004.7897634604497), **same)
    assert_close(mpjpe(M.scale_align(pred, target), target64, mask), number(1027.7129678465953), **same)
    # The rule here aligns over the joints that count, and fits them better than over all.
    assert p_mpjpe(pred, target, mask) < 1004
    assert n_mpjpe(pred, target, mask) < 1027


@given(seeds, st.floats(0.2, 5))
@quick
def test_what_each_form_does_not_see(random_poses, seed, scale):
    pred, target, mask = random_poses(seed, 3, 7, 3)
    assert_close(p_mpjpe(moved(pred, seed, scale), target, mask), p_mpjpe(pred, target, mask))
    assert_close(n_mpjpe(scale * pred, target, mask), n_mpjpe(pred, target, mask))
    assert_close(mpjpe(moved(pred, seed), moved(target, seed), mask), mpjpe(pred, target, mask))


@given(seeds)
@quick
def test_order_of_joints_and_flipping_both_change_nothing(random_poses, seed):
    pred, target, mask = random_poses(seed, 3, 7, 3)
    order = torch.randperm(7, generator=torch.Generator().manual_seed(seed))
    mirror = pred.new_tensor([-1, 1, 1])
    for metric in (mpjpe, p_mpjpe, n_mpjpe):
        value = metric(pred, target, mask)
        assert_close(metric(pred[:, order], target[:, order], mask[:, order]), value)
        assert_close(metric(mirror * pred, mirror * target, mask), value)


@given(seeds)
@quick
def test_a_mirrored_pose_is_wrong(random_poses, seed):
    _, target, _ = random_poses(seed, 2, 9, 3)
    assert p_mpjpe(target * target.new_tensor([-1, 1, 1]), target) > 10


@pytest.mark.parametrize("metric", [mpjpe, p_mpjpe, n_mpjpe])
def test_the_gradient_is_finite_where_unseen_joints_are_nan(random_poses, metric):
    pred, target, mask = random_poses(0, 4, 6, 3)
    hidden = pred.masked_fill(~mask[..., None], math.nan).requires_grad_()
    (gradient,) = torch.autograd.grad(metric(hidden, target.masked_fill(~mask[..., None], math.nan), mask), hidden)
    assert gradient.isfinite().all()
    assert metric(pred[:0], target[:0]).isnan()


def test_poses_of_two_joints_do_not_count_for_procrustes(random_poses):
    pred, target, _ = random_poses(0, 2, 6, 3)
    mask = torch.ones(2, 6, dtype=torch.bool)
    mask[1, 2:] = False
    assert_close(p_mpjpe(pred, target, mask), p_mpjpe(pred[0], target[0]))


def test_a_pose_at_the_origin_keeps_its_scale():
    assert_close(n_mpjpe(torch.zeros(3, 3), torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]])), number(1000.0))
    assert_close(p_mpjpe(torch.ones(2, 3, 3), torch.ones(2, 3, 3)), number(0.0))


def test_float32_is_summed_in_float64():
    pred = torch.full((1000, 17, 3), 1e-3)
    assert_close(mpjpe(pred, torch.zeros_like(pred)), number(3**0.5 * pred[0, 0, 0].double().item() * 1000))


@pytest.mark.parametrize(
    ("pred", "target", "mask", "message"),
    [((2, 5, 3), (1, 5, 3), None, "target"), ((2, 5, 3), (2, 5, 3), (1, 5), "mask")],
)
def test_shapes_that_would_broadcast_are_refused(pred, target, mask, message):
    with pytest.raises(ValueError, match=message):
        prepare(torch.zeros(pred), torch.zeros(target), mask and torch.ones(mask, dtype=torch.bool))


@pytest.mark.slow
def test_mmposes_own_functions(random_poses):
    """MMPose aligns over all joints and masks afterwards; without a mask the two are the same."""
    if find_spec("mmpose") is None:
        pytest.skip("needs MMPose: see tools/install_mmpose.sh")
    with warnings.catch_warnings(), mmpose_imports():
        warnings.simplefilter("ignore")
        from mmpose.evaluation.functional import keypoint_mpjpe
    pred, target, mask = random_poses(0, 20, 17, 3)
    arrays = pred.numpy(), target.numpy()
    everything = np.ones((20, 17), bool)
    for alignment, metric in (("none", mpjpe), ("procrustes", p_mpjpe), ("scale", n_mpjpe)):
        expected = float(1000 * keypoint_mpjpe(*arrays, everything, alignment))
        assert_close(metric(pred, target), number(expected))
    masked = mask.numpy()
    assert_close(mpjpe(pred, target, mask), number(float(1000 * keypoint_mpjpe(*arrays, masked))))
    aligned = mpjpe(M.procrustes_align(pred, target), target, mask)
    assert_close(aligned, number(float(1000 * keypoint_mpjpe(*arrays, masked, "procrustes"))))
