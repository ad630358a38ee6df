import numpy as np
import pytest

from poselift.lifting import solve_root


@pytest.fixture
def scene():
    """Someone 5 m away who walks to the right; joints, rays, weights, times, root."""
    rng = np.random.default_rng(0)
    times = np.arange(60) / 30
    root = np.stack([0.8 * times - 0.8, 0.1 * np.sin(6 * times), 5 + 0.3 * times], -1)
    joints = rng.normal(size=(1, 12, 3)) * [0.3, 0.5, 0.2] + 0.05 * np.sin(4 * times)[:, None, None]
    rays = joints + root[:, None]
    return joints, rays / rays[..., 2:], np.ones(joints.shape[:2]), times, root


def test_exact_rays_give_the_exact_place(scene):
    joints, rays, weights, times, root = scene
    np.testing.assert_allclose(solve_root(joints, rays, weights, times), root, atol=0.02)


def test_one_wild_joint_does_not_move_it(scene):
    joints, rays, weights, times, root = scene
    rays = rays.copy()
    rays[20:30, 4, 0] += 0.4
    found = solve_root(joints, rays, weights, times)
    assert np.abs(found - root).max() < 0.06


def test_unseen_frames_are_carried_by_the_motion(scene):
    joints, rays, weights, times, root = scene
    weights = weights.copy()
    weights[25:35] = 0
    found = solve_root(joints, np.where(weights[..., None] > 0, rays, np.nan_to_num(rays * 0)), weights, times)
    assert np.abs(found - root)[25:35].max() < 0.1


def test_depth_noise_is_smoothed(scene):
    joints, rays, weights, times, root = scene
    noisy = rays + np.random.default_rng(1).normal(size=rays.shape) * 0.004
    found = solve_root(joints, noisy, weights, times)
    alone = np.concatenate(
        [
            solve_root(j[None], r[None], w[None], t[None])
            for j, r, w, t in zip(joints, noisy, weights, times, strict=True)
        ]
    )
    assert np.diff(found[:, 2], 2).std() < 0.2 * np.diff(alone[:, 2], 2).std()
    assert np.abs(found - root).mean() < np.abs(alone - root).mean()


def test_uneven_times(scene):
    joints, rays, weights, times, root = scene
    keep = np.sort(np.random.default_rng(2).choice(60, 35, replace=False))
    found = solve_root(joints[keep], rays[keep], weights[keep], times[keep])
    np.testing.assert_allclose(found, root[keep], atol=0.03)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_short_tracks(scene, frames):
    joints, rays, weights, times, root = (x[:frames] for x in scene)
    np.testing.assert_allclose(solve_root(joints, rays, weights, times), root, atol=0.02)


def test_nobody_is_behind_the_camera(scene):
    """Some frames upside down, then all of them: lines fit as well behind the camera, but nobody is there."""
    joints, rays, weights, times, root = scene
    turned = np.repeat(joints, 1, axis=0)
    turned[20:25] *= -1
    found = solve_root(turned, rays, weights, times)
    assert np.abs(found - root)[20:25].max() < 0.3
    assert (solve_root(-joints, rays, weights, times)[:, 2] > 0).all()


def test_no_ray_at_all_is_finite(scene):
    joints, rays, weights, times, _ = scene
    assert np.isfinite(solve_root(joints, rays, weights * 0, times)).all()
