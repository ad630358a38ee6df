import numpy as np
import pytest

from poselift.lifting import solve_root
from poselift.lifting.finish.root_track import Standing


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


def test_nobody_is_behind_the_camera(scene):
    """Some frames upside down, then all of them: lines fit as well behind the camera, but nobody is there."""
    joints, rays, weights, times, root = scene
    turned = np.repeat(joints, 1, axis=0)
    turned[20:25] *= -1
    found = solve_root(turned, rays, weights, times)
    assert np.abs(found - root)[20:25].max() < 0.3
    assert (solve_root(-joints, rays, weights, times)[:, 2] > 0).all()


def test_a_foot_that_is_down_keeps_the_root_from_sliding(scene):
    """A foot that stands still while depth is noisy: the track is steadier, and no further from the truth."""
    joints, rays, weights, times, root = scene
    noisy = rays + np.random.default_rng(1).normal(size=rays.shape) * 0.004
    foot = (np.array([0.2, 1.0, 5.0]) - root)[:, None]
    standing = Standing(foot, np.ones((len(times), 1)))
    free, tied = (solve_root(joints, noisy, weights, times, stand) for stand in (None, standing))
    assert np.diff((tied - root)[:, 2]).std() < 0.8 * np.diff((free - root)[:, 2]).std()
    assert np.abs(tied - root).mean() < 1.1 * np.abs(free - root).mean()


def test_a_foot_holds_the_root_by_its_probability(scene):
    """The sum of squares decides: a share of a quarter at one of two frames is a quarter of the weight."""
    joints, rays, weights, times, root = scene
    noisy = rays + np.random.default_rng(1).normal(size=rays.shape) * 0.004
    foot = (np.array([0.2, 1.0, 5.0]) - root)[:, None]

    def slide(share: float) -> float:
        stands = np.ones((len(times), 1))
        stands[::2] = share
        found = solve_root(joints, noisy, weights, times, Standing(foot, stands))
        return float(np.diff((found - root)[:, 2]).std())

    assert slide(1.0) < 0.9 * slide(0.25) < 0.9 * slide(0.0)


def test_feet_in_the_air_do_not_count_and_may_be_unknown(scene):
    joints, rays, weights, times, _ = scene
    standing = Standing(np.full((len(times), 2, 3), np.nan), np.zeros((len(times), 2)))
    np.testing.assert_array_equal(
        solve_root(joints, rays, weights, times, standing), solve_root(joints, rays, weights, times)
    )


def test_the_tie_is_the_least_squares_it_says():
    """Two frames without rays but a foot that is down: the root moves against the foot, exactly."""
    foot = np.array([[[0.0, 1.0, 0.0]], [[0.1, 1.0, -0.2]]])
    joints, rays = np.zeros((2, 3, 3)), np.zeros((2, 3, 3))
    rays[..., 2] = 1
    joints[:, 1, 0], joints[:, 2, 1] = 0.3, 0.4
    rays[:] = (joints + [0, 0, 4]) / 4
    weights = np.ones((2, 3))
    weights[1] = 0
    found = solve_root(joints, rays, weights, np.array([0.0, 0.04]), Standing(foot, np.ones((2, 1))))
    np.testing.assert_allclose(found[0], [0, 0, 4], atol=1e-3)
    np.testing.assert_allclose(found[1] - found[0], [-0.1, 0, 0.2], atol=1e-3)
