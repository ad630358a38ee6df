"""Rotations between others. The nearest to a mean, a part of a turn, those at other times."""

import numpy as np
from jaxtyping import Float

from poselift.numerics.times import interpolate


def nearest_rotation(matrices: Float[np.ndarray, "*t 3 3"]) -> Float[np.ndarray, "*t 3 3"]:
    """The rotations nearest to matrices, by their singular values.

    Source: Schönemann, A generalized solution of the orthogonal Procrustes problem, Psychometrika 1966; with the
    determinant fixed to 1.
    """
    U, _, V = np.linalg.svd(matrices)
    U = np.concatenate([U[..., :2], U[..., 2:] * np.linalg.det(U @ V)[..., None, None]], -1)
    rotations: np.ndarray = U @ V
    return rotations


def turn_partly(R: Float[np.ndarray, "n 3 3"], share: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 3 3"]:
    """Rotations by a share of their angle about the same axis.

    Args:
        R: rotations by less than half a turn.
        share: 0 for none of each turn, 1 for all of it.
    """
    axis = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], -1)
    sine = np.linalg.norm(axis, axis=-1)
    angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1)) * share
    x, y, z = (axis / np.maximum(sine, 1e-12)[:, None]).T
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], -1).reshape(-1, 3, 3)
    # Rodrigues' formula.
    turned: np.ndarray = (
        np.eye(3) + np.sin(angle)[:, None, None] * cross + (1 - np.cos(angle))[:, None, None] * cross @ cross
    )
    return turned


def interpolate_rotations(
    R: Float[np.ndarray, "n 3 3"], at: Float[np.ndarray, " n"], times: Float[np.ndarray, " t"]
) -> Float[np.ndarray, "t 3 3"]:
    """Rotations at other times: the nearest to a weighted mean.

    The mean is of the two known rotations around each time.
    """
    means = interpolate(R.reshape(len(R), 9), at, times).reshape(-1, 3, 3)
    return nearest_rotation(means)
