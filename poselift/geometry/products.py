"""Products of 3 x 3 matrices, as sums of products.

`@` and `einsum` round to bfloat16 under autocast, and to TF32 where it is enabled, which moves a joint by millimetres.
A sum of products keeps the precision of its inputs, and costs the same at this size.
"""

import torch
from jaxtyping import Float
from torch import Tensor


def transform(matrix: Float[Tensor, "*#batch 3 3"], vectors: Float[Tensor, "*#batch n 3"]) -> Float[Tensor, "... n 3"]:
    """The matrix times each of the n vectors that share it."""
    return (matrix[..., None, :, :] * vectors[..., :, None, :]).sum(-1)


def compose(left: Float[Tensor, "*#batch 3 3"], right: Float[Tensor, "*#batch 3 3"]) -> Float[Tensor, "... 3 3"]:
    """The matrix product `left @ right`."""
    return (left[..., :, :, None] * right[..., None, :, :]).sum(-2)


def cross_matrix(vector: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3 3"]:
    """The matrix whose product with another vector is the cross product of both."""
    x, y, z = vector.unbind(-1)
    zero = torch.zeros_like(x)
    return torch.stack((zero, -z, y, z, zero, -x, -y, x, zero), -1).unflatten(-1, (3, 3))
