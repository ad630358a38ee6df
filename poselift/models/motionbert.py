"""Public checkpoints of MotionBERT, beside our own lifters.

Its network with the names of its authors' parameters, for evaluations.
"""

from collections.abc import Mapping
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from poselift.skeleton import H36M17

_HEADS = 8
"""Of all its authors' configs; a checkpoint does not say it."""


class _SelfAttention(nn.Module):
    """Attention of all tokens of the second last axis among each other."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x: Float[Tensor, "b n s c"]) -> Float[Tensor, "b n s c"]:
        q, k, v = self.qkv(x).unflatten(-1, (3, _HEADS, -1)).movedim(3, 0).transpose(-2, -3)  # (3, b, n, heads, s, c)
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(-2, -3).flatten(-2))


class _FeedForward(nn.Module):
    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x: Float[Tensor, "*n c"]) -> Float[Tensor, "*n c"]:
        return self.fc2(F.gelu(self.fc1(x)))


class _SpaceTimeBlock(nn.Module):
    """Attention in space and in time, in one of the two orders."""

    def __init__(self, dim: int, hidden: int, order: Literal["st", "ts"]) -> None:
        super().__init__()
        self._order = order
        for axis in order:
            self.add_module(f"norm1_{axis}", nn.LayerNorm(dim, eps=1e-6))
            self.add_module(f"attn_{axis}", _SelfAttention(dim))
            self.add_module(f"norm2_{axis}", nn.LayerNorm(dim, eps=1e-6))
            self.add_module(f"mlp_{axis}", _FeedForward(dim, hidden))

    def forward(self, x: Float[Tensor, "b t j c"]) -> Float[Tensor, "b t j c"]:
        for axis in self._order:
            norm1, attend, norm2, feed = (
                self.get_submodule(f"{kind}_{axis}") for kind in ("norm1", "attn", "norm2", "mlp")
            )
            normed = norm1(x)
            x = x + (attend(normed) if axis == "s" else attend(normed.transpose(1, 2)).transpose(1, 2))
            x = x + feed(norm2(x))
        return x


class DSTformer(nn.Module):
    """Two streams of space-time blocks, weighted for each token.

    Zhu et al. 2023, https://arxiv.org/abs/2210.06551, section 3.2. One stream attends in space first, the other in time
    first. After each pair of blocks a linear layer of both outputs and a softmax give their weights (equation 5). The
    modules have the names of the checkpoints that the authors publish (https://github.com/Walter0807/MotionBERT).

    Args:
        dim: width of the tokens.
        hidden: width of the feed-forward layers.
        depth: pairs of blocks.
        rep: width of the layer before the last one.
        field: frames at most.
    """

    def __init__(self, dim: int, hidden: int, depth: int, rep: int, field: int) -> None:
        super().__init__()
        self.field = field
        self.joints_embed = nn.Linear(3, dim)
        self.pos_embed = nn.Parameter(torch.zeros(1, len(H36M17), dim))
        self.temp_embed = nn.Parameter(torch.zeros(1, field, 1, dim))
        self.blocks_st = nn.ModuleList(_SpaceTimeBlock(dim, hidden, "st") for _ in range(depth))
        self.blocks_ts = nn.ModuleList(_SpaceTimeBlock(dim, hidden, "ts") for _ in range(depth))
        self.ts_attn = nn.ModuleList(nn.Linear(2 * dim, 2) for _ in range(depth))
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.pre_logits = nn.ModuleDict({"fc": nn.Linear(dim, rep)})
        self.head = nn.Linear(rep, 3)

    def forward(self, points: Float[Tensor, "b t 17 3"]) -> Float[Tensor, "b t 17 3"]:
        """The joints of windows.

        Args:
            points: x and y in shares of the picture's width, -1 at its left edge and 1 at its right one, and the score.

        Returns:
            x, y and depth on the same scale.
        """
        x = self.joints_embed(points) + self.pos_embed + self.temp_embed[:, : points.shape[1]]
        for st, ts, weigh in zip(self.blocks_st, self.blocks_ts, self.ts_attn, strict=True):
            space, time = st(x), ts(x)
            weights = weigh(torch.cat((space, time), -1)).softmax(-1)
            x = weights[..., :1] * space + weights[..., 1:] * time
        return self.head(torch.tanh(self.pre_logits["fc"](self.norm(x))))

    @torch.no_grad()
    def lift(
        self,
        points: Float[Tensor, "t 17 2"],
        scores: Float[Tensor, "t 17"],
        image_size: tuple[float, float],
        flip: bool = True,
    ) -> Float[Tensor, "t 17 3"]:
        """The joints of one clip about the pelvis, in pixels.

        Depth is in pixels too. Windows follow each other, as in the authors' tests. The frames behind the last whole
        one come from a window that ends with the clip.

        Args:
            points: pixels, in the order of Human3.6M.
            scores: 0 to 1.
            image_size: width and height, pixels.
            flip: also lift the mirrored clip, and take the mean.
        """
        width, height = image_size
        shares = points / width * 2 - points.new_tensor([1.0, height / width])
        tokens = torch.cat((shares, scores[..., None]), -1)
        other, mirror = list(H36M17.flip_indices), points.new_tensor([-1.0, 1.0, 1.0])
        joints = torch.empty_like(tokens)
        for start in range(0, len(tokens), self.field):
            first = max(min(start, len(tokens) - self.field), 0)
            window = tokens[None, first : first + self.field]
            found = self(window)
            if flip:
                found = (found + self((window * mirror)[:, :, other])[:, :, other] * mirror) / 2
            joints[start : start + self.field] = found[0, start - first :]
        pelvis = joints[:, :1].clone()
        # Networks of the configs with `rootrel` put the pelvis at 0, the others where the picture has it.
        if pelvis[..., :2].abs().sum() < (pelvis[..., :2] - shares[:, :1]).abs().sum():
            joints[:, 0], pelvis = 0.0, torch.zeros_like(pelvis)
        return (joints - pelvis) * width / 2


def build_motionbert(weights: Mapping[str, Tensor]) -> DSTformer:
    """The network with the weights of a checkpoint.

    Raises:
        KeyError, IndexError, RuntimeError, ValueError: it is another network.
    """
    depth = sum(key.endswith(".norm1_s.weight") for key in weights if key.startswith("blocks_st."))
    rep, dim = weights["pre_logits.fc.weight"].shape
    if dim % _HEADS:
        raise ValueError(f"its tokens have {dim} numbers, which {_HEADS} heads do not share")
    hidden = weights["blocks_st.0.mlp_s.fc1.weight"].shape[0]
    network = DSTformer(dim, hidden, depth, rep, weights["temp_embed"].shape[1])
    network.load_state_dict(dict(weights))
    return network.eval()
