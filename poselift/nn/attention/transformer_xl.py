"""Transformer-XL: segments that look back at the one before, with relative positions."""

from typing import ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.attention import Attention
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.sparse import attend, blocks, everything_visible, join_heads, merge, split_heads


class TransformerXLAttention(Attention):
    """Segments attend to themselves and to the states of the one before (Dai et al. 2019).

    https://arxiv.org/abs/1901.02860. The states of the segment before come in as they are, without gradient, as they
    would where segments are processed one after the other; through the layers a token so hears from as many segments
    back as there are layers. Scores know distances alone, so that the states' old positions do no harm.

        score_ij = ((q_i + u) k_j + (q_i + v) W_r r_(i-j)) / sqrt(c),   r sinusoidal, u and v learned, a vector a head
        out_i = sum_j softmax_j(score_ij) v_j,
        j in the segment of i or, with k_j and v_j of detached states, in the one before

    Cost: n (2 segment) scores with as much again for the distances, linear in n. It ignores the rotary code: its
    distances are in tokens, not in seconds. It cannot look at a memory of another length. A segment as long as the
    sequence is full attention with relative positions.

    Deviation: the paper's tokens look back alone; so it is here with `causal`. Without, a token looks both ways in its
    own segment. u and v belong to the layer, where the paper also shares them between layers.

    Args:
        dim: width of the tokens; even.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: refused.
        segment: tokens in a segment.
    """

    can_cross: ClassVar[bool] = False
    knows_order = True

    def __init__(self, dim: int, heads: int, *, causal: bool = False, cross: bool = False, segment: int = 16) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if segment < 1 or dim % 2:
            raise InputError(
                f"Transformer-XL: needs segments of 1 token or more and an even width, not {segment} and {dim}"
            )
        self.segment = segment
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.distance = nn.Linear(dim, dim, bias=False)
        self.u = nn.Parameter(torch.zeros(heads, 1, dim // heads))
        self.v = nn.Parameter(torch.zeros(heads, 1, dim // heads))
        self.out = nn.Linear(dim, dim)

    def _relative(self, distances: Int[Tensor, " p"], like: Tensor) -> Float[Tensor, "heads p c"]:
        """W_r r of each distance in tokens."""
        dtype = torch.promote_types(like.dtype, torch.float32)
        exponents = torch.arange(0, self.dim, 2, device=like.device, dtype=dtype) / self.dim
        angles = distances[:, None] / 10000**exponents
        code = torch.cat((angles.sin(), angles.cos()), -1).to(like.dtype)
        return split_heads(self.distance(code[None]), self.heads)[0]

    def forward(  # noqa: D102
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        self.source(tokens, memory)
        n = tokens.shape[1]
        size = min(self.segment, n)
        q = blocks(split_heads(self.q(tokens), self.heads), size)
        own = self.kv(tokens)
        # Weights have a gradient from the segment before, its states have none.
        before = self.kv(tokens.detach()) if tokens.requires_grad else own
        k, v = (
            torch.cat(
                (_previous(blocks(split_heads(old, self.heads), size)), blocks(split_heads(new, self.heads), size)), -2
            )
            for old, new in zip(before.chunk(2, -1), own.chunk(2, -1), strict=True)
        )  # (b, heads, segments, 2 size, c)

        # Row i of a segment and column j of the two segments are i + size - j tokens apart: 1 - size to 2 size - 1.
        row, column = torch.arange(size, device=q.device)[:, None], torch.arange(2 * size, device=q.device)
        distance = row + size - column
        table = self._relative(torch.arange(1 - size, 2 * size, device=q.device), tokens)
        by_distance = (q + self.v[:, None]) @ table.mT[:, None]  # (b, heads, segments, size, 3 size - 1)
        index = (distance + size - 1).expand(*by_distance.shape[:-1], 2 * size)
        scores = (q + self.u[:, None]) @ k.mT + by_distance.gather(-1, index)

        there = blocks(everything_visible(tokens, mask)[:, None, :, None], size)
        seen = torch.cat((_previous(there), there), -2).mT | (distance == 0)
        if self.causal:
            seen = seen & (distance >= 0)
        mixed = merge(attend(scores * q.shape[-1] ** -0.5, v, seen))
        return self.out(join_heads(mixed.flatten(2, 3)[:, :, :n]))

    def attention_map(  # noqa: D102
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        self.source(tokens, memory)
        n = tokens.shape[1]
        q, k = split_heads(self.q(tokens), self.heads), split_heads(self.kv(tokens).chunk(2, -1)[0], self.heads)
        index = torch.arange(n, device=q.device)
        distance = index[:, None] - index
        by_distance = (q + self.v) @ self._relative(torch.arange(1 - n, n, device=q.device), tokens).mT
        scores = (q + self.u) @ k.mT + by_distance.gather(-1, (distance + n - 1).expand(*q.shape[:2], n, n))
        back = index[:, None] // self.segment - index // self.segment
        seen = (back == 0) | (back == 1)
        allowed = self.allowed(tokens, mask, None, None)
        if allowed is not None:
            seen = seen & allowed[:, None]
        return softmax(scores * q.shape[-1] ** -0.5, seen)


def _previous(segments: Tensor) -> Tensor:
    """Each segment's predecessor, (..., segments, size, c); zeros before the first."""
    return F.pad(segments, (0, 0, 0, 0, 1, 0))[..., :-1, :, :]
