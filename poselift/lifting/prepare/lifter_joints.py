"""The lifter's own input joints, of a detector's."""

import numpy as np
from jaxtyping import Float

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
