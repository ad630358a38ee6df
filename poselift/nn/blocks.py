"""Feed-forward layer and pre-norm Transformer block."""

from jaxtyping import Bool, Float
from torch import Tensor, nn


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


class PreNormBlock(nn.Module):
    """x + attention(norm(x)), then x + feed_forward(norm(x)) (Xiong et al. 2020, https://arxiv.org/abs/2002.04745).

    Args:
        dim: width of the tokens.
        attention: a module of `poselift.nn.attention`.
        feed_forward: a module from (b, n, dim) to (b, n, dim).
        dropout: share of each residual branch's outputs dropped in training.
    """

    def __init__(self, dim: int, *, attention: nn.Module, feed_forward: nn.Module, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(dim)
        self.attention = attention
        self.feed_forward_norm = nn.LayerNorm(dim)
        self.feed_forward = feed_forward
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Mixes the tokens by attention, then each by itself."""
        tokens = tokens + self.dropout(self.attention(self.attention_norm(tokens), mask, rotation))
        return tokens + self.dropout(self.feed_forward(self.feed_forward_norm(tokens)))
