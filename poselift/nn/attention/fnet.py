"""FNet: tokens mixed by a Fourier transform."""

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.mechanism import Attention


class FNetAttention(Attention):
    """Real part of a Fourier transform over tokens and channels.

    Source: Lee-Thorp et al. 2021, https://arxiv.org/abs/2105.03824. A fixed transform mixes all tokens whatever they
    hold; the feed-forward layers learn to use the result. It has no parameters and no attention matrix.

        out = Re(F_tokens(F_channels(x)))

    Cost: n log n. It knows the places of the tokens, and ignores the rotary code. `heads` must divide `dim`, but
    changes nothing.

    Masked tokens enter as zeros, so their values do not matter. Their number does: the length of the sequence sets the
    frequencies, so padding changes the result.

    Deviation: the transform is divided by sqrt(n d), which keeps the size of the tokens. The paper leaves that to the
    norm that follows; a pre-norm block has none there.

    The arguments are those of `Attention`; `causal` and `cross` are refused.
    """

    can_be_causal: ClassVar[bool] = False
    can_cross: ClassVar[bool] = False
    knows_order = True

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        tokens = context.tokens if context.mask is None else context.tokens * context.mask[..., None]
        # Not every device can transform numbers of 16 bits.
        wide = tokens.to(torch.promote_types(tokens.dtype, torch.float32))
        return torch.fft.fft2(wide, norm="ortho").real.to(tokens.dtype)
