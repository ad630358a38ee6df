"""Convolutions over time."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from poselift.core.annotations import Share
from poselift.core.errors import InputError
from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded
from poselift.models.model_config import Depth, ModelConfig, Size


@dataclass(frozen=True, kw_only=True)
class TemporalConvolutionConfig(ModelConfig):
    """What builds a `TemporalConvolution`.

    Attributes:
        channels: width of each layer.
        depth: number of residual blocks; the receptive field is width^(depth + 1) frames.
        width: frames in a convolution; odd.
        causal: a frame sees only itself and the frames before it.
        dense: use undilated convolutions of the same receptive field (the paper's ablation).
        dropout: share of hidden units dropped in training.
    """

    channels: Size = 1024
    depth: Depth = 4
    width: Size = 3
    causal: bool = False
    dense: bool = False
    dropout: Share = 0.25

    def __post_init__(self) -> None:
        """Checks all values.

        Raises:
            InputError: a value is wrong, or `width` is even.
        """
        super().__post_init__()
        if self.width % 2 == 0:
            raise InputError(f"width={self.width} has no middle frame; choose an odd number")


class TemporalConvolution(Lifter):
    """Dilated convolutions over time (VideoPose3D: Pavllo et al. 2019, https://arxiv.org/abs/1811.11742).

    A convolution over `width` frames is followed by residual blocks. Block k has a convolution dilated by width^k and
    one over a single frame, each with batch norm, ReLU and dropout. The first and last frames of the window are
    repeated beyond its ends, as in the paper, and all frames come out at once.

    It differs from the paper in its input: `encode`'s rays, scores and masks, and the time between frames.
    """

    config: TemporalConvolutionConfig

    def __init__(self, config: TemporalConvolutionConfig) -> None:
        super().__init__(config)
        self.features = FrameFeatures(len(self.skeleton_in), config.channels)
        self.first = _Convolution(config, config.width, dilation=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                _Convolution(config, config.width, dilation=config.width ** (block + 1)),
                _Convolution(config, width=1, dilation=1),
            )
            for block in range(config.depth)
        )
        self.out = nn.Linear(config.channels, 3 * len(self.skeleton_out))

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """The joints of a batch of windows."""
        features = self.features(encoded)
        # In padding, repeat the clip's last frame before every layer, as beyond the window's end.
        last = encoded.valid.sum(1, keepdim=True).clamp(min=1) - 1
        index = torch.minimum(torch.arange(features.shape[1], device=features.device), last)[:, None]
        x = self.first(features.mT, index)  # (b, channels, t)
        for block in self.blocks:
            y = x  # (b, channels, t)
            for convolution in block.children():
                y = convolution(y, index)
            x = x + y
        return self.to_camera(self.out(x.mT), encoded)


class _Convolution(nn.Module):
    """Convolution over time, batch norm, ReLU and dropout.

    It keeps the number of frames.
    """

    def __init__(self, config: TemporalConvolutionConfig, width: int, dilation: int) -> None:
        super().__init__()
        channels = config.channels
        reach = (width - 1) * dilation
        self.padding = (reach, 0) if config.causal else (reach // 2, reach // 2)
        if config.dense:
            self.convolution = nn.Conv1d(channels, channels, reach + 1, bias=False)
        else:
            self.convolution = nn.Conv1d(channels, channels, width, dilation=dilation, bias=False)
        self.rest = nn.Sequential(nn.BatchNorm1d(channels), nn.ReLU(), nn.Dropout(config.dropout))

    def forward(self, x: Float[Tensor, "b c t"], index: Int[Tensor, "b 1 t"]) -> Float[Tensor, "b c t"]:
        """The next layer's frames, computed from the frames at `index`."""
        x = x.gather(2, index.expand_as(x))
        return self.rest(self.convolution(F.pad(x, self.padding, mode="replicate")))
