"""Rays of keypoints: camera lines on which the joints lie."""

import numpy as np
from jaxtyping import Float

from poselift.geometry import pixels_to_rays
from poselift.geometry.camera import Camera
from poselift.skeleton import Skeleton


def keypoint_rays(
    pixels: Float[np.ndarray, "t j_in 2"],
    scores: Float[np.ndarray, "t j_in"],
    camera: Camera,
    skeleton_in: Skeleton,
    skeleton_out: Skeleton,
) -> tuple[Float[np.ndarray, "t j 3"], Float[np.ndarray, "t j"]]:
    """Rays and scores of the lifted joints.

    Args:
        pixels: the lifter's input joints; NaN where not seen.
        scores: of the same joints.
        camera: the camera of the pixels.
        skeleton_in: of `pixels`.
        skeleton_out: of the rays.

    Returns:
        Rays, and their keypoints' scores. Both are 0 where a joint was not seen, is no input of the lifter, or where
        the lens's distortion cannot be undone.
    """
    both = [name for name in skeleton_out.joints if name in skeleton_in.joints]
    inputs, outputs = skeleton_in.indices(both), skeleton_out.indices(both)
    found = pixels_to_rays(pixels[:, inputs], camera.K, camera.lens)
    seen = np.isfinite(found).all(-1)
    rays, ray_scores = (np.zeros((len(pixels), len(skeleton_out), *size)) for size in ((3,), ()))
    rays[:, outputs] = np.where(seen[..., None], found, 0.0)
    ray_scores[:, outputs] = np.where(seen, scores[:, inputs], 0.0)
    return rays, ray_scores
