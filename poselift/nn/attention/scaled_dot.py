"""Scaled dot-product self-attention with several heads."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.nn.positions import rotate


class ScaledDotAttention(nn.Module):
    """softmax(q k' / sqrt(d_head)) v over several heads (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762).

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.

    Raises:
        ValueError: `heads` does not divide `dim`.
    """

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        if dim % heads:
            raise ValueError(f"a width of {dim} cannot be split into {heads} heads")
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Attends among the tokens.

        Args:
            tokens: the sequence.
            mask: True where a token is there. A token that is not is seen by none but itself.
            rotation: cosine and sine of the rotary position code of each token.
        """
        b, n, d = tokens.shape
        # (b, n, 3 d) -> 3 x (b, heads, n, d / heads)
        q, k, v = self.qkv(tokens).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        if rotation is not None:
            q, k = rotate(q, rotation), rotate(k, rotation)
        allowed = None
        if mask is not None:
            # Each token sees itself, so that no row is empty: a softmax over nothing is NaN.
            allowed = mask[:, None, None, :] | torch.eye(n, dtype=torch.bool, device=mask.device)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        return self.out(mixed.transpose(1, 2).reshape(b, n, d))
