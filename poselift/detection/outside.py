"""Joints that a detector places where they cannot have been seen."""

import numpy as np
from jaxtyping import Float


def without_outside(
    keypoints: Float[np.ndarray, "n j 2"], scores: Float[np.ndarray, "n j"], picture: tuple[int, ...]
) -> tuple[Float[np.ndarray, "n j 2"], Float[np.ndarray, "n j"]]:
    """Marks joints outside the picture, and those that score nothing, as not seen.

    Args:
        keypoints: pixels.
        scores: of each keypoint.
        picture: the shape of the picture, (rows, columns, ...).

    Returns:
        Keypoints, NaN where not seen, and scores, 0 where not seen.
    """
    size = np.array([picture[1], picture[0]])
    unseen = np.any((keypoints < -0.5) | (keypoints > size - 0.5), axis=-1) | (scores <= 0)
    return np.where(unseen[..., None], np.nan, keypoints), np.where(unseen, 0.0, scores)
