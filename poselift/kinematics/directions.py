"""Rotations from directions: a basis of two, and the shortest turn."""

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace, constant
from poselift.geometry.products import compose, cross_matrix

_NO_LENGTH = 1e-12
"""Shortest vector with a direction."""


def unit(vector: Float[Array, "*b c"]) -> Float[Array, "*b c"]:
    """The vector at length 1; zeros stay zeros."""
    xp = array_namespace(vector)
    length = xp.linalg.vector_norm(vector, axis=-1, keepdims=True)
    return vector / xp.where(length > _NO_LENGTH, length, _NO_LENGTH)


def basis(first: Float[Array, "*#b 3"], second: Float[Array, "*#b 3"]) -> Float[Array, "... 3 3"]:
    """A right-handed basis, in columns, from two vectors.

    Its axes are the first, the part of the second across it, and their product.
    """
    xp = array_namespace(first)
    first, second = xp.broadcast_arrays(first, second)
    first = unit(first)
    second = unit(second - (second * first).sum(-1)[..., None] * first)
    return xp.stack((first, second, xp.linalg.cross(first, second)), axis=-1)


def swing(start: Float[Array, "*#b 3"], end: Float[Array, "*#b 3"]) -> Float[Array, "... 3 3"]:
    """Shortest rotation between unit vectors; unstable where they are opposite."""
    xp = array_namespace(start)
    start, end = xp.broadcast_arrays(start, end)
    cross = cross_matrix(xp.linalg.cross(start, end))
    above = 1 + (start * end).sum(-1)[..., None, None]
    return constant(np.eye(3), end) + cross + compose(cross, cross) / xp.where(above > 1e-9, above, 1e-9)
