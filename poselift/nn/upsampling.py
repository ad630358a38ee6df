"""From time tokens, each of several frames, back to frames."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

UPSAMPLING = ("layer", "interpolate")
"""How time tokens become frames again: a layer gives each its own frames; or they are interpolated, linearly."""


def interpolated(
    tokens: Float[Tensor, "b n d"], valid: Bool[Tensor, "b n"], frames: int
) -> Float[Tensor, "b n frames d"]:
    """The frames of each token, between it and its neighbours; a token's place is the middle of its frames.

    Args:
        tokens: one for so many frames in a row.
        valid: False where a token says nothing; then its neighbours' frames are their own alone.
        frames: of a token.
    """
    place = (torch.arange(frames, device=tokens.device) + 0.5) / frames - 0.5
    weights = torch.stack((-place, 1 - place.abs(), place), -1).clamp(min=0).to(tokens.dtype)  # (frames, 3)
    near = F.pad(tokens, (0, 0, 1, 1))
    count = F.pad(valid.to(tokens.dtype), (1, 1))
    near = torch.stack((near[:, :-2], near[:, 1:-1], near[:, 2:]), 2)  # (b, n, 3, d)
    share = weights * torch.stack((count[:, :-2], count[:, 1:-1], count[:, 2:]), -1)[:, :, None]  # (b, n, frames, 3)
    return (share / share.sum(-1, keepdim=True).clamp(min=1e-6)) @ near
