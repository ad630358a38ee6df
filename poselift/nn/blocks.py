"""Feed-forward layers and the blocks of Transformers."""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.choices import choose
from poselift.nn.attention import AttentionContext


class FeedForward(nn.Sequential):
    """Two linear layers with a GELU between them.

    Vaswani et al. 2017; GELU: Hendrycks and Gimpel 2016.

    Args:
        dim: width of the tokens.
        hidden: width between the layers.
        dropout: share of hidden units dropped in training.
    """

    def __init__(self, dim: int, hidden: int, dropout: float = 0.0) -> None:
        super().__init__(
            nn.Linear(dim, hidden), nn.GELU(approximate="tanh"), nn.Dropout(dropout), nn.Linear(hidden, dim)
        )


class StochasticDepth(nn.Module):
    """Drops a residual branch of whole windows in training.

    It scales the others up to keep the mean.

    Huang et al. 2016, "Deep networks with stochastic depth", https://arxiv.org/abs/1603.09382.

    Args:
        rate: share of windows in which the branch is dropped.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, branch: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        """The branch, zero in the windows that drop it."""
        if not self.training or self.rate == 0:
            return branch
        kept = torch.rand(len(branch), 1, 1, device=branch.device) >= self.rate
        return branch * kept / (1 - self.rate)


NORMS: dict[str, type[nn.Module]] = {"pre": nn.LayerNorm, "post": nn.LayerNorm, "none": nn.Identity}
"""Where a block has its layer norms.

pre: x + branch(norm(x)) (Xiong et al. 2020, https://arxiv.org/abs/2002.04745); trains without a long warm-up.
post: norm(x + branch(x)), as in Vaswani et al. 2017.
none: x + branch(x); needs the initialisation `poselift.nn.initialisation.t_fixup_`.
"""


def _norm(norm: str, dim: int) -> nn.Module:
    return choose("norm", norm, NORMS)(dim)


def _residual(
    x: Float[Tensor, "b n d"], norm: nn.Module, where: str, branch: Callable[[Tensor], Tensor]
) -> Float[Tensor, "b n d"]:
    """A residual connection with its norm; `where` is one of `NORMS`."""
    return norm(x + branch(x)) if where == "post" else x + branch(norm(x))


class EncoderBlock(nn.Module):
    """Attention and feed-forward layers, each in a residual connection.

    Vaswani et al. 2017.

    Args:
        dim: width of the tokens.
        attention: a module of `poselift.nn.attention`.
        feed_forward: a module from (b, n, dim) to (b, n, dim).
        dropout: share of each residual branch's outputs dropped in training.
        drop_path: share of windows that drop a residual branch in training.
        norm: one of `NORMS`.

    Raises:
        InputError: no norm has this name.
    """

    def __init__(
        self,
        dim: int,
        *,
        attention: nn.Module,
        feed_forward: nn.Module,
        dropout: float = 0.0,
        drop_path: float = 0.0,
        norm: str = "pre",
    ) -> None:
        super().__init__()
        self.norm = norm
        self.attention_norm = _norm(norm, dim)
        self.attention = attention
        self.feed_forward_norm = _norm(norm, dim)
        self.feed_forward = feed_forward
        self.dropout = nn.Sequential(nn.Dropout(dropout), StochasticDepth(drop_path))

    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Tokens after attention and feed-forward layers; the arguments are those of `AttentionContext`."""
        tokens = _residual(
            tokens,
            self.attention_norm,
            self.norm,
            lambda x: self.dropout(self.attention(AttentionContext(x, mask, rotation))),
        )
        return _residual(tokens, self.feed_forward_norm, self.norm, lambda x: self.dropout(self.feed_forward(x)))


class DecoderBlock(EncoderBlock):
    """An `EncoderBlock` with attention to the encoder's tokens between its two layers.

    Args:
        dim: width of the tokens.
        cross_attention: from the tokens to the memory, the encoder's tokens.
        options: those of `EncoderBlock`; its `attention` is causal.

    Raises:
        InputError: no norm has this name.
    """

    def __init__(self, dim: int, *, cross_attention: nn.Module, **options: Any) -> None:
        super().__init__(dim, **options)
        self.cross_norm = _norm(self.norm, dim)
        self.cross_attention = cross_attention

    def forward(  # type: ignore[override]  # it takes the other sequence too
        self,
        tokens: Float[Tensor, "b n d"],
        memory: Float[Tensor, "b m d"],
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Tokens after both attentions and the feed-forward layers."""

        def attend(x: Tensor) -> Tensor:
            return self.dropout(self.attention(AttentionContext(x)))

        def look_across(x: Tensor) -> Tensor:
            return self.dropout(self.cross_attention(AttentionContext(x, memory=memory, memory_mask=memory_mask)))

        tokens = _residual(tokens, self.attention_norm, self.norm, attend)
        tokens = _residual(tokens, self.cross_norm, self.norm, look_across)
        return _residual(tokens, self.feed_forward_norm, self.norm, lambda x: self.dropout(self.feed_forward(x)))
