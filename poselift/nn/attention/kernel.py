"""Generalized kernel score."""

from dataclasses import replace
from typing import Any

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.choices import choose
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import divide_by_sum
from poselift.nn.attention.dot import DotAttention


def elu_features(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """elu(x) + 1 (Katharopoulos et al. 2020)."""
    return F.elu(x) + 1


def relu_features(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """relu(x) + 0.001 (Choromanski et al. 2020)."""
    return F.relu(x) + 1e-3


FEATURE_MAPS = {"elu": elu_features, "relu": relu_features}
"""Feature maps without negative values, by name."""


class KernelAttention(DotAttention):
    """phi(q)' phi(k), a kernel from features that are never negative.

    The default distribution divides these scores by their sum. That is linear attention (Katharopoulos et al. 2020,
    https://arxiv.org/abs/2006.16236, phi = elu + 1) and generalized attention (Choromanski et al. 2020,
    https://arxiv.org/abs/2009.14794, phi = relu + 0.001). Here all n m scores are computed, so that they can be seen
    and compared; `performer` multiplies in the other order and is linear in n.

    The rotary code turns the features, and in the numerator only, so that no denominator is near 0 (Su et al. 2021,
    https://arxiv.org/abs/2104.09864, equation 19): out_i = sum_j (R_i phi(q_i))' (R_j phi(k_j)) v_j / sum_j phi(q_i)'
    phi(k_j). Weights can then be negative, and their sum differs from 1. Other distributions than "proportional" take
    the turned scores.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        feature_map: phi, a name of `FEATURE_MAPS`.
        distribution: "proportional", or another as in `PairwiseAttention`.
        options: the other arguments of `PairwiseAttention`.
    """

    positive_scores = True
    turned_scores = False

    def __init__(
        self, dim: int, heads: int, *, feature_map: str = "elu", distribution: str = "proportional", **options: Any
    ) -> None:
        super().__init__(dim, heads, distribution=distribution, **options)
        self.features = choose("feature map", feature_map, FEATURE_MAPS)
        self._proportional = distribution == "proportional"

    def queries(self, q: Float[Tensor, "b h n c"]) -> Float[Tensor, "b h n c"]:
        """phi(q)."""
        return self.features(q)

    def keys(self, k: Float[Tensor, "b h m c"], mask: Bool[Tensor, "b m"] | None) -> Float[Tensor, "b h m c"]:
        """phi(k)."""
        return self.features(k)

    def _weights_and_values(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n m"], Float[Tensor, "b h m c"]]:
        if not self._proportional or context.rotation is None:
            return super()._weights_and_values(context)
        q, k, v = self.project(replace(context, rotation=None))
        turned = self.scores(*context.turn(q, k))
        allowed = context.allowed(self.causal)
        return divide_by_sum(turned, self.scores(q, k), allowed), v
