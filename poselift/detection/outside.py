"""Joints outside the picture."""

import numpy as np
from jaxtyping import Float


def hide_outside(
    keypoints: Float[np.ndarray, "n j 2"], scores: Float[np.ndarray, "n j"], picture: tuple[int, ...]
) -> tuple[Float[np.ndarray, "n j 2"], Float[np.ndarray, "n j"]]:
    """Keypoints and scores, with joints outside the picture marked as unseen.

    Args:
        keypoints: pixels.
        scores: of each keypoint.
        picture: shape of the picture, (rows, columns, ...).

    Returns:
        Keypoints and scores; NaN and 0 for joints that are outside or have no positive score.
    """
    size = np.array([picture[1], picture[0]])
    unseen = np.any((keypoints < -0.5) | (keypoints > size - 0.5), axis=-1) | (scores <= 0)
    return np.where(unseen[..., None], np.nan, keypoints), np.where(unseen, 0.0, scores)
