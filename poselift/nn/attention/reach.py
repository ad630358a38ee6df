"""Mechanisms that limit where a score function looks."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from jaxtyping import Float
from torch import Tensor

from poselift.core.choices import choose
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.scores import SCORES
from poselift.nn.attention.weighted import WeightedAttention


class ReachAttention(WeightedAttention):
    """Any score function and distribution, over some of the keys.

    A subclass implements `weigh`.

    All n m scores are computed: these mechanisms show an idea and do not save its cost.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        score: the score function, a name of `poselift.nn.attention.scores.SCORES`.
        distribution: from scores to weights, as in `PairwiseAttention`.
        alpha: of the distribution "entmax".
        options: `causal` and `cross` of `Attention`.

    Raises:
        InputError: an argument is out of range, or arguments exclude each other.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        score: str = "general",
        distribution: str = "softmax",
        alpha: float | None = None,
        **options: Any,
    ) -> None:
        super().__init__(dim, heads, **options)
        mechanism = choose("score function", score, SCORES)
        self.pairwise = mechanism(dim, heads, distribution=distribution, alpha=alpha, **options)
        self.takes_rotation = self.pairwise.takes_rotation and self.pairwise.turned_scores
        self.knows_order = self.knows_order or self.pairwise.knows_order
        self.normalised = self.pairwise.normalised

    @abstractmethod
    def weigh(self, context: AttentionContext, scores: Float[Tensor, "b h n m"]) -> Float[Tensor, "b h n m"]:
        """Weights of the keys within reach, 0 for all others."""

    def _weights_and_values(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n m"], Float[Tensor, "b h m c"]]:
        q, k, v = self.pairwise.project(context if self.takes_rotation else replace(context, rotation=None))
        return self.weigh(context, self.pairwise.scores(q, k)), v

    def _output(self, mixed: Float[Tensor, "b h n c"]) -> Float[Tensor, "b n d"]:
        return self.pairwise._output(mixed)
