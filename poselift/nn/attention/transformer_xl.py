"""Transformer-XL: segments that look back at the one before, with relative positions."""

from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from poselift.core.annotations import Count
from poselift.core.errors import InputError
from poselift.nn.attention.blockwise import attend, join_blocks, merge, split_into_blocks
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.heads import join_heads, split_heads, split_parts
from poselift.nn.attention.mechanism import Attention


class TransformerXLAttention(Attention):
    """Segments attend to themselves and to the segment before.

    Source: Dai et al. 2019, https://arxiv.org/abs/1901.02860. The states of the segment before come in without
    gradient, as if segments were processed one after the other. Each layer lets a token hear from one more segment
    back. Scores depend only on distances, so the old positions of those states do no harm.

        score_ij = ((q_i + u) k_j + (q_i + v) W_r r_(i-j)) / sqrt(c),   r sinusoidal; u and v learned, one for each head
        out_i = sum_j softmax_j(score_ij) v_j,
        j in the segment of i or, with k_j and v_j of detached states, in the one before

    Cost: n (2 segment) scores and as much again for the distances, linear in n. Distances are in tokens, not in
    seconds; the rotary code is ignored. A segment as long as the sequence is full attention with relative positions.

    Deviation: the paper's tokens only look back, and `causal` does that here. Without it, a token looks both ways in
    its own segment. u and v belong to the layer; the paper also shares them between layers.

    Args:
        dim: width of the tokens; even.
        heads: number of heads; divides `dim`.
        segment: tokens in a segment.
        options: `causal` of `Attention`; `cross` is refused.
    """

    can_cross: ClassVar[bool] = False
    knows_order = True

    def __init__(self, dim: int, heads: int, *, segment: Count = 16, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if dim % 2:
            raise InputError(f"Transformer-XL: needs an even width, not {dim}; choose another")
        self.segment = segment
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.distance = nn.Linear(dim, dim, bias=False)
        self.u = nn.Parameter(torch.zeros(heads, 1, dim // heads))
        self.v = nn.Parameter(torch.zeros(heads, 1, dim // heads))
        self.out = nn.Linear(dim, dim)

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        tokens = context.tokens
        n, device = tokens.shape[1], tokens.device
        size = min(self.segment, n)
        q = split_into_blocks(split_heads(self.q(tokens), self.heads), size)
        own = self.kv(tokens)
        # The projections get a gradient from the segment before, its states get none.
        before = self.kv(tokens.detach()) if tokens.requires_grad else own
        k, v = (
            torch.cat((_previous(split_into_blocks(old, size)), split_into_blocks(new, size)), -2)
            for old, new in zip(split_parts(before, 2, self.heads), split_parts(own, 2, self.heads), strict=True)
        )  # (b, h, segments, 2 size, c)

        # Row i of a segment and column j of the two segments are i + size - j tokens apart: 1 - size to 2 size - 1.
        row, column = torch.arange(size, device=device)[:, None], torch.arange(2 * size, device=device)
        distance = row + size - column
        table = self._relative(torch.arange(1 - size, 2 * size, device=device), tokens)
        by_distance = (q + self.v[:, None]) @ table.mT[:, None]  # (b, h, segments, size, 3 size - 1)
        index = (distance + size - 1).expand(*by_distance.shape[:-1], 2 * size)
        scores = (q + self.u[:, None]) @ k.mT + by_distance.gather(-1, index)

        present = split_into_blocks(context.present[:, None, :, None], size)
        seen = torch.cat((_previous(present), present), -2).mT | (distance == 0)
        if self.causal:
            seen = seen & (distance >= 0)
        mixed = merge(attend(scores * q.shape[-1] ** -0.5, v, seen))
        return self.out(join_heads(join_blocks(mixed, n)))

    def _map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        tokens = context.tokens
        q = split_heads(self.q(tokens), self.heads)
        k, _ = split_parts(self.kv(tokens), 2, self.heads)
        n, device = tokens.shape[1], tokens.device
        index = torch.arange(n, device=device)
        distance = index[:, None] - index
        by_distance = (q + self.v) @ self._relative(torch.arange(1 - n, n, device=device), tokens).mT
        scores = (q + self.u) @ k.mT + by_distance.gather(-1, (distance + n - 1).expand(*q.shape[:2], n, n))
        back = index[:, None] // self.segment - index // self.segment
        seen, allowed = (back == 0) | (back == 1), context.allowed(self.causal)
        return softmax(scores * q.shape[-1] ** -0.5, seen if allowed is None else seen & allowed)

    def _relative(self, distances: Int[Tensor, " p"], like: Tensor) -> Float[Tensor, "h p c"]:
        """W_r r of each distance in tokens."""
        dtype = torch.promote_types(like.dtype, torch.float32)
        exponents = torch.arange(0, self.dim, 2, device=like.device, dtype=dtype) / self.dim
        angles = distances[:, None] / 10000**exponents
        code = torch.cat((angles.sin(), angles.cos()), -1).to(like.dtype)
        return split_heads(self.distance(code[None]), self.heads)[0]


def _previous(segments: Tensor) -> Tensor:
    """The segment before each, (..., segments, size, c); zeros before the first."""
    return F.pad(segments, (0, 0, 0, 0, 1, 0))[..., :-1, :, :]
