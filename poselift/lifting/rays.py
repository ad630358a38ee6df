"""Draws a lifted pose towards the rays of its keypoints: what was seen counts, beside what was learnt."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry import pixels_to_rays
from poselift.lifting.root import solve_root
from poselift.skeleton import Skeleton

_SHARE = 0.6
"""How far joints go; 0.4 to 0.8 are alike on the CMU benchmark's val views, with 2D that errs as a detector's does."""

_MEMORY = 0.15
"""Standard deviation, seconds, of the Gaussian over which the way to the ray is averaged: a keypoint's error changes
from frame to frame, a pose's does not. 0.1 to 0.2 are alike; without it, the velocity is much worse."""

_OUTLIER = 0.1
"""Distance of a joint from its ray, metres, at which it counts half."""

_DOUBT = 0.1
"""Weight of the parent's move in a joint's own, against scores: a joint that was not seen goes with its parent."""


def keypoint_rays(
    pixels: Float[np.ndarray, "t j_in 2"],
    scores: Float[np.ndarray, "t j_in"],
    K: Float[Tensor, "3 3"],
    skeleton_in: Skeleton,
    skeleton_out: Skeleton,
    distortion: Float[Tensor, " 5"] | None = None,
) -> tuple[Float[np.ndarray, "t j 3"], Float[np.ndarray, "t j"]]:
    """Rays of the joints that come out, and how far each is trusted.

    Args:
        pixels: of the joints that go in; NaN where not seen.
        scores: of the same joints.
        K: intrinsics.
        skeleton_in: the joint set of `pixels`.
        skeleton_out: the joint set of the rays.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order.

    Returns:
        Rays and weights; both 0 where a joint was not seen, does not go in, or its pixel's distortion cannot be undone.
    """
    both = [name for name in skeleton_out.joints if name in skeleton_in.joints]
    joints_in, joints_out = skeleton_in.indices(both), skeleton_out.indices(both)
    found = pixels_to_rays(torch.from_numpy(pixels[:, joints_in]), K, distortion).double().numpy()
    seen = np.isfinite(found).all(-1)
    rays, weights = (np.zeros((len(pixels), len(skeleton_out), *size)) for size in ((3,), ()))
    rays[:, joints_out] = np.where(seen[..., None], found, 0.0)
    weights[:, joints_out] = np.where(seen, scores[:, joints_in], 0.0)
    return rays, weights


def ways_to_rays(
    joints: Float[np.ndarray, "t j 3"],
    rays: Float[np.ndarray, "t j 3"],
    weights: Float[np.ndarray, "t j"],
    times: Float[np.ndarray, " t"],
    skeleton: Skeleton,
) -> Float[np.ndarray, "t j 3"]:
    """How far each joint is from its ray, and which way: the mean of that over neighbouring frames.

    A lifter gives the likeliest pose, which on a movement or a body that it has not learnt is beside what it was
    shown, and by much the same from frame to frame.

    Args:
        joints: relative to the root, camera frame, metres; finite.
        rays: of the same joints, of any length; ignored where the weight is 0.
        weights: 0 where a joint was not seen; it is as far from where it belongs as its parent.
        times: seconds, increasing.
        skeleton: the joint set of `joints`.
    """
    unit = rays / np.maximum(np.linalg.norm(rays, axis=-1, keepdims=True), 1e-9)
    unit = np.where(weights[..., None] > 0, unit, 0.0)
    placed = joints + solve_root(joints, rays, weights, times)[:, None]
    way = unit * (unit * placed).sum(-1, keepdims=True) - placed
    trust = weights / (1 + (np.linalg.norm(way, axis=-1) / _OUTLIER) ** 2)
    mean, total = _smooth(way * trust[..., None], times), _smooth(trust[..., None], times)
    mean, doubt = mean / (total + _DOUBT), _DOUBT / (total + _DOUBT)
    for joint in skeleton.topological_order[1:]:
        mean[:, joint] += doubt[:, joint] * mean[:, skeleton.parent_indices[joint]]
    return mean


def towards_rays(joints: Float[np.ndarray, "t j 3"], ways: Float[np.ndarray, "t j 3"]) -> Float[np.ndarray, "t j 3"]:
    """Moves each joint part of its way to its ray. Bones change their length by this, and may be steadied after it.

    Args:
        joints: relative to the root, camera frame, metres.
        ways: of the same joints (`ways_to_rays`).

    Returns:
        The joints, relative to the root.
    """
    moved = joints + _SHARE * ways
    return moved - moved[:, :1]


def _smooth(values: Float[np.ndarray, "t j c"], times: Float[np.ndarray, " t"]) -> Float[np.ndarray, "t j c"]:
    """Gaussian means over time, of frames at any distances."""
    total, weight = values.copy(), np.ones(len(times))
    for step in range(1, len(times)):
        near = np.exp(-0.5 * ((times[step:] - times[:-step]) / _MEMORY) ** 2)
        if near.max() < 0.01:
            break
        total[step:] += near[:, None, None] * values[:-step]
        total[:-step] += near[:, None, None] * values[step:]
        weight[step:] += near
        weight[:-step] += near
    return total / weight[:, None, None]
