"""Which of a lifter's joints a detector of some joint set would give."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.skeleton import CMU28, Skeleton, get_skeleton


def joint_mask(name: str, skeleton: Skeleton = CMU28) -> Bool[Tensor, " j"]:
    """True where a joint of the skeleton is one of the named set's too.

    Raises:
        InputError: there is no such joint set.
    """
    joints = get_skeleton(name).joints
    return torch.tensor([joint in joints for joint in skeleton.joints])


def shared_joints(source: Skeleton, target: Skeleton) -> tuple[list[int], list[int]]:
    """The places of the joints that both sets have: those in the source, and those in the target."""
    names = [joint for joint in target.joints if joint in source.joints]
    return source.indices(names), target.indices(names)


def spread(values: Float[Tensor, "*b p c"], places: Sequence[int], joints: int, fill: float) -> Float[Tensor, "*b j c"]:
    """Values of some joints put in their places among `joints`, with `fill` for the others."""
    spread_out = values.new_full((*values.shape[:-2], joints, values.shape[-1]), fill)
    spread_out[..., list(places), :] = values
    return spread_out


class SkeletonSampler:
    """Draws the joint set of a batch, and hides more joints in some of its windows.

    One set a batch and not a window: joints that no window has then cost no time.

    Args:
        shares: how often each joint set is drawn, by name.
        skeleton: the lifter's joints, of which some are seen.
        drop: share of windows in which further joints are hidden throughout.
        drop_rate: share of joints that are hidden in such a window.
    """

    def __init__(
        self, shares: dict[str, float], skeleton: Skeleton = CMU28, drop: float = 0.15, drop_rate: float = 0.25
    ) -> None:
        self._masks = torch.stack([joint_mask(name, skeleton) for name in shares])
        self._shares = torch.tensor(list(shares.values()), dtype=torch.float32)
        self.drop, self.drop_rate = drop, drop_rate

    def sample(self, count: int, generator: torch.Generator) -> Bool[Tensor, "b j"]:
        """For each window, True where a joint may be seen."""
        device = generator.device
        chosen = torch.multinomial(self._shares.to(device), 1, generator=generator)
        mask = self._masks.to(device)[chosen].expand(count, -1)
        hide = torch.rand(count, 1, generator=generator, device=device) < self.drop
        hidden = torch.rand(mask.shape, generator=generator, device=device) < self.drop_rate
        return mask & ~(hide & hidden)

    def hide(
        self, keypoints: Float[Tensor, "b t j 2"], scores: Float[Tensor, "b t j"], generator: torch.Generator
    ) -> tuple[Float[Tensor, "b t j 2"], Float[Tensor, "b t j"]]:
        """Keypoints and scores with only a drawn joint set left in them: NaN and 0 for the other joints."""
        hidden = ~self.sample(len(keypoints), generator)[:, None]
        return keypoints.masked_fill(hidden[..., None], torch.nan), scores.masked_fill(hidden, 0.0)
