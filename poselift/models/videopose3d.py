"""Public checkpoints of VideoPose3D, beside our own lifters.

The network is as its authors wrote it, for evaluations.
"""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from poselift.skeleton import H36M17


class VideoPose3D(nn.Module):
    """Dilated convolutions over time (Pavllo et al. 2019, https://arxiv.org/abs/1811.11742, section 3).

    Our own `TemporalConvolution` has other inputs. This one is the paper's, and its modules have the names of the
    checkpoints that the authors publish (https://github.com/facebookresearch/VideoPose3D): 2D of 17 joints in shares of
    the picture's width, and 3D in metres.

    Args:
        widths: frames in the convolution of each block; their product is the receptive field.
        channels: width of each layer.
        causal: a frame sees only itself and the frames before it.
    """

    def __init__(self, widths: tuple[int, ...], channels: int, causal: bool = False) -> None:
        super().__init__()
        self.field = 1
        self._causal = causal
        self._steps: list[tuple[int, int]] = []  # frames that each block takes from the beginning and from the end
        convolutions, norms = [], []
        for number, width in enumerate(widths):
            before = (width - 1) * self.field if causal else (width - 1) * self.field // 2
            self._steps.append((before, (width - 1) * self.field - before))
            if number == 0:
                self.expand_conv = nn.Conv1d(2 * len(H36M17), channels, width, bias=False)
                self.expand_bn = nn.BatchNorm1d(channels)
            else:
                convolutions += [
                    nn.Conv1d(channels, channels, width, dilation=self.field, bias=False),
                    nn.Conv1d(channels, channels, 1, bias=False),
                ]
                norms += [nn.BatchNorm1d(channels), nn.BatchNorm1d(channels)]
            self.field *= width
        self.layers_conv, self.layers_bn = nn.ModuleList(convolutions), nn.ModuleList(norms)
        self.shrink = nn.Conv1d(channels, 3 * len(H36M17), 1)

    def forward(self, points: Float[Tensor, "b t 17 2"]) -> Float[Tensor, "b t 17 3"]:
        """The joints of all frames.

        The first and the last frame are repeated beyond the ends.
        """
        b, t = points.shape[:2]
        reach = self.field - 1
        before = reach if self._causal else reach // 2
        x = F.pad(points.flatten(2).mT, (before, reach - before), mode="replicate")  # (b, 34, t + reach)
        x = self.expand_bn(self.expand_conv(x)).relu()
        for block, (first, last) in enumerate(self._steps[1:]):
            residual = x[:, :, first : x.shape[2] - last]
            x = self.layers_bn[2 * block](self.layers_conv[2 * block](x)).relu()
            x = residual + self.layers_bn[2 * block + 1](self.layers_conv[2 * block + 1](x)).relu()
        return self.shrink(x).mT.reshape(b, t, -1, 3)

    @torch.no_grad()
    def lift(
        self, points: Float[Tensor, "t 17 2"], image_size: tuple[float, float], flip: bool = True
    ) -> Float[Tensor, "t 17 3"]:
        """The joints of one clip, metres, in the camera frame.

        Args:
            points: pixels, in the order of Human3.6M.
            image_size: width and height, pixels.
            flip: also lift the mirrored clip, and take the mean, as the paper does in its tests.
        """
        width, height = image_size
        shares = points / width * 2 - points.new_tensor([1.0, height / width])
        joints = self(shares[None])[0]
        if not flip:
            return joints
        other = list(H36M17.flip_indices)
        mirror = points.new_tensor([-1.0, 1.0])
        mirrored = self((shares * mirror)[None, :, other])[0][:, other] * points.new_tensor([-1.0, 1.0, 1.0])
        return (joints + mirrored) / 2


def build_videopose3d(weights: Mapping[str, Tensor], causal: bool = False) -> VideoPose3D:
    """The network with the weights of a checkpoint, such as pretrained_h36m_cpn.bin.

    Args:
        weights: by name.
        causal: it was trained with --causal, which the file does not say.

    Raises:
        KeyError, IndexError, RuntimeError, ValueError: it is another network.
    """
    network = VideoPose3D(*_shape(weights), causal=causal)
    network.load_state_dict(dict(weights))
    return network.eval()


def _shape(weights: Mapping[str, Tensor]) -> tuple[tuple[int, ...], int]:
    """The widths of the blocks, and the channels."""
    channels, joints, width = weights["expand_conv.weight"].shape
    if joints != 2 * len(H36M17):
        raise ValueError(f"its input has {joints} numbers a frame")
    widths = [width]
    while (key := f"layers_conv.{2 * len(widths) - 2}.weight") in weights:
        widths.append(weights[key].shape[2])
    if len(widths) > 1 and widths[1] == 2 * width + 1:
        raise ValueError("its convolutions are dense")
    return tuple(widths), channels
