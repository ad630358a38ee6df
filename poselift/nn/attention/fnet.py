"""FNet: tokens mixed by a Fourier transform."""

from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.nn.attention.attention import Attention


class FNetAttention(Attention):
    """The real part of a Fourier transform over tokens and channels (Lee-Thorp et al. 2021).

    https://arxiv.org/abs/2105.03824. No token looks at another by its content: a fixed transform lets all of them mix,
    and the feed-forward layers learn what to do with that. It has no parameters, and its heads say nothing.

        out = Re(F_tokens(F_channels(x)))

    Cost: n log n. It knows the tokens' places by itself, and no rotation can enter it. It cannot be causal, nor look at
    a memory of another length. It has no attention matrix.

    A masked token enters as zeros, so that what it holds changes nothing; that it is there does, as the length of the
    sequence sets the frequencies. A clip padded to another length is another transform.

    Deviation: divided by sqrt(n d), so that lengths of tokens stay as they are; the paper leaves that to the norm that
    follows, and a pre-norm block has none there.

    Args:
        dim: width of the tokens.
        heads: divides `dim`, and changes nothing.
        causal: refused.
        cross: refused.
    """

    can_be_causal: ClassVar[bool] = False
    can_cross: ClassVar[bool] = False
    knows_order = True
    knows_length = True

    def forward(  # noqa: D102 - the interface says it
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        self.source(tokens, memory)
        if mask is not None:
            tokens = tokens * mask[..., None]
        # No Fourier transform has numbers of 16 bits on every device.
        wide = tokens.to(torch.promote_types(tokens.dtype, torch.float32))
        return torch.fft.fft2(wide, norm="ortho").real.to(tokens.dtype)
