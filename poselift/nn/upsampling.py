"""Temporal upsampling: from time tokens, each of several frames, back to frames."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

UPSAMPLING = ("layer", "interpolate")
"""How time tokens become frames again: one layer computes the frames of a token; or linear interpolation."""


def interpolate_frames(
    tokens: Float[Tensor, "b n d"], valid: Bool[Tensor, "b n"], frames: int
) -> Float[Tensor, "b n frames d"]:
    """Frames of each token, linearly between it and its neighbours.

    A token is in the middle of its frames.

    Args:
        tokens: each stands for `frames` frames in a row.
        valid: False for tokens that hold nothing; their neighbours' frames leave them out.
        frames: frames of a token.
    """
    place = (torch.arange(frames, device=tokens.device) + 0.5) / frames - 0.5
    weights = torch.stack((-place, 1 - place.abs(), place), -1).clamp(min=0).to(tokens.dtype)  # (frames, 3)
    near = F.pad(tokens, (0, 0, 1, 1))
    count = F.pad(valid.to(tokens.dtype), (1, 1))
    near = torch.stack((near[:, :-2], near[:, 1:-1], near[:, 2:]), 2)  # (b, n, 3, d)
    share = weights * torch.stack((count[:, :-2], count[:, 1:-1], count[:, 2:]), -1)[:, :, None]  # (b, n, frames, 3)
    return (share / share.sum(-1, keepdim=True).clamp(min=1e-6)) @ near
