"""Attention that compares each query with each key: a score function, then a distribution."""

from abc import abstractmethod

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.attention import Attention
from poselift.nn.attention.distributions import get_distribution
from poselift.nn.positions import rotate


class PairwiseAttention(Attention):
    """softmax_j(a(q_i, k_j)) v_j over several heads, for a score function a.

    Queries, keys and values are linear projections of the tokens, as in Vaswani et al. 2017
    (https://arxiv.org/abs/1706.03762), whatever the score: so that score functions can be compared, all else
    equal. A subclass writes `scores`. Time and memory grow with n m.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        distribution: from scores to weights, one of `poselift.nn.attention.distributions.DISTRIBUTIONS`.
        alpha: of the distribution "entmax", from 1 (softmax) to 2 (sparsemax).
        causal: a token sees itself and those before it alone.
        cross: queries come from the tokens, keys and values from a memory of another length.

    Raises:
        InputError: an argument is out of range, or arguments do not go together.
    """

    positive_scores: bool = False
    """Scores are never negative, so that they can be weights as they are."""

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        distribution: str = "softmax",
        alpha: float | None = None,
        causal: bool = False,
        cross: bool = False,
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        self.distribution = get_distribution(distribution, alpha)
        if distribution == "proportional" and not self.positive_scores:
            raise InputError(f"{type(self).__name__}: its scores can be negative, and proportional weights cannot")
        self.normalised = distribution != "sigmoid"
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    @abstractmethod
    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The score of each key for each query."""

    def queries(self, q: Float[Tensor, "b h n c"]) -> Float[Tensor, "b h n c"]:
        """What is done to queries before they are turned by their positions and compared."""
        return q

    def keys(self, k: Float[Tensor, "b h m c"], present: Bool[Tensor, "b m"] | None) -> Float[Tensor, "b h m c_key"]:
        """What is done to keys before; `present` is True where a token is there."""
        return k

    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Attends among the tokens, or from the tokens to the memory."""
        weights, v = self.weights_and_values(tokens, mask, rotation, memory, memory_mask)
        return self.merge(weights.to(v.dtype) @ v)

    def attention_map(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        """The weight of each token (or each of the memory) for each token."""
        return self.weights_and_values(tokens, mask, rotation, memory, memory_mask)[0]

    def weights_and_values(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None,
        rotation: Float[Tensor, "b n r 2"] | None,
        memory: Float[Tensor, "b m d"] | None,
        memory_mask: Bool[Tensor, "b m"] | None,
    ) -> tuple[Float[Tensor, "b h n m"], Float[Tensor, "b h m c"]]:
        """How much each token takes from each, and of what."""
        q, k, v = self.project(tokens, mask, rotation, memory, memory_mask)
        allowed = self.allowed(tokens, mask, memory, memory_mask)
        return self.distribution(self.scores(q, k), None if allowed is None else allowed[:, None]), v

    def project(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None,
        rotation: Float[Tensor, "b n r 2"] | None,
        memory: Float[Tensor, "b m d"] | None,
        memory_mask: Bool[Tensor, "b m"] | None,
    ) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h m c_key"], Float[Tensor, "b h m c"]]:
        """Queries, keys and values of all heads; queries and keys turned by their positions."""
        source, d = self.source(tokens, memory), self.dim
        if source is tokens:
            # (b, n, 3 d) -> 3 x (b, heads, n, d / heads)
            q, k, v = self.qkv(tokens).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        else:
            q = F.linear(tokens, self.qkv.weight[:d], self.qkv.bias[:d]).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            kv = F.linear(source, self.qkv.weight[d:], self.qkv.bias[d:])
            k, v = kv.unflatten(-1, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k = self.queries(q), self.keys(k, memory_mask if self.cross else mask)
        if rotation is not None and self.takes_rotation and not self.cross:
            q, k = rotate(q, rotation), rotate(k, rotation)
        return q, k, v

    def merge(self, mixed: Float[Tensor, "b h n c"]) -> Float[Tensor, "b n d"]:
        """The heads side by side, through the output projection."""
        return self.out(mixed.transpose(1, 2).flatten(2))


def head_weights(heads: int, rows: int, columns: int) -> nn.Parameter:
    """A matrix a head, (heads, rows, columns), that starts as the weights of `nn.Linear(columns, rows)` do."""
    return nn.Parameter(torch.empty(heads, rows, columns).uniform_(-(columns**-0.5), columns**-0.5))
