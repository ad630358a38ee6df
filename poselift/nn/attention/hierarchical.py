"""Hierarchical attention: joints make limbs, limbs make a body."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.attention import Attention
from poselift.nn.attention.distributions import get_distribution
from poselift.skeleton import get_skeleton

_LEG = {"hip", "knee", "ankle", "heel", "foot", "toe", "toes"}
_ARM = {"collar", "clavicle", "shoulder", "elbow", "wrist", "hand", "thumb"}
_HEAD = {"head", "nose", "eye", "ear"}


def limb_of(joint: str) -> str:
    """The limb that a joint is in: "left_leg", "right_arm", ..., "head", or "trunk" for all the rest."""
    side, *words = joint.split("_")
    if side in ("left", "right"):
        for part, names in (("leg", _LEG), ("arm", _ARM)):
            if names.intersection(words):
                return f"{side}_{part}"
    return "head" if _HEAD.intersection([side, *words]) else "trunk"


class HierarchicalAttention(Attention):
    """Joints are pooled to limbs and limbs to a body, each by attention; a joint gets its limb's and the body's sum.

    Yang et al. 2016, https://aclanthology.org/N16-1174, where words make sentences and sentences a document. At each
    level a score u' tanh(W h + b), with a learned context vector u that asks what matters, becomes the weights of
    the parts: limb_l = sum_(j in l) alpha_j v_j and body = sum_l beta_l limb_l. The output of joint j is
    (limb_l(j) + body) / 2, so that the levels come down to the joints again, as this interface asks; the next level,
    time, is the lifter's attention over frames. The paper's recurrent encoder between the levels is left out: the
    block around has a layer for it. Linear in the number of joints but for the map. The rotary code is ignored.

    Tokens are the joints of a skeleton, all of them, in its order. So it goes into the lifter's `joint_attention`.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        skeleton: name of the joint set; its joints' names say which limb they are in.
        distribution: from scores to weights, one of `poselift.nn.attention.distributions.DISTRIBUTIONS`.
        alpha: of the distribution "entmax".
        causal: refused: joints have no order.
        cross: refused.

    Raises:
        InputError: an argument is out of range, or tokens are not the skeleton's joints.
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
        causal: bool = False,
        cross: bool = False,
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if distribution == "proportional":
            raise InputError("hierarchical attention: its scores can be negative, and proportional weights cannot")
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

    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Gives each joint what its limb and the body are made of."""
        weights, v = self._weights_and_values(self.source(tokens, memory), mask)
        return self.out((weights.to(v.dtype) @ v).transpose(1, 2).flatten(2))

    def attention_map(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n n"]:
        """How much each joint takes from each, through its limb and through the body."""
        return self._weights_and_values(self.source(tokens, memory), mask)[0]

    def _weights_and_values(
        self, tokens: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n"] | None
    ) -> tuple[Float[Tensor, "b h n n"], Float[Tensor, "b h n c"]]:
        b, n, _ = tokens.shape
        if n != self.length:
            raise InputError(
                f"hierarchical attention is over the {self.length} joints of {self.skeleton}, not {n} tokens; "
                "choose their skeleton, or another attention"
            )
        present = tokens.new_ones(b, n, dtype=torch.bool) if mask is None else mask
        v = self.values(tokens).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        inside = self.members & present[:, None]  # (b, limbs, n)
        # (b, heads, limbs, n): the weights of the joints in each limb
        scores = self.joint_score(tokens)[:, :, None].expand(-1, -1, len(self.limb_names), -1)
        alpha = self.distribution(scores, inside[:, None])
        limbs = (alpha.to(v.dtype) @ v).transpose(1, 2).flatten(2)  # (b, limbs, d)
        # (b, heads, 1, limbs): the weights of the limbs in the body
        beta = self.distribution(self.limb_score(limbs)[:, :, None], inside.any(-1)[:, None, None])
        return (alpha[:, :, self.limbs] + beta @ alpha) / 2, v


class ContextScore(nn.Module):
    """u' tanh(W h + b) with a context vector u for each head."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(dim, dim)
        self.context = nn.Parameter(torch.empty(heads, dim // heads).uniform_(-1, 1) * (heads / dim) ** 0.5)

    def forward(self, tokens: Float[Tensor, "b n d"]) -> Float[Tensor, "b heads n"]:
        """The score of each token."""
        hidden = self.hidden(tokens).tanh().unflatten(-1, self.context.shape)
        return (hidden * self.context).sum(-1).mT
