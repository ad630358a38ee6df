import numpy as np
import pytest

from poselift.lifting.finish.reprojection_refinement import measure_offsets, move_to_rays
from poselift.lifting.finish.root_track import solve_root
from poselift.skeleton import H36M17

TIMES = np.arange(90) / 30
WRIST, ELBOW = H36M17.index("left_wrist"), H36M17.index("left_elbow")


@pytest.fixture
def truth():
    """Somebody who stands in one pose, 4 m away."""
    pose = np.random.default_rng(0).normal(size=(1, 17, 3)) * [0.2, 0.5, 0.2]
    return np.repeat(pose - pose[:, :1], len(TIMES), 0)


def rays_of(joints):
    placed = joints + [0.3, -0.2, 4.0]
    return placed / placed[..., 2:]


def drawn(joints, rays, weights, times=TIMES):
    root = solve_root(joints, rays, weights, times)
    return move_to_rays(joints, measure_offsets(joints, rays, weights, times, root, H36M17))


def test_what_fits_its_rays_stays(truth):
    found = drawn(truth, rays_of(truth), np.ones(truth.shape[:2]))
    np.testing.assert_allclose(found, truth, atol=1e-3)


def test_a_joint_beside_its_ray_goes_half_of_the_way(truth):
    lifted = truth.copy()
    lifted[:, WRIST, 0] += 0.05
    found = drawn(lifted, rays_of(truth), np.ones(truth.shape[:2]))
    assert np.abs(found - truth)[:, WRIST, 0].max() < 0.03
    others = np.delete(np.arange(17), WRIST)
    np.testing.assert_allclose(found[:, others], truth[:, others], atol=0.006)


def test_errors_that_change_from_frame_to_frame_do_not_shake_it(truth):
    noisy = rays_of(truth) + np.random.default_rng(1).normal(size=truth.shape) * [0.01, 0.01, 0]  # 4 cm
    found = drawn(truth, noisy, np.ones(truth.shape[:2]))
    assert np.linalg.norm(np.diff(found, axis=0), axis=-1).mean() < 0.005
    assert np.linalg.norm(found - truth, axis=-1).mean() < 0.015


def test_what_is_not_seen_goes_with_its_parent(truth):
    lifted = truth.copy()
    lifted[:, [ELBOW, WRIST], 0] += 0.05
    weights = np.ones(truth.shape[:2])
    weights[:, WRIST] = 0
    rays = np.where(weights[..., None] > 0, rays_of(truth), np.nan)
    moved = drawn(lifted, rays, weights) - lifted
    assert moved[:, ELBOW, 0].max() < -0.015
    np.testing.assert_allclose(moved[:, WRIST], moved[:, ELBOW], atol=2e-3)
