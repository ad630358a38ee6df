"""Longformer: a dilated sliding window with global tokens."""

from collections.abc import Sequence
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.sparse import (
    Part,
    SparseAttention,
    attend,
    banded,
    columns,
    everything_visible,
    in_order,
    join_heads,
    merge,
    split_heads,
)
from poselift.nn.positions import rotate


class LongformerAttention(SparseAttention):
    """A dilated window, and a few tokens that see all and are seen by all (Beltagy et al. 2020).

    https://arxiv.org/abs/2004.05150. Some heads look closely at what is near, others with gaps at what is farther;
    global tokens carry what the window does not reach.

        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,
        j with |i - j| <= dilation window / 2 and (i - j) mod dilation = 0, or j global;
        a global i looks at every j, with projections q, k, v of its own

    Cost: n (window + global tokens), linear in n. A window of twice the sequence's length, not dilated, is exact
    attention. It cannot look at a memory of another length.

    Deviation: the paper's own CUDA kernel computes the band alone; here blocks of queries meet blocks of keys, and the
    half of their scores that lies outside the band is thrown away.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone, global tokens as well.
        cross: refused.
        window: tokens in a window, half of them on each side, w in the paper; even.
        dilations: steps between the tokens of a window; the heads are dealt to them in order.
        global_tokens: places of the global tokens.
    """

    exact_map: ClassVar[bool] = False  # global tokens have values of their own

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        causal: bool = False,
        cross: bool = False,
        window: int = 32,
        dilations: Sequence[int] = (1, 2),
        global_tokens: Sequence[int] = (0,),
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if window < 2 or window % 2:
            raise InputError(f"longformer: the window must be an even number of tokens, 2 or more, not {window}")
        if not dilations or min(dilations) < 1:
            raise InputError(f"longformer: dilations must be one or more steps of 1 or more, not {list(dilations)}")
        if min(global_tokens, default=0) < 0 or len(set(global_tokens)) != len(global_tokens):
            raise InputError(f"longformer: global_tokens are places from 0, each once, not {list(global_tokens)}")
        self.reach, self.dilations, self.global_tokens = window // 2, tuple(dilations), tuple(global_tokens)
        if self.global_tokens:
            self.global_q = nn.Linear(dim, dim)
            self.global_kv = nn.Linear(dim, 2 * dim)
            # As in the paper, they start equal to the window's.
            for name, parameter in self.qkv.named_parameters():
                getattr(self.global_q, name).data.copy_(parameter[:dim])
                getattr(self.global_kv, name).data.copy_(parameter[dim:])

    def _places(self, n: int, device: torch.device) -> Int[Tensor, " g"]:
        if max(self.global_tokens, default=0) >= n:
            raise InputError(
                f"longformer: global tokens at {list(self.global_tokens)} need more than the {n} tokens there are"
            )
        return torch.tensor(self.global_tokens, dtype=torch.long, device=device)

    def pattern(self, n: int, device: torch.device) -> Bool[Tensor, "heads n n"]:
        """True in each head's dilated window, and in the columns of global tokens."""
        index = torch.arange(n, device=device)
        distance = (index[:, None] - index).abs()
        windows = [(distance <= step * self.reach) & (distance % step == 0) for step in self.dilations]
        groups = [len(group) for group in torch.arange(self.heads).tensor_split(len(self.dilations))]
        pattern = torch.cat([window.expand(group, n, n) for window, group in zip(windows, groups, strict=True)])
        pattern[:, :, self._places(n, device)] = True
        return pattern

    def mix(
        self,
        q: Float[Tensor, "b heads n c"],
        k: Float[Tensor, "b heads n c"],
        v: Float[Tensor, "b heads n c"],
        visible: Bool[Tensor, "b 1 n"],
    ) -> Float[Tensor, "b heads n c"]:
        """What tokens that are not global take in."""
        n = q.shape[-2]
        places = self._places(n, q.device)
        # Global tokens are counted apart, not in the window as well.
        others = visible.index_fill(-1, places, False)
        by_dilation = (x.tensor_split(len(self.dilations), 1) for x in (q, k, v))
        bands = [
            self._band(head_q, head_k, head_v, others, step)
            for head_q, head_k, head_v, step in zip(*by_dilation, self.dilations, strict=True)
        ]
        window = Part(*(torch.cat(x, 1) for x in zip(*bands, strict=True)))
        if not self.global_tokens:
            return merge(window)
        seen = visible[..., None, places]
        if self.causal:
            seen = seen & (places <= torch.arange(n, device=q.device)[:, None])
        return merge(window, attend(q @ k[:, :, places].mT, v[:, :, places], seen))

    def _band(self, q: Tensor, k: Tensor, v: Tensor, visible: Tensor, step: int) -> Part:
        """The window of the heads with one dilation: tokens `step` apart are made neighbours."""
        n = q.shape[-2]
        q, k, v = (columns(x, step) for x in (q, k, v))
        there = columns(visible[..., None], step).squeeze(-1)
        return banded(q, k, v, there, reach=self.reach, causal=self.causal).map(lambda x: in_order(x, n))

    def _from_global(
        self, tokens: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n"] | None, rotation: Tensor | None
    ) -> tuple[Float[Tensor, "b heads g n"], Float[Tensor, "b heads n c"], Bool[Tensor, "b 1 g n"]]:
        """Scores of all tokens for the global ones, the values, and where they may look."""
        n = tokens.shape[1]
        places = self._places(n, tokens.device)
        q = split_heads(self.global_q(tokens[:, places]), self.heads)
        k, v = (split_heads(x, self.heads) for x in self.global_kv(tokens).chunk(2, -1))
        if rotation is not None:
            q, k = rotate(q, rotation[:, places]), rotate(k, rotation)
        index = torch.arange(n, device=tokens.device)
        seen = everything_visible(tokens, mask)[:, None] | (index == places[:, None])
        if self.causal:
            seen = seen & (index <= places[:, None])
        return q @ k.mT * q.shape[-1] ** -0.5, v, seen[:, None]

    def forward(  # noqa: D102
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        self.source(tokens, memory)
        q, k, v = self.project(tokens, rotation)
        mixed = self.mix(q, k, v, everything_visible(tokens, mask)[:, None])
        if self.global_tokens:
            rows = merge(attend(*self._from_global(tokens, mask, rotation)))
            mixed = mixed.index_copy(2, self._places(tokens.shape[1], tokens.device), rows.to(mixed.dtype))
        return self.out(join_heads(mixed))

    def attention_map(  # noqa: D102
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        shares = super().attention_map(tokens, mask, rotation, memory, memory_mask)
        if self.global_tokens:
            scores, _, seen = self._from_global(tokens, mask, rotation)
            rows = softmax(scores, seen)
            shares = shares.index_copy(2, self._places(tokens.shape[1], tokens.device), rows)
        return shares
