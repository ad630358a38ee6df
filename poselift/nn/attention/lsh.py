"""The Reformer's attention among tokens that hash alike."""

from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from poselift.core.annotations import Count
from poselift.core.errors import InputError
from poselift.nn.attention.blockwise import (
    Part,
    attend,
    band_shape,
    gather_neighbourhoods,
    join_blocks,
    merge,
    offsets,
    split_into_blocks,
)
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.heads import join_heads, split_heads
from poselift.nn.attention.mechanism import Attention
from poselift.nn.positions import rotate

_ITSELF = -1e5
"""Score of a token for itself: it looks at itself only if there is nothing else."""


class LSHAttention(Attention):
    """A token looks at those in its hash bucket.

    Reformer, Kitaev et al. 2020, https://arxiv.org/abs/2001.04451.

    The nearest keys dominate a softmax, and locality-sensitive hashing finds them. Queries and keys are one projection,
    and keys have unit length. A random rotation R sends each token to the bucket of its nearest axis. Tokens are sorted
    by bucket and look at their neighbours. Several rounds of hashing make a missed neighbour unlikely.

        bucket(x) = argmax([x R; -x R]),   k_j = q_j / |q_j|
        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,   j != i near i in the sorted bucket of i in any round

    Cost: rounds n (3 chunk), and n log n for sorting. With all tokens in one bucket no longer than a chunk it is exact
    attention with shared queries and keys. The order of the tokens matters only in buckets longer than a chunk.

    Deviations: a chunk of the paper's sorted tokens looks at itself and the chunk before, so the borders of chunks
    depend on later tokens. Here a token looks at those at most `chunk` places away in its bucket, which neither later
    nor masked tokens change. `chunk` is an option instead of 2 n / buckets, so the cost is linear with a fixed number
    of buckets. Tokens are hashed before the rotary code turns them, so that only differences in time matter. The
    Reformer's reversible layers are left out. As in the paper, each training pass draws new rotations; in eval mode
    they stay.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        buckets: number of hash buckets; even.
        chunk: places in the sorted bucket that a token looks to each side.
        rounds: hashings, n_rounds in the paper.
        options: `causal` of `Attention`; `cross` is refused.
    """

    can_cross: ClassVar[bool] = False
    takes_rotation = True
    rotations: Tensor

    def __init__(
        self, dim: int, heads: int, *, buckets: int = 8, chunk: Count = 32, rounds: Count = 2, **options: Any
    ) -> None:
        super().__init__(dim, heads, **options)
        if buckets < 2 or buckets % 2:
            raise InputError(f"LSH attention: the number of buckets must be even, 2 or more, not {buckets}")
        self.buckets, self.chunk = buckets, chunk
        self.qk = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.register_buffer("rotations", torch.randn(rounds, dim // heads, buckets // 2))

    def hash(self, q: Float[Tensor, "b h n c"]) -> Int[Tensor, "b h rounds n"]:
        """Bucket of each token in each round."""
        turned = q.detach()[:, :, None] @ self.rotations.to(q.dtype)
        return torch.cat((turned, -turned), -1).argmax(-1)

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        if self.training:
            # A new tensor: a backward pass may still need the old one.
            self.rotations = torch.randn_like(self.rotations)
        n, present = context.tokens.shape[1], context.present
        plain, q, k = self._queries_and_keys(context)
        v = split_heads(self.value(context.tokens), self.heads)
        order, places = self._places(plain, present)

        def ordered(x: Tensor) -> Tensor:
            # (b, 1 or h, n, c) -> (b, h, rounds, n, c), sorted by bucket
            x = x[:, :, None].expand(*order.shape, x.shape[-1])
            return x.gather(-2, order[..., None].expand_as(x))

        size, before, after = band_shape(n, self.chunk, self.causal)
        rows_q = split_into_blocks(ordered(q), size)
        rows_k, rows_v, visible = (
            gather_neighbourhoods(ordered(x), size, before, after) for x in (k, v, present[:, None, :, None])
        )

        def near(x: Int[Tensor, "b h rounds n"]) -> Bool[Tensor, "b h rounds blocks size width"]:
            x = x[..., None]
            return (split_into_blocks(x, size) - gather_neighbourhoods(x, size, before, after).mT).abs() <= self.chunk

        this_round = near(places.gather(-1, order))
        # In how many rounds the two tokens of a pair look at each other: the pair counts once.
        together = torch.stack([near(x) for x in ordered(places.mT).unbind(-1)]).sum(0)
        offset = offsets(size, before, after, q.device)
        itself = offset == 0
        allowed = (visible.mT & this_round) | itself
        if self.causal:
            allowed = allowed & (offset <= 0)
        scores = (rows_q @ rows_k.mT).masked_fill(itself, _ITSELF)
        part = attend(scores, rows_v, allowed, 1 / together.clamp(min=1))

        def unordered(x: Tensor) -> Tensor:
            x = join_blocks(x, n)
            return x.gather(-2, order.argsort(-1)[..., None].expand_as(x))

        by_round = zip(*(x.unbind(2) for x in part.map(unordered)), strict=True)
        return self.out(join_heads(merge(*(Part(*one) for one in by_round))))

    def _map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        plain, q, k = self._queries_and_keys(context)
        _, places = self._places(plain, context.present)
        near = ((places[..., :, None] - places[..., None, :]).abs() <= self.chunk).any(2)
        allowed = context.allowed(self.causal)
        itself = torch.eye(q.shape[-2], dtype=torch.bool, device=q.device)
        return softmax((q @ k.mT).masked_fill(itself, _ITSELF), near if allowed is None else near & allowed)

    def _queries_and_keys(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h n c"], Float[Tensor, "b h n c"]]:
        """The shared projection, the queries, and the keys.

        Both are turned; queries are scaled, and keys have unit length.
        """
        plain = split_heads(self.qk(context.tokens), self.heads)
        turned = plain if context.rotation is None else rotate(plain, context.rotation)
        return plain, turned * turned.shape[-1] ** -0.5, F.normalize(turned, dim=-1)

    def _places(
        self, q: Float[Tensor, "b h n c"], present: Bool[Tensor, "b n"]
    ) -> tuple[Int[Tensor, "b h rounds n"], Int[Tensor, "b h rounds n"]]:
        """The order that sorts tokens by bucket, and each token's place.

        Two tokens look at each other in a round if their places are at most `chunk` apart. Places are ranks in the
        sorted order, with a gap of more than a chunk between buckets.
        """
        # Masked tokens are sorted behind all others, so that they separate none of them.
        bucket = self.hash(q).masked_fill(~present[:, None, None], self.buckets)
        order = bucket.argsort(dim=-1, stable=True)
        return order, order.argsort(-1) + bucket * (self.chunk + 1)
