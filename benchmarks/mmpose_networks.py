"""Networks of MMPose as lifters, trained and evaluated on the same data as ours.

    PYTHONPATH=. poselift train 'hydra.searchpath=[file://benchmarks/conf]' model=mmpose_motionbert ...
    PYTHONPATH=. poselift train 'hydra.searchpath=[file://benchmarks/conf]' model=mmpose_videopose3d ...

They need mmpose: bash tools/install_mmpose.sh. Network and head are MMPose's, with the options of its configs for
Human3.6M (https://github.com/open-mmlab/mmpose, configs/body_3d_keypoint). Three things differ. The input is that of
`encode`, with its camera context as further channels. The output is in metres. Loss and optimizer are those of
`poselift train`. `python -m benchmarks.lifters` evaluates them.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.detection.mmpose.compat import mmpose_imports
from poselift.models import MODELS, Encoded, Lifter, ModelConfig
from poselift.models.encoding import CONTEXT_CHANNELS
from poselift.skeleton import H36M17


@dataclass(frozen=True, kw_only=True)
class MotionBERTConfig(ModelConfig):
    """What builds a `MotionBERT`.

    Attributes:
        dim: width of a token (`feat_size`).
        depth: pairs of blocks in each of the two streams.
        heads: of each block.
        frames: in the longest window (`seq_len`).
    """

    dim: int = 512
    depth: int = 5
    heads: int = 8
    frames: int = 243


@dataclass(frozen=True, kw_only=True)
class VideoPose3DConfig(ModelConfig):
    """What builds a `VideoPose3D`.

    Attributes:
        channels: of each layer (`stem_channels`).
        depth: residual blocks; 3^(depth + 1) frames are seen.
        dropout: share of hidden units dropped in training.
    """

    channels: int = 1024
    depth: int = 4
    dropout: float = 0.25


class _Network(Lifter):
    """The base of both networks: Human3.6M-17 in and out.

    Args:
        config: what builds the model; the joints of h36m17 are taken from its input skeleton.

    Raises:
        InputError: the skeletons do not fit.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        lacking = [joint for joint in H36M17.joints if joint not in self.skeleton_in.joints]
        if lacking or self.skeleton_out != H36M17:
            raise InputError(
                f"{type(self).__name__} of mmpose lifts the joints of h36m17 to h36m17, not {config.skeleton_in} to "
                f"{config.skeleton_out}; set skeleton_in=cmu28 (or h36m17) and skeleton_out=h36m17"
            )
        self.places = [self.skeleton_in.index(joint) for joint in H36M17.joints]

    def inputs(self, encoded: Encoded) -> tuple[Float[Tensor, "b t 17 3"], Float[Tensor, "b t c"]]:
        """Coordinates and score of each joint, 0 where it was not seen, and the camera context of each frame.

        Padding repeats the last frame of the clip.
        """
        seen = encoded.mask[:, :, self.places, None].to(encoded.coordinates.dtype)
        joints = torch.cat((encoded.coordinates[:, :, self.places], encoded.scores[:, :, self.places, None]), -1) * seen
        last = encoded.valid.sum(1, keepdim=True).clamp(min=1) - 1
        index = torch.minimum(torch.arange(joints.shape[1], device=joints.device), last)
        joints = joints.gather(1, index[..., None, None].expand_as(joints))
        return joints, encoded.context[:, None].expand(-1, joints.shape[1], -1)


class MotionBERT(_Network):
    """MMPose's DSTFormer and its head (MotionBERT: Zhu et al. 2023, https://arxiv.org/abs/2210.06551).

    Each joint's channels are its coordinates, its score and the camera context.

    Args:
        config: what builds the model.

    Raises:
        InputError: mmpose is not installed, or the skeletons do not fit.
    """

    config: MotionBERTConfig

    def __init__(self, config: MotionBERTConfig) -> None:
        super().__init__(config)
        with mmpose_imports():
            _choose_mmpose()
            from mmpose.models.backbones import DSTFormer
            from mmpose.models.heads import MotionRegressionHead

            self.backbone: nn.Module = DSTFormer(
                in_channels=3 + CONTEXT_CHANNELS,
                feat_size=config.dim,
                depth=config.depth,
                num_heads=config.heads,
                mlp_ratio=2,
                num_keypoints=len(H36M17),
                seq_len=config.frames,
            )
            self.head: nn.Module = MotionRegressionHead(
                in_channels=config.dim, out_channels=3, embedding_size=config.dim
            )
            self.backbone.init_weights()
            self.head.init_weights()

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """The joints of a batch of windows.

        Raises:
            InputError: the windows are longer than `frames`.
        """
        joints, context = self.inputs(encoded)
        if joints.shape[1] > self.config.frames:
            raise InputError(
                f"a window has {joints.shape[1]} frames, but this MotionBERT takes {self.config.frames}; "
                f"set window={self.config.frames}, or train with a larger model.frames"
            )
        channels = torch.cat((joints, context[:, :, None].expand(-1, -1, joints.shape[2], -1)), -1)
        return self.to_camera(self.head(self.backbone(channels)).flatten(2), encoded)


class VideoPose3D(_Network):
    """MMPose's TCN and its head (VideoPose3D: Pavllo et al. 2019, https://arxiv.org/abs/1811.11742).

    The input has no scores. The first and last frames of the window are repeated beyond its ends, as in the paper, and
    all frames come out at once.

    Args:
        config: what builds the model.

    Raises:
        InputError: mmpose is not installed, or the skeletons do not fit.
    """

    config: VideoPose3DConfig

    def __init__(self, config: VideoPose3DConfig) -> None:
        super().__init__(config)
        with mmpose_imports():
            _choose_mmpose()
            from mmpose.models.backbones import TCN
            from mmpose.models.heads import TemporalRegressionHead

            self.backbone: nn.Module = TCN(
                in_channels=2 * len(H36M17) + CONTEXT_CHANNELS,
                stem_channels=config.channels,
                num_blocks=config.depth,
                kernel_sizes=(3,) * (config.depth + 1),
                dropout=config.dropout,
            )
            self.head: nn.Module = TemporalRegressionHead(in_channels=config.channels, num_joints=len(H36M17))
            self.backbone.init_weights()
            self.head.init_weights()
        self.reach = (3 ** (config.depth + 1) - 1) // 2
        """Frames seen on each side."""

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """The joints of a batch of windows."""
        joints, context = self.inputs(encoded)
        b, t = joints.shape[:2]
        frames = torch.cat((joints[..., :2].flatten(2), context), -1).mT  # (b, channels, t)
        features = self.backbone(F.pad(frames, (self.reach, self.reach), mode="replicate"))[-1]
        # (b, channels, t) -> (b * t, channels, 1): the head is made for windows that give a single frame.
        flat = self.head((features.mT.reshape(b * t, -1, 1),))
        return self.to_camera(flat.view(b, t, -1), encoded)


MODELS.update({MotionBERTConfig: MotionBERT, VideoPose3DConfig: VideoPose3D})


def _choose_mmpose() -> None:
    """Makes mmengine look for modules in mmpose, whatever a detector chose before in this process."""
    from mmengine.registry import init_default_scope

    init_default_scope("mmpose")
