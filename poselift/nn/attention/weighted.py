"""Attention that computes its matrix of weights."""

from abc import abstractmethod

from jaxtyping import Float
from torch import Tensor, nn

from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.heads import join_heads
from poselift.nn.attention.mechanism import Attention


class WeightedAttention(Attention):
    """out = W_out (weights values).

    A subclass implements `_weights_and_values` and has a projection `out`.

    The arguments are those of `Attention`. Time and memory grow with n m.
    """

    out: nn.Linear

    @abstractmethod
    def _weights_and_values(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n m"], Float[Tensor, "b h m c"]]:
        """How much each query takes from each key, and the values."""

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        weights, v = self._weights_and_values(context)
        return self._output(weights.to(v.dtype) @ v)

    def _map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        return self._weights_and_values(context)[0]

    def _output(self, mixed: Float[Tensor, "b h n c"]) -> Float[Tensor, "b n d"]:
        return self.out(join_heads(mixed))
