"""What mechanisms have in common that limit where a score function looks."""

from abc import abstractmethod

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.choices import choose
from poselift.nn.attention.attention import Attention
from poselift.nn.attention.scores import SCORES


class ReachAttention(Attention):
    """Any score function and distribution, looking at less than everything. A subclass writes `weigh`.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        score: the score function, a name of `poselift.nn.attention.scores.SCORES`.
        distribution: from scores to weights, as in `PairwiseAttention`.
        alpha: of the distribution "entmax".
        causal: a token sees itself and those before it alone.
        cross: queries come from the tokens, keys and values from a memory of another length.

    Raises:
        InputError: an argument is out of range, or arguments do not go together.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        score: str = "general",
        distribution: str = "softmax",
        alpha: float | None = None,
        causal: bool = False,
        cross: bool = False,
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        mechanism = choose("score function", score, SCORES)
        self.pairwise = mechanism(dim, heads, distribution=distribution, alpha=alpha, causal=causal, cross=cross)
        self.takes_rotation = self.pairwise.takes_rotation
        self.knows_order = self.knows_order or self.pairwise.knows_order
        self.normalised = self.pairwise.normalised

    @abstractmethod
    def weigh(
        self,
        tokens: Float[Tensor, "b n d"],
        scores: Float[Tensor, "b h n m"],
        allowed: Bool[Tensor, "b n m"] | None,
    ) -> Float[Tensor, "b h n m"]:
        """The weights of the keys within reach; `allowed` is True where a token may look at all."""

    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Attends among the tokens, or from the tokens to the memory."""
        weights, v = self._weights_and_values(tokens, mask, rotation, memory, memory_mask)
        return self.pairwise.merge(weights.to(v.dtype) @ v)

    def attention_map(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        """The weight of each token (or each of the memory) for each token."""
        return self._weights_and_values(tokens, mask, rotation, memory, memory_mask)[0]

    def _weights_and_values(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None,
        rotation: Float[Tensor, "b n r 2"] | None,
        memory: Float[Tensor, "b m d"] | None,
        memory_mask: Bool[Tensor, "b m"] | None,
    ) -> tuple[Float[Tensor, "b h n m"], Float[Tensor, "b h m c"]]:
        q, k, v = self.pairwise.project(tokens, mask, rotation, memory, memory_mask)
        allowed = self.allowed(tokens, mask, memory, memory_mask)
        return self.weigh(tokens, self.pairwise.scores(q, k), allowed), v
