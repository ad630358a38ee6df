"""The Reformer's attention among tokens that hash alike."""

from typing import ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.attention import Attention
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.sparse import (
    Part,
    attend,
    band_shape,
    blocks,
    everything_visible,
    join_heads,
    merge,
    neighbourhoods,
    offsets,
    split_heads,
)
from poselift.nn.positions import rotate

_ITSELF = -1e5
"""Score of a token for itself: it is looked at where there is nothing else."""


class LSHAttention(Attention):
    """A token looks at those in its hash bucket (Reformer, Kitaev et al. 2020, https://arxiv.org/abs/2001.04451).

    The softmax is ruled by the nearest keys, and locality-sensitive hashing finds them: queries and keys are one
    projection, keys of unit length, and a random rotation R sends each to the bucket of the axis nearest to it. Tokens
    are sorted by bucket and looked at in chunks; several rounds of hashing make a missed neighbour unlikely.

        bucket(x) = argmax([x R; -x R]),   k_j = q_j / |q_j|
        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,   j != i near i in the sorted bucket of i in any round

    Cost: rounds n (3 chunk) and the sorting's n log n. With all tokens in one bucket no longer than a chunk it is exact
    attention with shared queries and keys. The order of the tokens counts only where a bucket is longer than a chunk.
    It cannot look at a memory of another length.

    Deviations: in the paper a chunk of the sorted tokens looks at itself and the chunk before, so that where the
    borders of chunks fall depends on later tokens. Here a token looks at those at most `chunk` places away in its
    sorted bucket, which neither later nor masked tokens change. The chunk's length is set, not 2 n / buckets, so that
    the cost stays linear with a fixed number of buckets. Tokens are hashed before the rotary code turns them, so that
    only time differences count. As in the paper each training pass draws new rotations; in use they stay as they are.
    Reversible layers, the Reformer's other half, are not here.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: refused.
        buckets: number of hash buckets; even.
        chunk: places in the sorted bucket that a token looks to each side.
        rounds: hashings, n_rounds in the paper.
    """

    can_cross: ClassVar[bool] = False
    takes_rotation = True
    rotations: Tensor

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        causal: bool = False,
        cross: bool = False,
        buckets: int = 8,
        chunk: int = 32,
        rounds: int = 2,
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if buckets < 2 or buckets % 2:
            raise InputError(f"LSH attention: the number of buckets must be even, 2 or more, not {buckets}")
        if chunk < 1 or rounds < 1:
            raise InputError(f"LSH attention: chunk and rounds must be 1 or more, not {chunk} and {rounds}")
        self.buckets, self.chunk = buckets, chunk
        self.qk = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.register_buffer("rotations", torch.randn(rounds, dim // heads, buckets // 2))

    def hash(self, q: Float[Tensor, "b heads n c"]) -> Int[Tensor, "b heads rounds n"]:
        """The bucket of each token in each round."""
        turned = q.detach()[:, :, None] @ self.rotations.to(q.dtype)
        return torch.cat((turned, -turned), -1).argmax(-1)

    def _places(
        self, q: Float[Tensor, "b heads n c"], visible: Bool[Tensor, "b n"]
    ) -> tuple[Int[Tensor, "b heads rounds n"], Int[Tensor, "b heads rounds n"]]:
        """The order that sorts the tokens by bucket, and each token's place.

        Two tokens look at each other in a round where their places are at most `chunk` apart: places are ranks in
        the sorted order, with a gap of more than a chunk between buckets.
        """
        # Masked tokens are sorted behind all others, so that they part none of them.
        bucket = self.hash(q).masked_fill(~visible[:, None, None], self.buckets)
        order = bucket.argsort(dim=-1, stable=True)
        return order, order.argsort(-1) + bucket * (self.chunk + 1)

    def forward(  # noqa: D102
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        self.source(tokens, memory)
        if self.training:
            # A new tensor, not the old one changed: a backward pass may still need that.
            self.rotations = torch.randn_like(self.rotations)
        n = tokens.shape[1]
        visible = everything_visible(tokens, mask)
        plain = split_heads(self.qk(tokens), self.heads)
        q, k = self._queries_and_keys(plain, rotation)
        order, places = self._places(plain, visible)

        def ordered(x: Tensor) -> Tensor:
            # (b, 1 or heads, n, c) -> (b, heads, rounds, n, c), sorted by bucket
            x = x[:, :, None].expand(*order.shape, x.shape[-1])
            return x.gather(-2, order[..., None].expand_as(x))

        size, before, after = band_shape(n, self.chunk, self.causal)
        rows_q = blocks(ordered(q), size)
        rows_k, rows_v, there = (
            neighbourhoods(ordered(x), size, before, after)
            for x in (k, split_heads(self.value(tokens), self.heads), visible[:, None, :, None])
        )

        def near(x: Int[Tensor, "b heads rounds n"]) -> Bool[Tensor, "b heads rounds blocks size width"]:
            x = x[..., None]
            return (blocks(x, size) - neighbourhoods(x, size, before, after).mT).abs() <= self.chunk

        this_round = near(places.gather(-1, order))
        # In how many rounds each pair look at each other: it counts once.
        together = torch.stack([near(x) for x in ordered(places.mT).unbind(-1)]).sum(0)
        offset = offsets(size, before, after, tokens.device)
        itself = offset == 0
        allowed = (there.mT & this_round) | itself
        if self.causal:
            allowed = allowed & (offset <= 0)
        scores = (rows_q @ rows_k.mT).masked_fill(itself, _ITSELF)
        part = attend(scores, rows_v, allowed, 1 / together.clamp(min=1))

        def unordered(x: Tensor) -> Tensor:
            x = x.flatten(-3, -2)[..., :n, :]
            return x.gather(-2, order.argsort(-1)[..., None].expand_as(x))

        by_round = zip(*(x.unbind(2) for x in part.map(unordered)), strict=True)
        return self.out(join_heads(merge(*(Part(*one) for one in by_round))))

    def attention_map(  # noqa: D102
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        self.source(tokens, memory)
        plain = split_heads(self.qk(tokens), self.heads)
        q, k = self._queries_and_keys(plain, rotation)
        _, places = self._places(plain, everything_visible(tokens, mask))
        near = ((places[..., :, None] - places[..., None, :]).abs() <= self.chunk).any(2)
        allowed = self.allowed(tokens, mask, None, None)
        if allowed is not None:
            near = near & allowed[:, None]
        itself = torch.eye(tokens.shape[1], dtype=torch.bool, device=tokens.device)
        return softmax((q @ k.mT).masked_fill(itself, _ITSELF), near)

    def _queries_and_keys(
        self, q: Float[Tensor, "b heads n c"], rotation: Float[Tensor, "b n r 2"] | None
    ) -> tuple[Float[Tensor, "b heads n c"], Float[Tensor, "b heads n c"]]:
        """One projection, turned: scaled as queries, of unit length as keys."""
        if rotation is not None:
            q = rotate(q, rotation)
        return q * q.shape[-1] ** -0.5, F.normalize(q, dim=-1)
