"""Reprojection refinement: moves lifted joints towards the rays of their keypoints.

A lifter gives the likeliest pose. For a movement or a body that it has not learnt, that pose lies beside the keypoints,
and by much the same distance from frame to frame.
"""

import numpy as np
import torch
from jaxtyping import Float

from poselift.geometry import pixels_to_rays
from poselift.lifting.camera_model import CameraModel
from poselift.lifting.finish.root_track import OUTLIER, solve_root
from poselift.skeleton import Skeleton

_SHARE = 0.6
"""Part of the way to its ray that a joint is moved. 0.4 to 0.8 give about the same error on the CMU val views."""

_MEMORY = 0.15
"""Standard deviation in seconds of the Gaussian that averages the offsets over time. A keypoint's error changes from
frame to frame, a pose's does not: without the average, velocities get much worse. 0.1 to 0.2 are about the same."""

_DOUBT = 0.1
"""Weight of the parent's move in a joint's own, against scores: an unseen joint moves with its parent."""


def keypoint_rays(
    pixels: Float[np.ndarray, "t j_in 2"],
    scores: Float[np.ndarray, "t j_in"],
    camera: CameraModel,
    skeleton_in: Skeleton,
    skeleton_out: Skeleton,
) -> tuple[Float[np.ndarray, "t j 3"], Float[np.ndarray, "t j"]]:
    """Rays and weights of the lifted joints.

    Args:
        pixels: the lifter's input joints; NaN where not seen.
        scores: of the same joints.
        camera: the camera of the pixels.
        skeleton_in: of `pixels`.
        skeleton_out: of the rays.

    Returns:
        Rays, and their scores as weights. Both are 0 where a joint was not seen, is no input of the lifter, or where
        the lens's distortion cannot be undone.
    """
    both = [name for name in skeleton_out.joints if name in skeleton_in.joints]
    inputs, outputs = skeleton_in.indices(both), skeleton_out.indices(both)
    distortion = None if camera.distortion is None else camera.distortion.cpu()
    found = pixels_to_rays(torch.from_numpy(pixels[:, inputs]), camera.K.cpu(), distortion).double().numpy()
    seen = np.isfinite(found).all(-1)
    rays, weights = (np.zeros((len(pixels), len(skeleton_out), *size)) for size in ((3,), ()))
    rays[:, outputs] = np.where(seen[..., None], found, 0.0)
    weights[:, outputs] = np.where(seen, scores[:, inputs], 0.0)
    return rays, weights


def reprojection_offsets(
    joints: Float[np.ndarray, "t j 3"],
    rays: Float[np.ndarray, "t j 3"],
    weights: Float[np.ndarray, "t j"],
    times: Float[np.ndarray, " t"],
    skeleton: Skeleton,
) -> Float[np.ndarray, "t j 3"]:
    """Vectors from the joints to their rays, averaged over time, metres.

    Args:
        joints: relative to the root, camera frame, metres; finite.
        rays: of the same joints, of any length; ignored where the weight is 0.
        weights: 0 where a joint was not seen; such a joint takes the offset of its parent.
        times: seconds, increasing.
        skeleton: of `joints`.
    """
    unit = rays / np.maximum(np.linalg.norm(rays, axis=-1, keepdims=True), 1e-9)
    unit = np.where(weights[..., None] > 0, unit, 0.0)
    placed = joints + solve_root(joints, rays, weights, times)[:, None]
    offsets = unit * (unit * placed).sum(-1, keepdims=True) - placed
    trust = weights / (1 + (np.linalg.norm(offsets, axis=-1) / OUTLIER) ** 2)
    smooth = gaussian_means(np.concatenate((offsets * trust[..., None], trust[..., None]), -1), times, _MEMORY)
    mean, total = smooth[..., :3], smooth[..., 3:]
    mean, doubt = mean / (total + _DOUBT), _DOUBT / (total + _DOUBT)
    for joint in skeleton.topological_order[1:]:
        mean[:, joint] += doubt[:, joint] * mean[:, skeleton.parent_indices[joint]]
    return mean


def refined(joints: Float[np.ndarray, "t j 3"], offsets: Float[np.ndarray, "t j 3"]) -> Float[np.ndarray, "t j 3"]:
    """Joints moved part of the way to their rays, relative to the root.

    The lengths of bones change by it; `with_constant_bones` evens them out.

    Args:
        joints: relative to the root, camera frame, metres.
        offsets: of the same joints (`reprojection_offsets`).
    """
    moved = joints + _SHARE * offsets
    return moved - moved[:, :1]


def gaussian_means(
    values: Float[np.ndarray, "t *c"], times: Float[np.ndarray, " t"], memory: float
) -> Float[np.ndarray, "t *c"]:
    """Gaussian means over time, for frames at any time stamps.

    Args:
        values: finite.
        times: seconds, increasing.
        memory: standard deviation of the Gaussian, seconds.
    """
    rows = values.reshape(len(values), -1)
    total, weight = rows.copy(), np.ones((len(times), 1))
    for step in range(1, len(times)):
        near = np.exp(-0.5 * ((times[step:] - times[:-step]) / memory) ** 2)[:, None]
        if near.max() < 0.01:
            break
        total[step:] += near * rows[:-step]
        total[:-step] += near * rows[step:]
        weight[step:] += near
        weight[:-step] += near
    return (total / weight).reshape(values.shape)
