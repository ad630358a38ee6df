"""Products of 3 x 3 matrices, written out.

`@` and `einsum` are cut to bfloat16 under autocast and to TF32 where that is switched on, which moves a joint
by millimetres. A sum of products keeps the precision of its inputs, and at this size costs the same.
"""

import torch
from jaxtyping import Float
from torch import Tensor


def transform(matrix: Float[Tensor, "*#batch 3 3"], vectors: Float[Tensor, "*#batch n 3"]) -> Float[Tensor, "... n 3"]:
    """Each of n vectors times the matrix that they share."""
    return (matrix[..., None, :, :] * vectors[..., :, None, :]).sum(-1)


def compose(left: Float[Tensor, "*#batch 3 3"], right: Float[Tensor, "*#batch 3 3"]) -> Float[Tensor, "... 3 3"]:
    """The matrix product `left @ right`."""
    return (left[..., :, :, None] * right[..., None, :, :]).sum(-2)


def cross_matrix(vector: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3 3"]:
    """The matrix whose product with another vector is their cross product."""
    x, y, z = vector.unbind(-1)
    zero = torch.zeros_like(x)
    return torch.stack((zero, -z, y, z, zero, -x, -y, x, zero), -1).unflatten(-1, (3, 3))
