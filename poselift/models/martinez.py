"""Frame by frame with a residual network of linear layers."""

from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.models.base import FrameFeatures, Lifter
from poselift.models.encoding import Encoded
from poselift.skeleton import CMU28, H36M17


class SimpleBaseline(Lifter):
    """The simple yet effective baseline (Martinez et al. 2017, https://arxiv.org/abs/1705.03098).

    Each frame by itself: a linear layer, then residual blocks of two linear layers, each with batch norm, ReLU and
    dropout. It differs from the paper in what goes in (`encode`'s rays, scores and masks instead of pixels
    normalised over the data set) and has no max-norm on its weights.

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out.
        dim: width of the layers.
        depth: residual blocks.
        dropout: share of hidden units dropped in training.
    """

    def __init__(
        self,
        skeleton_in: str = CMU28.name,
        skeleton_out: str = H36M17.name,
        dim: int = 1024,
        depth: int = 2,
        dropout: float = 0.5,
    ) -> None:
        super().__init__(skeleton_in, skeleton_out, dim=dim, depth=depth, dropout=dropout)
        self.features = FrameFeatures(len(self.skeleton_in), dim)
        self.first = _activation(dim, dropout)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Linear(dim, dim), *_activation(dim, dropout), nn.Linear(dim, dim), *_activation(dim, dropout)
            )
            for _ in range(depth)
        )
        self.out = nn.Linear(dim, 3 * len(self.skeleton_out))

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """Lifts each frame of a batch of windows."""
        if self.training and encoded.valid.sum() < 2:
            raise InputError("batch norm needs two frames in a batch; give a larger data.batch_size= or frames=")
        features = self.features(encoded)
        # (b, t, dim) -> (frames, dim): padding stays out of the statistics of the batch norms.
        frames = self.first(features[encoded.valid])
        for block in self.blocks:
            frames = frames + block(frames)
        joints = self.out(frames)
        flat = joints.new_zeros(*encoded.valid.shape, joints.shape[-1])
        flat[encoded.valid] = joints
        return self.to_camera(flat, encoded)


def _activation(dim: int, dropout: float) -> nn.Sequential:
    """What follows each linear layer."""
    return nn.Sequential(nn.BatchNorm1d(dim), nn.ReLU(), nn.Dropout(dropout))
