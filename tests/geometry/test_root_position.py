import numpy as np
import pytest
import torch
from scipy.optimize import least_squares

from poselift.geometry import root_from_rays


@pytest.fixture
def pose():
    generator = torch.Generator().manual_seed(0)
    return 0.4 * torch.randn(17, 3, generator=generator, dtype=torch.float64)


def test_exact_rays_give_back_the_root(pose):
    root = torch.tensor([0.5, -0.3, 4.0], dtype=torch.float64)
    rays = (pose + root) / (pose + root)[:, 2:]
    torch.testing.assert_close(root_from_rays(pose, rays, torch.ones(17).double()), root, atol=5e-5, rtol=0)


def test_it_is_the_weighted_least_squares_solution(pose):
    """Against scipy's general solver on the same distances."""
    generator = torch.Generator().manual_seed(1)
    rays = pose + torch.tensor([0.5, -0.3, 4.0]) + 0.1 * torch.randn(17, 3, generator=generator, dtype=torch.float64)
    weights = torch.rand(17, generator=generator, dtype=torch.float64)

    def distances(root):
        d = rays.numpy() / np.linalg.norm(rays.numpy(), axis=-1, keepdims=True)
        x = pose.numpy() + root
        return ((x - d * (d * x).sum(-1, keepdims=True)) * weights.numpy()[:, None] ** 0.5).ravel()

    expected = least_squares(distances, np.array([0, 0, 3.0]), xtol=1e-12, ftol=1e-12, gtol=1e-12).x
    np.testing.assert_allclose(root_from_rays(pose, rays, weights).numpy(), expected, atol=1e-4)


def test_joints_of_no_weight_have_no_say_and_no_gradient(pose):
    rays = pose + torch.tensor([0.5, -0.3, 4.0]).double()
    weights = torch.ones(17).double()
    weights[3] = 0
    whole = root_from_rays(pose, rays, weights)
    joints, rays = pose.clone(), rays.clone()
    joints[3], rays[3] = torch.nan, torch.nan
    joints.requires_grad_()
    root = root_from_rays(joints, rays, weights)
    torch.testing.assert_close(root, whole)
    root.sum().backward()
    assert joints.grad.isfinite().all()
    assert (joints.grad[3] == 0).all()
