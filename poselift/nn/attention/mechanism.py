"""The interface of all attention mechanisms."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.context import AttentionContext


class Attention(nn.Module, ABC):
    """A layer that mixes tokens, and owns its projections.

    A masked token changes no other token. A layer refuses options that it cannot honour when it is built.
    A subclass implements `_attend`, and `_map` if it has an attention matrix.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees only itself and earlier tokens.
        cross: queries come from the tokens; keys and values come from a memory, as from decoder to encoder. The
            rotary code is then ignored.

    Attributes:
        can_be_causal: `causal` is possible.
        can_cross: `cross` is possible.
        takes_rotation: the rotary position code enters the scores. Other mechanisms need positions in their tokens.
        knows_order: the place of a token in the sequence matters. Otherwise permuted tokens give permuted results.
        over_joints: the mechanism also suits the joints of a frame, which have no order in time.
        normalised: each row of `attention_map` sums to 1, or to 0 where no key is allowed. Under the rotary code, those
            of `kernel` and `performer` do not.
        length: the number of tokens that the layer is built for; None for any number.

    Raises:
        InputError: `heads` does not divide `dim`, or the mechanism cannot be causal or look at a memory.
    """

    can_be_causal: ClassVar[bool] = True
    can_cross: ClassVar[bool] = True
    takes_rotation: bool = False
    knows_order: bool = False
    over_joints: ClassVar[bool] = True
    normalised: bool = True
    length: int | None = None

    def __init__(self, dim: int, heads: int, *, causal: bool = False, cross: bool = False) -> None:
        super().__init__()
        name = type(self).__name__
        if heads < 1 or dim % heads:
            raise InputError(f"a width of {dim} cannot be split into {heads} heads; choose heads that divide the width")
        if causal and cross:
            raise InputError(f"{name}: causal and cross exclude each other; choose one of the two")
        if causal and not self.can_be_causal:
            raise InputError(f"{name} mixes all tokens at once and cannot be causal; choose another mechanism")
        if cross and not self.can_cross:
            raise InputError(f"{name} works within one sequence and cannot look at a memory; choose another mechanism")
        self.dim, self.heads, self.causal, self.cross = dim, heads, causal, cross

    @classmethod
    def layers(cls, depth: int, dim: int, heads: int, **options: Any) -> list["Attention"]:
        """One module for each of `depth` layers.

        Mechanisms whose layers share something override it.
        """
        return [cls(dim, heads, **options) for _ in range(depth)]

    def forward(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        """Tokens after attention to each other, or to the memory.

        Raises:
            InputError: a memory is missing, or was not expected.
        """
        self._check(context)
        return self._attend(context)

    def attention_map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        """Weight of each key for each query, for figures and tests.

        Raises:
            InputError: the mechanism has no such matrix, or a memory is missing or was not expected.
        """
        self._check(context)
        return self._map(context)

    def penalty(self) -> Float[Tensor, ""] | None:
        """What training adds to its loss for this layer, or None."""
        return None

    @abstractmethod
    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        """The formula of the mechanism."""

    def _map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        raise InputError(f"{type(self).__name__} has no attention matrix to show; choose another mechanism")

    def _check(self, context: AttentionContext) -> None:
        if self.cross == (context.memory is None):
            wrong = "needs a memory; give one" if self.cross else "looks at no memory; build it with cross=True"
            raise InputError(f"{type(self).__name__} {wrong}")
