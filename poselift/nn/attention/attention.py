"""What every attention mechanism has in common."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError


class Attention(nn.Module, ABC):
    """Tokens and mask in, tokens out; the module owns its projections.

    A mask is True where a token is there; a token that is not is seen by none but itself, and changes nothing in
    the others. What a mechanism cannot honour it refuses when it is built.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: queries come from the tokens, keys and values from a memory of another length, as from decoder to
            encoder (surveys call it distinctive attention).

    Attributes:
        can_be_causal: whether `causal` is honoured.
        can_cross: whether `cross` is honoured.
        takes_rotation: the rotary position code enters the scores. A mechanism that ignores it needs the
            positions in its tokens. With `cross` it is ignored by all: the memory's positions are not known.
        knows_order: a token's place in the sequence matters. Where it does not, permuted tokens give the same
            result, permuted.
        knows_length: the number of tokens matters, masked ones counted: padding changes the result.
        over_joints: it makes sense over the joints of a frame, which do not follow each other in time.
        normalised: each row of `attention_map` sums to 1 (0 where nothing may be looked at).
        exact_map: the heads' outputs are `attention_map` times the values.
        length: the number of tokens it is built for; None for any.

    Raises:
        InputError: `heads` does not divide `dim`, or the mechanism cannot be causal or look at a memory.
    """

    can_be_causal: ClassVar[bool] = True
    can_cross: ClassVar[bool] = True
    takes_rotation: bool = False
    knows_order: bool = False
    knows_length: bool = False
    over_joints: ClassVar[bool] = True
    normalised: bool = True
    exact_map: ClassVar[bool] = True
    length: int | None = None

    def __init__(self, dim: int, heads: int, *, causal: bool = False, cross: bool = False) -> None:
        super().__init__()
        name = type(self).__name__
        if heads < 1 or dim % heads:
            raise InputError(f"a width of {dim} cannot be split into {heads} heads; choose a number that divides it")
        if causal and cross:
            raise InputError(f"{name}: a memory of another length has no order to be causal in; choose one of the two")
        if causal and not self.can_be_causal:
            raise InputError(f"{name} mixes all tokens at once and cannot be causal; choose another mechanism")
        if cross and not self.can_cross:
            raise InputError(f"{name} is among the tokens of one sequence and cannot look at a memory")
        self.dim, self.heads, self.causal, self.cross = dim, heads, causal, cross

    @classmethod
    def layers(cls, depth: int, dim: int, heads: int, **options: Any) -> list["Attention"]:
        """The modules of so many layers; overridden where layers share something."""
        return [cls(dim, heads, **options) for _ in range(depth)]

    @abstractmethod
    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Attends among the tokens, or from the tokens to the memory.

        Args:
            tokens: the sequence.
            mask: True where a token is there.
            rotation: cosine and sine of the rotary position code of each token (`poselift.nn.positions`);
                used by mechanisms with `takes_rotation`.
            memory: what is looked at, where the module was built with `cross`.
            memory_mask: True where a token of the memory is there.
        """

    def attention_map(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        """How much each token takes from each, for pictures and tests; the arguments of `forward`.

        Raises:
            InputError: the mechanism has no such matrix.
        """
        raise InputError(f"{type(self).__name__} has no attention matrix to show")

    def penalty(self) -> Float[Tensor, ""] | None:
        """What training adds to its loss for this mechanism; None for nothing."""
        return None

    def source(self, tokens: Float[Tensor, "b n d"], memory: Float[Tensor, "b m d"] | None) -> Float[Tensor, "b m d"]:
        """What is looked at: the memory of a module built with `cross`, else the tokens themselves.

        Raises:
            InputError: there is a memory that is not looked at, or none to look at.
        """
        if self.cross == (memory is None):
            wants = "needs a memory" if self.cross else "was built without cross=True and looks at no memory"
            raise InputError(f"{type(self).__name__} {wants}")
        return tokens if memory is None else memory

    def allowed(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None,
        memory: Float[Tensor, "b m d"] | None,
        memory_mask: Bool[Tensor, "b m"] | None,
    ) -> Bool[Tensor, "b n m"] | None:
        """True where a token may look; None where it may look anywhere.

        Each token may see itself, so that no row is empty: a softmax over nothing is NaN. Where a memory is all
        empty, every row is, and `forward` gives what no memory gives: zeros before the output projection.
        """
        n = tokens.shape[1]
        if self.cross:
            return None if memory_mask is None else memory_mask[:, None, :].expand(-1, n, -1)
        allowed = None
        if mask is not None:
            allowed = mask[:, None, :] | torch.eye(n, dtype=torch.bool, device=tokens.device)
        if self.causal:
            past = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()
            allowed = past.expand(len(tokens), -1, -1) if allowed is None else allowed & past
        return allowed
