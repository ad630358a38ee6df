"""The lifter's own joints: pixels, and the camera's rays. They are made of a detector's joints."""

import numpy as np
from jaxtyping import Float

from poselift.geometry import pixels_to_rays
from poselift.geometry.camera import Camera
from poselift.lifting.prepare.pelvis import hide_misread_pelvis
from poselift.skeleton import Pelvis, Skeleton
from poselift.structures import Keypoints2D


def select_lifter_joints(
    keypoints: Keypoints2D, skeleton: Skeleton, threshold: float, pelvis: Pelvis | None
) -> tuple[Float[np.ndarray, "t j 2"], Float[np.ndarray, "t j"]]:
    """Pixels and scores of the lifter's joints.

    NaN and 0 for those that the detector lacks.

    Args:
        keypoints: of one person, in any skeleton. Joints go by name; none is derived from others.
        skeleton: the lifter's input joints.
        threshold: keypoints with a lower score are not used.
        pelvis: where the lifter's pelvis lies (`poselift.lifting.prepare.pelvis`).
    """
    both = [name for name in skeleton.joints if name in keypoints.skeleton.joints]
    given, own = keypoints.skeleton.indices(both), skeleton.indices(both)
    used = keypoints.used(threshold)[:, given]
    pixels = np.full((len(keypoints), len(skeleton), 2), np.nan, np.float32)
    scores = np.zeros(pixels.shape[:2], np.float32)
    pixels[:, own] = np.where(used[..., None], keypoints.keypoints[:, given], np.nan)
    scores[:, own] = np.where(used, keypoints.scores[:, given], 0.0)
    return pixels, hide_misread_pelvis(pixels, scores, skeleton, pelvis)


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
