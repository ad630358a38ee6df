"""A residual network of linear layers for single frames."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.annotations import Share
from poselift.core.errors import InputError
from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded
from poselift.models.model_config import Depth, ModelConfig, Size


@dataclass(frozen=True, kw_only=True)
class SimpleBaselineConfig(ModelConfig):
    """What builds a `SimpleBaseline`.

    Attributes:
        dim: width of the layers.
        depth: number of residual blocks.
        dropout: share of hidden units dropped in training.
    """

    dim: Size = 1024
    depth: Depth = 2
    dropout: Share = 0.5


class SimpleBaseline(Lifter):
    """The simple yet effective baseline (Martinez et al. 2017, https://arxiv.org/abs/1705.03098).

    Each frame is lifted on its own: a linear layer, then residual blocks of two linear layers, each with batch norm,
    ReLU and dropout. It differs from the paper in two ways. Its input is `encode`'s rays, scores and masks instead of
    pixels normalised over the dataset, and its weights have no max-norm.
    """

    config: SimpleBaselineConfig

    def __init__(self, config: SimpleBaselineConfig) -> None:
        super().__init__(config)
        dim, dropout = config.dim, config.dropout
        self.features = FrameFeatures(len(self.skeleton_in), dim)
        self.first = _activation(dim, dropout)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Linear(dim, dim), *_activation(dim, dropout), nn.Linear(dim, dim), *_activation(dim, dropout)
            )
            for _ in range(config.depth)
        )
        self.out = nn.Linear(dim, 3 * len(self.skeleton_out))

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """The joints, each frame lifted on its own.

        Raises:
            InputError: in training, the batch has fewer than two valid frames.
        """
        if self.training and encoded.valid.sum() < 2:
            raise InputError("batch norm needs two frames in a batch; give a larger data.batch_size= or frames=")
        features = self.features(encoded)
        # (b, t, dim) -> (frames, dim): padding stays out of the statistics that batch norms collect in training.
        frames = self.first(features[encoded.valid] if self.training else features.flatten(0, 1))
        for block in self.blocks:
            frames = frames + block(frames)
        joints = self.out(frames)
        if not self.training:
            return self.to_camera(joints.view(*encoded.valid.shape, -1), encoded)  # (frames, c) -> (b, t, c)
        flat = joints.new_zeros(*encoded.valid.shape, joints.shape[-1])
        flat[encoded.valid] = joints  # (frames, 3 * j_out) -> (b, t, 3 * j_out)
        return self.to_camera(flat, encoded)


def _activation(dim: int, dropout: float) -> nn.Sequential:
    """The layers after each linear layer."""
    return nn.Sequential(nn.BatchNorm1d(dim), nn.ReLU(), nn.Dropout(dropout))
