"""Longformer: a dilated sliding window with global tokens."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.blockwise import (
    Part,
    Projections,
    attend,
    attend_to_band,
    join_columns,
    merge,
    split_into_columns,
)
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.heads import join_heads, split_heads, split_parts
from poselift.nn.attention.sparse import SparseAttention
from poselift.nn.positions import rotate


class LongformerAttention(SparseAttention):
    """A dilated window, and global tokens that see and are seen.

    Source: Beltagy et al. 2020, https://arxiv.org/abs/2004.05150. Some heads look closely at what is near, others with
    gaps at what is farther. Global tokens carry what the window does not reach.

        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,
        j with |i - j| <= dilation window / 2 and (i - j) mod dilation = 0, or j global;
        a global i looks at every j, with projections q, k, v of its own

    Cost: n (window + global tokens), linear in n. An undilated window of twice the sequence's length is exact
    attention.

    Deviation: the paper's CUDA kernel computes only the band. Here blocks of queries meet blocks of keys, and half of
    the scores lie outside the band and are thrown away.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        window: tokens in a window, half of them on each side, w in the paper; even.
        dilations: steps between the tokens of a window; the heads are split evenly between them, in order.
        global_tokens: places of the global tokens.
        options: `causal` of `Attention`; it holds for global tokens as well.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        window: int = 32,
        dilations: Sequence[int] = (1, 2),
        global_tokens: Sequence[int] = (0,),
        **options: Any,
    ) -> None:
        super().__init__(dim, heads, **options)
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

    def pattern(self, n: int, device: torch.device) -> Bool[Tensor, "h n n"]:
        """True in each head's dilated window and in global tokens' columns."""
        index = torch.arange(n, device=device)
        distance = (index[:, None] - index).abs()
        windows = [(distance <= step * self.reach) & (distance % step == 0) for step in self.dilations]
        groups = [len(group) for group in torch.arange(self.heads).tensor_split(len(self.dilations))]
        pattern = torch.cat([window.expand(group, n, n) for window, group in zip(windows, groups, strict=True)])
        pattern[:, :, self._places(n, device)] = True
        return pattern

    def mix(self, x: Projections) -> Float[Tensor, "b h n c"]:
        """Values mixed by the window and the columns of global tokens."""
        n, device = x.q.shape[-2], x.q.device
        places = self._places(n, device)
        # Global tokens are a part of their own, so the window leaves them out.
        others = x.visible.index_fill(-1, places, False)
        by_dilation = (part.tensor_split(len(self.dilations), 1) for part in (x.q, x.k, x.v))
        bands = [
            self._band(Projections(q, k, v, others), step)
            for q, k, v, step in zip(*by_dilation, self.dilations, strict=True)
        ]
        window = Part(*(torch.cat(part, 1) for part in zip(*bands, strict=True)))
        if not self.global_tokens:
            return merge(window)
        seen = x.visible[..., None, places]
        if self.causal:
            seen = seen & (places <= torch.arange(n, device=device)[:, None])
        return merge(window, attend(x.q @ x.k[:, :, places].mT, x.v[:, :, places], seen))

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        mixed = self.mix(self._project(context))
        if self.global_tokens:
            rows = merge(attend(*self._from_global(context)))
            mixed = mixed.index_copy(2, self._places(mixed.shape[2], mixed.device), rows.to(mixed.dtype))
        return self.out(join_heads(mixed))

    def _map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        weights = super()._map(context)
        if self.global_tokens:
            scores, _, seen = self._from_global(context)
            places = self._places(weights.shape[2], weights.device)
            weights = weights.index_copy(2, places, softmax(scores, seen))
        return weights

    def _places(self, n: int, device: torch.device) -> Int[Tensor, " g"]:
        if max(self.global_tokens, default=0) >= n:
            raise InputError(
                f"longformer: global tokens at {list(self.global_tokens)} need more than {n} tokens; "
                "choose lower places or a longer sequence"
            )
        return torch.tensor(self.global_tokens, dtype=torch.long, device=device)

    def _band(self, x: Projections, step: int) -> Part:
        """The window of the heads with one dilation.

        Tokens `step` apart are made neighbours.
        """
        n = x.q.shape[-2]
        q, k, v, visible = (split_into_columns(part, step) for part in (x.q, x.k, x.v, x.visible[..., None]))
        part = attend_to_band(Projections(q, k, v, visible.squeeze(-1)), reach=self.reach, causal=self.causal)
        return part.map(lambda rows: join_columns(rows, n))

    def _from_global(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h g n"], Float[Tensor, "b h n c"], Bool[Tensor, "b 1 g n"]]:
        """Scores for the global tokens, the values, and where they look."""
        tokens, rotation = context.tokens, context.rotation
        n = tokens.shape[1]
        places = self._places(n, tokens.device)
        q = split_heads(self.global_q(tokens[:, places]), self.heads)
        k, v = split_parts(self.global_kv(tokens), 2, self.heads)
        if rotation is not None:
            q, k = rotate(q, rotation[:, places]), rotate(k, rotation)
        index = torch.arange(n, device=tokens.device)
        seen = context.present[:, None] | (index == places[:, None])
        if self.causal:
            seen = seen & (index <= places[:, None])
        return q @ k.mT * q.shape[-1] ** -0.5, v, seen[:, None]
