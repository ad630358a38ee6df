import math

import cv2
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from poselift.geometry import intrinsics_from_fov, pixels_to_rays, project, world_to_camera

K = torch.tensor([[1100.0, 2.0, 510.0], [0.0, 1120.0, 480.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
DISTORTION = torch.tensor([-0.2, 0.25, -0.001, 0.002, -0.01], dtype=torch.float64)


def grid(depth: float = 3.0) -> torch.Tensor:
    side = torch.linspace(-0.4, 0.4, 9, dtype=torch.float64)
    x, y = torch.meshgrid(side, side, indexing="ij")
    return depth * torch.stack((x, y, torch.ones_like(x)), -1).reshape(-1, 3)


def test_fov_spans_the_longer_side():
    made = torch.from_numpy(intrinsics_from_fov(1920, 1080, math.pi / 2))
    assert_close(made, torch.tensor([[960.0, 0, 959.5], [0, 960, 539.5], [0, 0, 1]]))
    # The outer edges of the first and the last column, half a pixel outside their centres, are 45 degrees away.
    edges = pixels_to_rays(torch.tensor([[-0.5, 539.5], [1919.5, 539.5]]), made)
    assert_close(edges[:, 0], torch.tensor([-1.0, 1.0]))
    assert intrinsics_from_fov(1080, 1920, math.pi / 2)[0, 0] == made[0, 0]


@pytest.mark.parametrize(("width", "height", "fov"), [(0, 10, 1.0), (10, -1, 1.0), (10, 10, 0.0), (10, 10, math.pi)])
def test_impossible_cameras_are_refused(width, height, fov):
    with pytest.raises(ValueError, match=r"picture|field of view"):
        intrinsics_from_fov(width, height, fov)


def test_project_agrees_with_opencv():
    # OpenCV's own model has no skew.
    plain = K * torch.tensor([[1, 0, 1], [1, 1, 1], [1, 1, 1]])
    expected, _ = cv2.projectPoints(grid().numpy(), np.zeros(3), np.zeros(3), plain.numpy(), DISTORTION.numpy())
    assert_close(project(grid(), plain, DISTORTION), torch.from_numpy(expected[:, 0]), rtol=0, atol=1e-9)


def test_skew_moves_x_by_height():
    assert_close(project(torch.tensor([[0.0, 1.0, 2.0]]).double(), K)[0, 0], torch.tensor(511.0).double())


def test_behind_the_camera_is_nan_and_harmless_to_the_others():
    points = torch.tensor([[0.0, 0, 2], [0, 0, -2], [0, 0, 0], [math.nan, 0, 2]]).double().requires_grad_()
    pixels = project(points, K, DISTORTION)
    assert pixels.isnan().any(-1).tolist() == [False, True, True, True]
    (gradient,) = torch.autograd.grad(pixels[0].sum(), points)
    assert gradient[:3].isfinite().all()


@pytest.mark.parametrize("distortion", [None, DISTORTION])
def test_rays_undo_projection(distortion):
    rays = pixels_to_rays(project(grid(), K, distortion), K, distortion)
    assert_close(rays, grid(1.0), rtol=0, atol=1e-9)


@given(
    distortion=st.tuples(*(st.floats(-limit, limit) for limit in (0.3, 0.2, 0.01, 0.01, 0.05))),
    x=st.floats(-0.5, 0.5),
    y=st.floats(-0.5, 0.5),
)
@settings(max_examples=30, derandomize=True)
def test_undistortion_is_within_1e_6(distortion, x, y):
    coefficients = torch.tensor(distortion, dtype=torch.float64)
    ray = torch.tensor([[x, y, 1.0]], dtype=torch.float64)
    assert_close(pixels_to_rays(project(ray, K, coefficients), K, coefficients), ray, rtol=0, atol=1e-6)


def test_where_distortion_cannot_be_undone_is_nan():
    strong = torch.tensor([-1.0, 0, 0, 0, 0])  # x (1 - x²) never exceeds 0.385
    rays = pixels_to_rays(torch.tensor([[0.1, 0.0], [0.5, 0.0], [0.0, 3.0]]), torch.eye(3), strong)
    assert rays.isnan().any(-1).tolist() == [False, True, True]


def test_one_camera_serves_a_batch_and_a_batch_of_cameras_one_set_of_points():
    points, cameras = grid().expand(2, -1, -1), torch.stack((K, 2 * K))
    assert_close(project(points, K)[1], project(grid(), K))
    assert_close(project(grid(), cameras)[1], project(grid(), 2 * K))


def test_world_to_camera_is_r_x_plus_t():
    R = torch.tensor([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    t = torch.tensor([1.0, 2, 3])
    seen = world_to_camera(torch.tensor([[1.0, 0, 0]]), R, t)
    assert_close(seen, torch.tensor([[1.0, 3, 3]]))


FISHEYE = np.array([0.05, -0.02, 0.003, -0.001])


def test_a_fisheye_lens_is_opencvs():
    points = np.random.default_rng(0).uniform([-3, -2, 1.0], [3, 2, 5], (200, 3))
    K = np.array([[900.0, 0, 960], [0, 910, 540], [0, 0, 1]])
    expected, _ = cv2.fisheye.projectPoints(points[:, None], np.zeros(3), np.zeros(3), K, FISHEYE)
    pixels = project(points, K, FISHEYE)
    np.testing.assert_allclose(pixels, expected[:, 0], atol=1e-6)
    np.testing.assert_allclose(pixels_to_rays(pixels, K, FISHEYE), points / points[:, 2:], atol=1e-6)
    np.testing.assert_allclose(project(np.array([[0.0, 0, 2]]), K, FISHEYE), [[960, 540]])


def test_rays_beyond_a_fisheye_lens_are_unknown():
    K = np.array([[500.0, 0, 0], [0, 500, 0], [0, 0, 1]])
    pixels = np.array([[500 * np.radians(84), 0], [500 * np.radians(86), 0], [2000.0, 0], [np.nan, 0]])
    rays = pixels_to_rays(pixels, K, np.zeros(4))
    np.testing.assert_array_equal(np.isfinite(rays).all(-1), [True, False, False, False])
    folded = pixels_to_rays(pixels[:1], K, np.array([-0.5, 0.0, 0, 0]))
    assert np.isnan(folded[:, :2]).all()
