"""Sparse attention in blocks, without a matrix of all tokens.

Queries are cut into blocks, and each block meets the keys of its own neighbourhood. If a token looks at several kinds
of keys (near ones and summaries, say), each kind is a `Part`, and `merge` computes one softmax over all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor


@dataclass(frozen=True)
class Projections:
    """Queries, keys and values of one sequence, with any leading dimensions.

    Attributes:
        q: queries, already scaled.
        k: keys.
        v: values.
        visible: True where other tokens may see a token; each token sees itself in any case.
    """

    q: Float[Tensor, "*a n c"]
    k: Float[Tensor, "*a n c"]
    v: Float[Tensor, "*a n c"]
    visible: Bool[Tensor, "*b n"]


class Part(NamedTuple):
    """Attention over some keys, before the softmax divides.

    Attributes:
        peak: the greatest score of each query, (..., n, 1).
        total: sum of exp(score - peak), (..., n, 1).
        mixed: sum of exp(score - peak) value, (..., n, c).
    """

    peak: Tensor
    total: Tensor
    mixed: Tensor

    def map(self, change: Callable[[Tensor], Tensor]) -> "Part":
        """The part with each tensor changed, such as its rows' order."""
        return Part(*(change(x) for x in self))


def attend(
    scores: Float[Tensor, "*a n m"],
    values: Float[Tensor, "*b m c"],
    allowed: Bool[Tensor, "*c n_or_1 m"],
    weights: Shaped[Tensor, "*d n m"] | None = None,
) -> Part:
    """Attention of each query to these keys.

    Its total is 0 if no key is allowed.

    Args:
        scores: already scaled.
        values: of the keys.
        allowed: True where a query may look.
        weights: factors of exp(score).
    """
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32)).masked_fill(~allowed, -torch.inf)
    peak = scores.detach().amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    shares = (scores - peak).exp()
    if weights is not None:
        shares = shares * weights
    return Part(peak, shares.sum(-1, keepdim=True), shares.to(values.dtype) @ values)


def merge(*parts: Part) -> Float[Tensor, "*a n c"]:
    """Values mixed by one softmax over the keys of all parts.

    Zeros if no key is allowed.
    """
    peak = torch.stack([part.peak for part in parts]).amax(0)
    scales = [(part.peak - peak).exp() for part in parts]
    total = torch.stack([scale * part.total for scale, part in zip(scales, parts, strict=True)]).sum(0)
    mixed = torch.stack([scale * part.mixed for scale, part in zip(scales, parts, strict=True)]).sum(0)
    return mixed / torch.where(total == 0, 1, total)


def split_into_blocks(x: Shaped[Tensor, "*a n c"], size: int) -> Shaped[Tensor, "*a n_blocks size c"]:
    """Tokens in blocks of `size`, with zeros after the last token."""
    return F.pad(x, (0, 0, 0, -x.shape[-2] % size)).unflatten(-2, (-1, size))


def join_blocks(x: Shaped[Tensor, "*a n_blocks size c"], n: int) -> Shaped[Tensor, "*a n c"]:
    """The first `n` tokens of all blocks, in a row again."""
    return x.flatten(-3, -2)[..., :n, :]


def gather_neighbourhoods(
    x: Shaped[Tensor, "*a n c"], size: int, before: int, after: int
) -> Shaped[Tensor, "*a n_blocks width c"]:
    """Each block of `size` tokens with those `before` and `after` it.

    Zeros stand past the ends.

    The width is the sum of the three.
    """
    padded = F.pad(x, (0, 0, before, -x.shape[-2] % size + after))
    # (..., n_blocks, c, width) -> (..., n_blocks, width, c); a view, as neighbourhoods share tokens
    return padded.unfold(-2, before + size + after, size).mT


def split_into_columns(x: Shaped[Tensor, "*a n c"], stride: int) -> Shaped[Tensor, "*a stride m c"]:
    """Tokens in `stride` rows: those a stride apart become neighbours."""
    return split_into_blocks(x, stride).transpose(-2, -3)


def join_columns(x: Shaped[Tensor, "*a stride m c"], n: int) -> Shaped[Tensor, "*a n c"]:
    """Tokens in their order before `split_into_columns`."""
    return join_blocks(x.transpose(-2, -3), n)


def offsets(size: int, before: int, after: int, device: torch.device) -> Int[Tensor, "size width"]:
    """Tokens from each query to each key of its neighbourhood.

    They are the same in every block.
    """
    keys = torch.arange(-before, size + after, device=device)
    return keys - torch.arange(size, device=device)[:, None]


Weights = Callable[[Int[Tensor, "size width"]], Shaped[Tensor, "*w size width"]]
"""From the offset between query and key to a factor of exp(score); 0 or False where a token does not look."""


def attend_to_window(x: Projections, *, size: int, before: int, after: int, causal: bool, weights: Weights) -> Part:
    """Attention of each block to its neighbourhood.

    It costs n (size + before + after).

    Args:
        x: queries, keys and values.
        size: queries in a block.
        before: keys before the block.
        after: keys after it.
        causal: a token sees only itself and earlier tokens.
        weights: factors by offset.
    """
    offset = offsets(size, before, after, x.q.device)
    weight = weights(offset) * (offset <= 0) if causal else weights(offset)
    scores = split_into_blocks(x.q, size) @ gather_neighbourhoods(x.k, size, before, after).mT
    visible = gather_neighbourhoods(x.visible[..., None], size, before, after).mT  # (..., n_blocks, 1, width)
    allowed = (visible | (offset == 0)) & (weight > 0)
    part = attend(scores, gather_neighbourhoods(x.v, size, before, after), allowed, weight)
    return part.map(lambda rows: join_blocks(rows, x.q.shape[-2]))


def allow_all(offset: Int[Tensor, "size width"]) -> Bool[Tensor, "size width"]:
    """The `Weights` that leave no key of a neighbourhood out."""
    return torch.ones_like(offset, dtype=torch.bool)


def attend_to_band(x: Projections, *, reach: int, causal: bool, weights: Weights = allow_all) -> Part:
    """Attention to the tokens at most `reach` away.

    The other arguments are those of `attend_to_window`.
    """
    size, before, after = band_shape(x.q.shape[-2], reach, causal)

    def near(offset: Tensor) -> Tensor:
        return weights(offset) * (offset.abs() <= reach)

    return attend_to_window(x, size=size, before=before, after=after, causal=causal, weights=near)


def band_shape(n: int, reach: int, causal: bool) -> tuple[int, int, int]:
    """Size of a block, and the tokens around it for a band.

    Short sequences are one block.
    """
    if n <= 3 * reach:
        return n, 0, 0
    return max(reach, 1), reach, 0 if causal else reach
