import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from torch.testing import assert_close

from poselift.geometry import apply_similarity, axis_angle_to_matrix, umeyama

seeds = st.integers(0, 2**32 - 1)


def points(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.slow
@given(seeds, st.integers(3, 8), st.floats(0.1, 10))
@settings(max_examples=30, derandomize=True)
def test_a_similarity_is_recovered(seed, n, scale):
    source = points(seed, n)
    R, t = axis_angle_to_matrix(points(seed + 1)), points(seed + 2)
    target = apply_similarity(source, torch.tensor(scale, dtype=torch.float64), R, t)
    found = umeyama(source, target)
    assert_close(apply_similarity(source, *found), target, rtol=0, atol=1e-8)
    assert_close(found[0], torch.tensor(scale, dtype=torch.float64))
    assert_close(umeyama(source, target, with_scale=False)[0], torch.tensor(1.0, dtype=torch.float64))


@given(seeds)
@settings(max_examples=30, derandomize=True)
def test_rotation_agrees_with_scipy(seed):
    source, target = points(seed, 6), points(seed + 1, 6)
    weights = points(seed + 2, 6)[:, 0].abs()
    _, R, _ = umeyama(source, target, weights)
    mean = [(weights[:, None] * x).sum(0) / weights.sum() for x in (source, target)]
    kabsch, _ = Rotation.align_vectors((target - mean[1]).numpy(), (source - mean[0]).numpy(), weights.numpy())
    assert_close(R, torch.from_numpy(kabsch.as_matrix().copy()), rtol=0, atol=1e-7)


@given(seeds)
@settings(max_examples=30, derandomize=True)
def test_a_mirror_image_is_not_aligned(seed):
    source = points(seed, 8)
    target = source * source.new_tensor([-1, 1, 1])
    scale, R, t = umeyama(source, target)
    assert_close(torch.linalg.det(R), torch.tensor(1.0, dtype=torch.float64))
    assert (apply_similarity(source, scale, R, t) - target).norm(dim=-1).mean() > 1e-3


def test_points_of_weight_zero_do_not_count_even_if_nan():
    source, target = points(0, 6), points(1, 6)
    expected = umeyama(source[:4], target[:4])
    source[4:], target[4] = math.nan, math.nan
    weights = torch.tensor([1.0, 1, 1, 1, 0, 0], dtype=torch.float64)
    source.requires_grad_()
    found = umeyama(source, target, weights)
    for ours, theirs in zip(found, expected, strict=True):
        assert_close(ours, theirs)
    (gradient,) = torch.autograd.grad(found[1].sum() + found[0] + found[2].sum(), source)
    assert gradient.isfinite().all()


def test_a_nan_that_counts_gives_nan_in_its_own_item_only():
    source, target = points(0, 2, 5), points(1, 2, 5)
    source[0, 0, 0] = math.nan
    for out in umeyama(source, target):
        assert out[0].isnan().all()
        assert out[1].isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("which", ["coincident", "one point", "no weight"])
def test_undetermined_sources_keep_scale_and_rotation(which, dtype):
    n = 1 if which == "one point" else 5
    source, target = points(0, n).to(dtype), points(1, n).to(dtype)
    weights = torch.ones(n, dtype=dtype)
    if which == "coincident":
        source = source[:1].expand(n, 3).clone() + 1 / 3
    if which == "no weight":
        weights.zero_()
    source.requires_grad_()
    scale, R, t = umeyama(source, target, weights)
    assert scale == 1
    assert_close(R, torch.eye(3, dtype=dtype), check_device=False)
    wanted = torch.zeros(3, dtype=dtype) if which == "no weight" else target.mean(0) - source.mean(0)
    assert_close(t, wanted)
    (gradient,) = torch.autograd.grad(scale + R.sum() + t.sum(), source, allow_unused=True)
    assert gradient is None or gradient.isfinite().all()


def test_a_target_of_one_point_gives_scale_zero():
    scale, R, _ = umeyama(points(0, 5), torch.ones(5, 3, dtype=torch.float64))
    assert scale == 0
    assert_close(R, torch.eye(3, dtype=torch.float64))


@pytest.mark.parametrize("flat", [(1, 1, 0), (1, 0, 0)])
def test_planar_and_straight_poses_align_and_have_gradients(flat):
    source = points(0, 6) * points(0, 6).new_tensor(flat)
    R = axis_angle_to_matrix(points(3))
    target = apply_similarity(source, torch.tensor(2.0, dtype=torch.float64), R, points(4))
    found = umeyama(source.requires_grad_(), target)
    assert_close(apply_similarity(source, *found), target)
    (gradient,) = torch.autograd.grad(apply_similarity(source, *found).square().sum(), source)
    assert gradient.isfinite().all()


def test_the_derivative_is_right_where_that_of_the_svd_is_infinite():
    # A cross with arms of one length has equal singular values, and a flat one a zero as well.
    for arms in (torch.eye(3), torch.eye(3)[:2]):
        cross = torch.cat((arms, -arms)).double()
        assert torch.autograd.gradcheck(
            lambda x, target=cross: umeyama(x, target), cross.clone().requires_grad_(), atol=1e-6
        )
