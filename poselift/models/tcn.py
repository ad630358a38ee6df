"""Convolutions over time."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded
from poselift.skeleton import CMU28, H36M17


class TemporalConvolution(Lifter):
    """Dilated convolutions over time (VideoPose3D: Pavllo et al. 2019, https://arxiv.org/abs/1811.11742).

    A convolution over `width` frames, then residual blocks of a convolution dilated by width^k and one over a
    single frame, each with batch norm, ReLU and dropout. Beyond both ends of the window its first and last frames
    are repeated, as in the paper, and all frames come out at once. Five widths of 3 see 243 frames.

    It differs from the paper in what goes in: `encode`'s rays, scores and masks, and the time between frames.

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out.
        channels: of each layer.
        depth: residual blocks; width^(depth + 1) frames are seen.
        width: frames in a convolution; odd.
        causal: a frame sees itself and those before it alone.
        dense: convolutions over all frames between, instead of dilated ones (the paper's ablation).
        dropout: share of hidden units dropped in training.
    """

    def __init__(
        self,
        skeleton_in: str = CMU28.name,
        skeleton_out: str = H36M17.name,
        channels: int = 1024,
        depth: int = 4,
        width: int = 3,
        causal: bool = False,
        dense: bool = False,
        dropout: float = 0.25,
    ) -> None:
        super().__init__(
            skeleton_in,
            skeleton_out,
            channels=channels,
            depth=depth,
            width=width,
            causal=causal,
            dense=dense,
            dropout=dropout,
        )
        self.features = FrameFeatures(len(self.skeleton_in), channels)
        self.first = _Convolution(channels, width, 1, causal, dense, dropout)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                _Convolution(channels, width, width ** (block + 1), causal, dense, dropout),
                _Convolution(channels, 1, 1, causal, dense, dropout),
            )
            for block in range(depth)
        )
        self.out = nn.Linear(channels, 3 * len(self.skeleton_out))

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """Lifts a batch of windows."""
        features = self.features(encoded)
        # Padding repeats the last frame of the clip before every layer, as the convolutions do beyond the window.
        last = encoded.valid.sum(1, keepdim=True).clamp(min=1) - 1
        index = torch.minimum(torch.arange(features.shape[1], device=features.device), last)[:, None]
        x = self.first(features.mT, index)  # (b, channels, t)
        for block in self.blocks:
            y = x
            for convolution in block.children():
                y = convolution(y, index)
            x = x + y
        return self.to_camera(self.out(x.mT), encoded)


class _Convolution(nn.Module):
    """Convolution over time, batch norm, ReLU and dropout; as many frames out as in."""

    def __init__(self, channels: int, width: int, dilation: int, causal: bool, dense: bool, dropout: float) -> None:
        super().__init__()
        reach = (width - 1) * dilation
        self.padding = (reach, 0) if causal else (reach // 2, reach // 2)
        if dense:
            self.convolution = nn.Conv1d(channels, channels, reach + 1, bias=False)
        else:
            self.convolution = nn.Conv1d(channels, channels, width, dilation=dilation, bias=False)
        self.rest = nn.Sequential(nn.BatchNorm1d(channels), nn.ReLU(), nn.Dropout(dropout))

    def forward(self, x: Float[Tensor, "b c t"], index: Int[Tensor, "b 1 t"]) -> Float[Tensor, "b c t"]:
        """The next layer's frames from those at `index`."""
        x = x.gather(2, index.expand_as(x))
        return self.rest(self.convolution(F.pad(x, self.padding, mode="replicate")))
