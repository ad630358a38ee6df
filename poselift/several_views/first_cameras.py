"""First guess of the cameras' poses: lifted bodies are turned and moved onto each other."""

import numpy as np
from jaxtyping import Float

from poselift.geometry import umeyama
from poselift.several_views.observations import Observations

_ROUNDS = 12
_FAR = 0.08
"""Distance of a joint from its mean over the views, metres, at which it counts half."""


def turn_together(seen: Observations) -> Float[np.ndarray, "v 3 3"]:
    """Rotations from each view's camera frame to that of the first view, from lifted poses.

    Generalised Procrustes analysis (Gower 1975) over all samples at once: each view is turned onto the mean of all, and
    joints that lie far from the mean count less.

    Args:
        seen: samples; each view needs some with another one.
    """
    views, present = len(seen.lifted), seen.present
    poses = np.where(present[:, :, None, None], seen.lifted, 0.0)
    poses = poses - poses.mean(2, keepdims=True)
    R = _spread_from_first(poses, present)
    weights = np.repeat(present[:, :, None].astype(float), poses.shape[2], 2)
    for _ in range(_ROUNDS):
        turned = np.einsum("vik,vnjk->vnji", R, poses)
        for view in range(views):
            others = np.arange(views) != view
            total = weights[others].sum(0)
            mean = (weights[others, ..., None] * turned[others]).sum(0) / np.maximum(total, 1e-9)[..., None]
            off = np.linalg.norm(turned[view] - mean, axis=-1)
            own = np.where((total > 0) & present[view][:, None], 1 / (1 + (off / _FAR) ** 2), 0.0)
            _, R[view], _ = umeyama(poses[view].reshape(-1, 3), mean.reshape(-1, 3), own.reshape(-1), with_scale=False)
            turned[view] = np.einsum("ik,njk->nji", R[view], poses[view])
            weights[view] = np.where(present[view][:, None], np.maximum(own, 1e-3), 0.0)
    return R[0].T @ R


def _spread_from_first(poses: Float[np.ndarray, "v n j 3"], present: np.ndarray) -> Float[np.ndarray, "v 3 3"]:
    """Rotations along the pairs of views with the most samples in common, from the first view on."""
    views = len(poses)
    R = np.tile(np.eye(3), (views, 1, 1))
    shared = present.astype(int) @ present.T.astype(int)
    known, left = [0], set(range(1, views))
    while left:
        view, near = max(((v, k) for v in left for k in known), key=lambda pair: shared[pair])
        rows = present[view] & present[near]
        if rows.any():
            target = np.einsum("ik,njk->nji", R[near], poses[near, rows])
            _, R[view], _ = umeyama(poses[view, rows].reshape(-1, 3), target.reshape(-1, 3), with_scale=False)
        known.append(view)
        left.remove(view)
    return R


def place_together(seen: Observations, R: Float[np.ndarray, "v 3 3"]) -> Float[np.ndarray, "v 3"]:
    """Places of the cameras in the frame of the first view, metres, from lifted roots.

    Args:
        seen: samples.
        R: rotations to the frame of the first view.
    """
    present = seen.present
    turned = np.einsum("vik,vnk->vni", R, np.where(present[..., None], seen.roots, 0.0))
    shared = present.astype(int) @ present.T.astype(int)
    t = np.zeros((len(R), 3))
    known, left = [0], set(range(1, len(R)))
    while left:
        view, near = max(((v, k) for v in left for k in known), key=lambda pair: shared[pair])
        rows = present[view] & present[near]
        if rows.any():
            t[view] = np.median(turned[near, rows] + t[near] - turned[view, rows], axis=0)
        known.append(view)
        left.remove(view)
    return t
