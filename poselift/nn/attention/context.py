"""The one argument of every attention layer."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.nn.positions import rotate


@dataclass(frozen=True)
class AttentionContext:
    """A layer's tokens, and what it must know about them.

    Axes, here and in every mechanism:

    | axis | meaning |
    |---|---|
    | b | sequences in the batch |
    | n | tokens of a sequence; each is one query |
    | m | keys and values: the tokens of the memory, or without one the n tokens themselves |
    | d | width of a token |
    | h | heads |
    | c | width of a head, d / h |
    | r | channel pairs that the rotary code turns, c / 2 |

    Attributes:
        tokens: the sequence.
        mask: True where a token is present; None if all are.
        rotation: cosine and sine of the rotary position code (`poselift.nn.positions.RotaryTime`). Only mechanisms
            with `takes_rotation` use it.
        memory: the other sequence, for layers with `cross`.
        memory_mask: True where a token of the memory is present; None if all are.
    """

    tokens: Float[Tensor, "b n d"]
    mask: Bool[Tensor, "b n"] | None = None
    rotation: Float[Tensor, "b n r 2"] | None = None
    memory: Float[Tensor, "b m d"] | None = None
    memory_mask: Bool[Tensor, "b m"] | None = None

    @property
    def source(self) -> Float[Tensor, "b m d"]:
        """The sequence that keys and values come from."""
        return self.tokens if self.memory is None else self.memory

    @property
    def source_mask(self) -> Bool[Tensor, "b m"] | None:
        """The mask of the source."""
        return self.mask if self.memory is None else self.memory_mask

    @property
    def present(self) -> Bool[Tensor, "b m"]:
        """The mask of the source, as a tensor in any case."""
        if self.source_mask is not None:
            return self.source_mask
        return torch.ones(self.source.shape[:2], dtype=torch.bool, device=self.source.device)

    def allowed(self, causal: bool) -> Bool[Tensor, "b 1 n m"] | None:
        """True where a query may look, for all heads alike.

        It is None if all may.

        Each token may see itself, because a softmax over no key is NaN. A memory without any token leaves its rows
        empty; the layer then returns what it returns without a memory: the bias of its output projection.

        Args:
            causal: a token sees only itself and earlier tokens.
        """
        n, device = self.tokens.shape[1], self.tokens.device
        if self.memory is not None:
            return None if self.memory_mask is None else self.memory_mask[:, None, None].expand(-1, -1, n, -1)
        allowed = None
        if self.mask is not None:
            allowed = self.mask[:, None, None] | torch.eye(n, dtype=torch.bool, device=device)
        if causal:
            past = torch.ones(n, n, dtype=torch.bool, device=device).tril()
            allowed = past.expand(len(self.tokens), 1, -1, -1) if allowed is None else allowed & past
        return allowed

    def turn(
        self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]
    ) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h m c"]]:
        """Queries and keys turned by the rotary code.

        They stay as they are without a code, and with a memory, because the memory's positions are not known.
        """
        if self.rotation is None or self.memory is not None:
            return q, k
        return rotate(q, self.rotation), rotate(k, self.rotation)
