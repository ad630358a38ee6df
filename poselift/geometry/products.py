"""Products of 3 x 3 matrices, as sums of products.

`@` and `einsum` round to bfloat16 under autocast, and to TF32 where it is enabled, which moves a joint by millimetres.
A sum of products keeps the precision of its inputs, and costs the same at this size.
"""

from collections.abc import Sequence

from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace


def transform(matrix: Float[Array, "*#batch 3 3"], vectors: Float[Array, "*#batch n 3"]) -> Float[Array, "... n 3"]:
    """The matrix times each of the n vectors that share it."""
    return (matrix[..., None, :, :] * vectors[..., :, None, :]).sum(-1)


def rotate(matrix: Float[Array, "*#batch 3 3"], vector: Float[Array, "*#batch 3"]) -> Float[Array, "... 3"]:
    """The matrix times a vector of its own."""
    return (matrix * vector[..., None, :]).sum(-1)


def compose(left: Float[Array, "*#batch 3 3"], right: Float[Array, "*#batch 3 3"]) -> Float[Array, "... 3 3"]:
    """The matrix product `left @ right`."""
    return (left[..., :, :, None] * right[..., None, :, :]).sum(-2)


def transpose(matrix: Float[Array, "*batch 3 3"]) -> Float[Array, "*batch 3 3"]:
    """The transposed matrix: the inverse of a rotation."""
    return array_namespace(matrix).matrix_transpose(matrix)


def cross_matrix(vector: Float[Array, "*batch 3"]) -> Float[Array, "*batch 3 3"]:
    """The matrix [v] whose product with w is v × w."""
    xp = array_namespace(vector)
    x, y, z = xp.unstack(vector, axis=-1)
    zero = xp.zeros_like(x)
    return stack_matrix((zero, -z, y), (z, zero, -x), (-y, x, zero))


def stack_matrix(*rows: Sequence[Float[Array, "*batch"]]) -> Float[Array, "*batch rows columns"]:
    """The matrix of these entries."""
    xp = array_namespace(rows[0][0])
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)
