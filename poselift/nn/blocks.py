"""Feed-forward layer and the blocks of Transformers."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError


class FeedForward(nn.Sequential):
    """Two linear layers with GELU between (Vaswani et al. 2017; GELU: Hendrycks and Gimpel 2016).

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
    """Drops a residual branch for whole windows in training, and scales the others up so that the mean stays.

    Huang et al. 2016, "Deep networks with stochastic depth", https://arxiv.org/abs/1603.09382.

    Args:
        rate: share of windows in which the branch is dropped.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, branch: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        """The branch, zero where it is dropped."""
        if not self.training or self.rate == 0:
            return branch
        kept = torch.rand(len(branch), 1, 1, device=branch.device) >= self.rate
        return branch * kept / (1 - self.rate)


NORMS = ("pre", "post", "none")
"""Where a block has its layer norms.

pre: x + branch(norm(x)) (Xiong et al. 2020, https://arxiv.org/abs/2002.04745): trains without a long warm-up.
post: norm(x + branch(x)), as in Vaswani et al. 2017.
none: x + branch(x); needs an initialisation made for it (`poselift.nn.initialisation.t_fixup_`).
"""


def _norm(norm: str, dim: int) -> nn.Module:
    if norm not in NORMS:
        raise InputError(f"norm={norm} is not known; choose {', '.join(NORMS)}")
    return nn.Identity() if norm == "none" else nn.LayerNorm(dim)


def _residual(
    x: Float[Tensor, "b n d"], norm: nn.Module, placed: str, branch: Callable[[Tensor], Tensor]
) -> Float[Tensor, "b n d"]:
    """A residual connection with its norm where it is placed."""
    return norm(x + branch(x)) if placed == "post" else x + branch(norm(x))


class EncoderBlock(nn.Module):
    """Attention and feed-forward layers, each in a residual connection (Vaswani et al. 2017).

    Args:
        dim: width of the tokens.
        attention: a module of `poselift.nn.attention`.
        feed_forward: a module from (b, n, dim) to (b, n, dim).
        dropout: share of each residual branch's outputs dropped in training.
        drop_path: share of windows in which a residual branch is left out in training.
        norm: one of `NORMS`.

    Raises:
        InputError: there is no such norm.
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
        """Mixes the tokens by attention, then each by itself."""
        tokens = _residual(
            tokens, self.attention_norm, self.norm, lambda x: self.dropout(self.attention(x, mask, rotation))
        )
        return _residual(tokens, self.feed_forward_norm, self.norm, lambda x: self.dropout(self.feed_forward(x)))


class DecoderBlock(nn.Module):
    """Attention among the decoder's own tokens, then across to the encoder's, then feed-forward.

    Args:
        dim: width of the tokens.
        attention: among the tokens; causal.
        cross_attention: from the tokens to the memory.
        feed_forward: a module from (b, n, dim) to (b, n, dim).
        dropout: share of each residual branch's outputs dropped in training.
        norm: one of `NORMS`.

    Raises:
        InputError: there is no such norm.
    """

    def __init__(
        self,
        dim: int,
        *,
        attention: nn.Module,
        cross_attention: nn.Module,
        feed_forward: nn.Module,
        dropout: float = 0.0,
        norm: str = "pre",
    ) -> None:
        super().__init__()
        self.norm = norm
        self.attention_norm = _norm(norm, dim)
        self.attention = attention
        self.cross_norm = _norm(norm, dim)
        self.cross_attention = cross_attention
        self.feed_forward_norm = _norm(norm, dim)
        self.feed_forward = feed_forward
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        memory: Float[Tensor, "b m d"],
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Mixes the tokens, takes in the memory, then each by itself."""
        tokens = _residual(tokens, self.attention_norm, self.norm, lambda x: self.dropout(self.attention(x)))
        tokens = _residual(
            tokens,
            self.cross_norm,
            self.norm,
            lambda x: self.dropout(self.cross_attention(x, memory=memory, memory_mask=memory_mask)),
        )
        return _residual(tokens, self.feed_forward_norm, self.norm, lambda x: self.dropout(self.feed_forward(x)))
