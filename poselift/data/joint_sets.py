"""Which of the corpus's joints a detector of some joint set would give."""

import torch
from jaxtyping import Bool
from torch import Tensor

from poselift.skeleton import CMU28, get_skeleton


def joint_mask(joint_set: str) -> Bool[Tensor, " 28"]:
    """True where a joint of the CMU corpus is one of the named set's too.

    Raises:
        InputError: there is no such joint set.
    """
    joints = get_skeleton(joint_set).joints
    return torch.tensor([joint in joints for joint in CMU28.joints])


class JointSetSampler:
    """Draws the joint set of a batch, and hides more joints in some of its windows.

    One set a batch and not a window: joints that no window has then cost no time.

    Args:
        shares: how often each joint set is drawn, by name.
        drop: share of windows in which further joints are hidden throughout.
        drop_rate: share of joints that are hidden in such a window.
    """

    def __init__(self, shares: dict[str, float], drop: float = 0.15, drop_rate: float = 0.25) -> None:
        self._masks = torch.stack([joint_mask(name) for name in shares])
        self._shares = torch.tensor(list(shares.values()), dtype=torch.float32)
        self.drop, self.drop_rate = drop, drop_rate

    def sample(self, count: int, generator: torch.Generator) -> Bool[Tensor, "b 28"]:
        """For each window, True where a joint may be seen."""
        device = generator.device
        chosen = torch.multinomial(self._shares.to(device), 1, generator=generator)
        mask = self._masks.to(device)[chosen].expand(count, -1)
        hide = torch.rand(count, 1, generator=generator, device=device) < self.drop
        hidden = torch.rand(mask.shape, generator=generator, device=device) < self.drop_rate
        return mask & ~(hide & hidden)
