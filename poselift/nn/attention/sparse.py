"""What the mechanisms share in which a token looks at some of the others: blocks, bands, softmax in parts.

No matrix of all tokens by all tokens is made: queries are cut into blocks, and each block meets the keys of its
own neighbourhood. Where a token looks at several kinds of keys (near ones and summaries, say), each kind is a
`Part`, and `merge` gives the softmax over all of them together.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from poselift.nn.attention.attention import Attention
from poselift.nn.attention.distributions import softmax
from poselift.nn.positions import rotate


class Part(NamedTuple):
    """Attention over some of the keys, before the softmax is divided by its sum.

    Attributes:
        peak: the greatest score of each query, (..., n, 1).
        total: sum of exp(score - peak), (..., n, 1).
        mixed: sum of exp(score - peak) value, (..., n, c).
    """

    peak: Tensor
    total: Tensor
    mixed: Tensor

    def map(self, change: Callable[[Tensor], Tensor]) -> "Part":
        """The same with each tensor changed, as where rows go to another order."""
        return Part(*(change(x) for x in self))


def attend(
    scores: Float[Tensor, "*a n m"],
    values: Float[Tensor, "*b m c"],
    allowed: Bool[Tensor, "*c n_or_1 m"],
    weights: Shaped[Tensor, "*d n m"] | None = None,
) -> Part:
    """Attention of each query to these keys; a query that may look at none has a total of 0.

    Args:
        scores: scaled already.
        values: of the keys.
        allowed: where a query may look.
        weights: factors of exp(score).
    """
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32)).masked_fill(~allowed, -torch.inf)
    peak = scores.detach().amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    shares = (scores - peak).exp()
    if weights is not None:
        shares = shares * weights
    return Part(peak, shares.sum(-1, keepdim=True), shares.to(values.dtype) @ values)


def merge(*parts: Part) -> Float[Tensor, "*a n c"]:
    """The values mixed by one softmax over the keys of all parts; zeros where a query may look at none."""
    peak = torch.stack([part.peak for part in parts]).amax(0)
    scales = [(part.peak - peak).exp() for part in parts]
    total = torch.stack([scale * part.total for scale, part in zip(scales, parts, strict=True)]).sum(0)
    mixed = torch.stack([scale * part.mixed for scale, part in zip(scales, parts, strict=True)]).sum(0)
    return mixed / torch.where(total == 0, 1, total)


def blocks(x: Shaped[Tensor, "*a n c"], size: int) -> Shaped[Tensor, "*a n_blocks size c"]:
    """The tokens cut into blocks of so many, zeros after the last."""
    return F.pad(x, (0, 0, 0, -x.shape[-2] % size)).unflatten(-2, (-1, size))


def neighbourhoods(
    x: Shaped[Tensor, "*a n c"], size: int, before: int, after: int
) -> Shaped[Tensor, "*a n_blocks width c"]:
    """Each block of `size` tokens with those `before` and `after` it; zeros past the ends. width is their sum."""
    padded = F.pad(x, (0, 0, before, -x.shape[-2] % size + after))
    # (..., n_blocks, c, width) -> (..., n_blocks, width, c); a view, as neighbourhoods share tokens
    return padded.unfold(-2, before + size + after, size).mT


def columns(x: Shaped[Tensor, "*a n c"], stride: int) -> Shaped[Tensor, "*a stride m c"]:
    """The tokens dealt into `stride` rows, so that those a stride apart are neighbours."""
    return blocks(x, stride).transpose(-2, -3)


def in_order(x: Shaped[Tensor, "*a stride m c"], n: int) -> Shaped[Tensor, "*a n c"]:
    """What `columns` dealt, gathered again."""
    return x.transpose(-2, -3).flatten(-3, -2)[..., :n, :]


def offsets(size: int, before: int, after: int, device: torch.device) -> Int[Tensor, "size width"]:
    """How far after the query each key of its neighbourhood is; the same in every block."""
    keys = torch.arange(-before, size + after, device=device)
    return keys - torch.arange(size, device=device)[:, None]


def windowed(
    q: Float[Tensor, "*a n c"],
    k: Float[Tensor, "*a n c"],
    v: Float[Tensor, "*a n c"],
    visible: Bool[Tensor, "*v n"],
    *,
    size: int,
    before: int,
    after: int,
    weights: Callable[[Int[Tensor, "size width"]], Shaped[Tensor, "*w size width"]],
) -> Part:
    """Attention of each block of `size` queries to its neighbourhood, at a cost of n (size + before + after).

    Args:
        q: queries, scaled already.
        k: keys.
        v: values.
        visible: tokens that others may see; each sees itself in any case.
        size: queries in a block.
        before: keys before the block.
        after: keys after it.
        weights: offset from query to key -> factor of exp(score); 0 or False where a token does not look.
    """
    n = q.shape[-2]
    offset = offsets(size, before, after, q.device)
    weight = weights(offset)
    scores = blocks(q, size) @ neighbourhoods(k, size, before, after).mT
    there = neighbourhoods(visible[..., None], size, before, after).mT  # (..., n_blocks, 1, width)
    allowed = (there | (offset == 0)) & (weight > 0)
    part = attend(scores, neighbourhoods(v, size, before, after), allowed, weight)
    return part.map(lambda x: x.flatten(-3, -2)[..., :n, :])


def banded(
    q: Float[Tensor, "*a n c"],
    k: Float[Tensor, "*a n c"],
    v: Float[Tensor, "*a n c"],
    visible: Bool[Tensor, "*v n"],
    *,
    reach: int,
    causal: bool,
    weights: Callable[[Int[Tensor, "size width"]], Shaped[Tensor, "*w size width"]] | None = None,
) -> Part:
    """Attention to the tokens at most `reach` away, or to those before alone; the arguments of `windowed`."""

    def near(offset: Tensor) -> Tensor:
        inside = offset.abs() <= reach
        if causal:
            inside = inside & (offset <= 0)
        return inside if weights is None else weights(offset) * inside

    size, before, after = band_shape(q.shape[-2], reach, causal)
    return windowed(q, k, v, visible, size=size, before=before, after=after, weights=near)


def band_shape(n: int, reach: int, causal: bool) -> tuple[int, int, int]:
    """Size of a block, and the tokens before and after it that a band needs; one block where n is short."""
    if n <= 3 * reach:
        return n, 0, 0
    return max(reach, 1), reach, 0 if causal else reach


def split_heads(x: Float[Tensor, "b n d"], heads: int) -> Float[Tensor, "b heads n d_head"]:
    """Cuts the channels of each token into heads."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(x: Float[Tensor, "b heads n d_head"]) -> Float[Tensor, "b n d"]:
    """Puts the heads of each token side by side again."""
    return x.transpose(1, 2).flatten(-2)


