"""Heads: how channels are split into them and joined again.

The axes are those of `AttentionContext`.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def split_heads(x: Float[Tensor, "b n d"], heads: int) -> Float[Tensor, "b h n c"]:
    """Channels of each token, split into heads."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def split_parts(x: Float[Tensor, "b n parts_d"], parts: int, heads: int) -> tuple[Float[Tensor, "b h n c"], ...]:
    """Parts of one projection, such as queries and keys, split into heads."""
    return tuple(split_heads(part, heads) for part in x.chunk(parts, -1))


def join_heads(x: Float[Tensor, "b h n c"]) -> Float[Tensor, "b n d"]:
    """Heads of each token, side by side."""
    return x.transpose(1, 2).flatten(-2)


def head_weights(heads: int, rows: int, columns: int) -> nn.Parameter:
    """One matrix (rows, columns) for each head, initialised as `nn.Linear(columns, rows)` is."""
    return nn.Parameter(torch.empty(heads, rows, columns).uniform_(-(columns**-0.5), columns**-0.5))
