"""Hierarchical attention: joints make limbs, limbs make a body."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import get_distribution
from poselift.nn.attention.heads import join_heads, split_heads
from poselift.nn.attention.weighted import WeightedAttention
from poselift.skeleton import get_skeleton

_LEG = {"hip", "knee", "ankle", "heel", "foot", "toe", "toes"}
_ARM = {"collar", "clavicle", "shoulder", "elbow", "wrist", "hand", "thumb"}
_HEAD = {"head", "nose", "eye", "ear"}


def limb_of(joint: str) -> str:
    """The limb of a joint: "left_leg", "head", ... or "trunk".

    Example:
        >>> limb_of("left_heel"), limb_of("nose"), limb_of("pelvis")
        ('left_leg', 'head', 'trunk')
    """
    side, *words = joint.split("_")
    if side in ("left", "right"):
        for part, names in (("leg", _LEG), ("arm", _ARM)):
            if names.intersection(words):
                return f"{side}_{part}"
    return "head" if _HEAD.intersection([side, *words]) else "trunk"


class HierarchicalAttention(WeightedAttention):
    """Attention pools joints to limbs, and limbs to a body.

    Each joint gets the mean of its limb and the body.

    Yang et al. 2016, https://aclanthology.org/N16-1174, where words make sentences and sentences a document. At each
    level the score u' tanh(W h + b), with a learned context vector u, gives the weights of the parts:

        limb_l = sum_(j in l) alpha_j v_j,   body = sum_l beta_l limb_l,   out_j = W (limb_l(j) + body) / 2

    The next level, time, is the lifter's attention over frames. The paper's recurrent encoder between the levels is
    left out, because the block around has a layer for it. Linear in the number of joints, except for the matrix. The
    rotary code is ignored.

    Tokens are all joints of a skeleton, in its order: use it as the lifter's `joint_attention`.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        skeleton: name of the skeleton; the names of its joints tell their limbs.
        distribution: from scores to weights, a name of `poselift.nn.attention.distributions.DISTRIBUTIONS`.
        alpha: of the distribution "entmax".
        options: `causal` and `cross` of `Attention`, which are refused.

    Raises:
        InputError: an argument is out of range, or the tokens are not the joints of the skeleton.
    """

    can_be_causal = False
    can_cross = False
    knows_order = True
    limbs: Tensor
    members: Tensor

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        skeleton: str = "cmu28",
        distribution: str = "softmax",
        alpha: float | None = None,
        **options: Any,
    ) -> None:
        super().__init__(dim, heads, **options)
        self.distribution = get_distribution(distribution, alpha)
        self.normalised = distribution != "sigmoid"
        joints = get_skeleton(skeleton).joints
        self.skeleton, self.length = skeleton, len(joints)
        self.limb_names = tuple(dict.fromkeys(map(limb_of, joints)))
        limbs = torch.tensor([self.limb_names.index(limb_of(joint)) for joint in joints])
        self.register_buffer("limbs", limbs, persistent=False)
        members = limbs == torch.arange(len(self.limb_names))[:, None]  # (limbs, joints)
        self.register_buffer("members", members, persistent=False)
        self.values = nn.Linear(dim, dim)
        self.joint_score = ContextScore(dim, heads)
        self.limb_score = ContextScore(dim, heads)
        self.out = nn.Linear(dim, dim)

    def _weights_and_values(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n n"], Float[Tensor, "b h n c"]]:
        tokens = context.tokens
        if tokens.shape[1] != self.length:
            raise InputError(
                f"hierarchical attention was built for the {self.length} joints of {self.skeleton} and got "
                f"{tokens.shape[1]} tokens; set skeleton to theirs, or choose another attention"
            )
        v = split_heads(self.values(tokens), self.heads)
        inside = self.members & context.present[:, None]  # (b, limbs, n)
        # (b, h, limbs, n): the weights of the joints in each limb
        scores = self.joint_score(tokens)[:, :, None].expand(-1, -1, len(self.limb_names), -1)
        alpha = self.distribution(scores, inside[:, None])
        limbs = join_heads(alpha.to(v.dtype) @ v)  # (b, limbs, d)
        # (b, h, 1, limbs): the weights of the limbs in the body
        beta = self.distribution(self.limb_score(limbs)[:, :, None], inside.any(-1)[:, None, None])
        return (alpha[:, :, self.limbs] + beta @ alpha) / 2, v


class ContextScore(nn.Module):
    """u' tanh(W h + b) with one context vector u a head."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(dim, dim)
        self.context = nn.Parameter(torch.empty(heads, dim // heads).uniform_(-1, 1) * (heads / dim) ** 0.5)

    def forward(self, tokens: Float[Tensor, "b n d"]) -> Float[Tensor, "b h n"]:
        """Score of each token."""
        hidden = self.hidden(tokens).tanh().unflatten(-1, self.context.shape)
        return (hidden * self.context).sum(-1).mT