def everything_visible(tokens: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n"] | None) -> Bool[Tensor, "b n"]:
    """The mask, or one that hides nothing."""
    return torch.ones(tokens.shape[:2], dtype=torch.bool, device=tokens.device) if mask is None else mask


class SparseAttention(Attention):
    """Scaled dot-product attention in which each token looks at some of the others.

    A subclass says where in `pattern`, and computes it at less than n^2 in `mix`.
    """

    can_cross: ClassVar[bool] = False
    takes_rotation = True
    knows_order = True

    def __init__(self, dim: int, heads: int, *, causal: bool = False, cross: bool = False) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    @abstractmethod
    def pattern(self, n: int, device: torch.device) -> Shaped[Tensor, "#heads n n"]:
        """Where each query (row) looks if it may look ahead: factors of exp(score), or True and False."""

    @abstractmethod
    def mix(
        self,
        q: Float[Tensor, "b heads n c"],
        k: Float[Tensor, "b heads n c"],
        v: Float[Tensor, "b heads n c"],
        visible: Bool[Tensor, "b 1 n"],
    ) -> Float[Tensor, "b heads n c"]:
        """The values as each token takes them in; queries are scaled already."""

    def forward(  # noqa: D102 - the interface says it
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        self.source(tokens, memory)
        q, k, v = self.project(tokens, rotation)
        return self.out(join_heads(self.mix(q, k, v, everything_visible(tokens, mask)[:, None])))

    def attention_map(  # noqa: D102
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        self.source(tokens, memory)
        q, k, _ = self.project(tokens, rotation)
        weights = self.pattern(tokens.shape[1], tokens.device)
        seen = self.allowed(tokens, mask, None, None)
        allowed = weights > 0 if seen is None else (weights > 0) & seen[:, None]
        shares = softmax(q @ k.mT, allowed) * weights
        return shares / shares.sum(-1, keepdim=True)

    def project(
        self, tokens: Float[Tensor, "b n d"], rotation: Float[Tensor, "b n r 2"] | None
    ) -> tuple[Float[Tensor, "b heads n c"], Float[Tensor, "b heads n c"], Float[Tensor, "b heads n c"]]:
        """Queries, turned and scaled, keys, turned, and values."""
        q, k, v = (split_heads(x, self.heads) for x in self.qkv(tokens).chunk(3, -1))
        if rotation is not None:
            q, k = rotate(q, rotation), rotate(k, rotation)
        return q * q.shape[-1] ** -0.5, k, v
