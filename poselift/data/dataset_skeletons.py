"""The lifter's joints that a dataset or a detector provides."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.skeleton import CMU28, Skeleton, get_skeleton


def joint_mask(name: str, skeleton: Skeleton = CMU28) -> Bool[Tensor, " j"]:
    """True for the joints of `skeleton` that the named skeleton has too.

    Raises:
        InputError: no skeleton has this name.

    Example:
        >>> int(joint_mask("coco17").sum())
        17
    """
    joints = get_skeleton(name).joints
    return torch.tensor([joint in joints for joint in skeleton.joints])


def shared_joints(source: Skeleton, target: Skeleton) -> tuple[list[int], list[int]]:
    """Indices of the common joints: in the source, and in the target."""
    names = [joint for joint in target.joints if joint in source.joints]
    return source.indices(names), target.indices(names)


def spread(values: Float[Tensor, "*b p c"], places: Sequence[int], joints: int, fill: float) -> Float[Tensor, "*b j c"]:
    """Values at their places among `joints`, with `fill` everywhere else."""
    spread_out = values.new_full((*values.shape[:-2], joints, values.shape[-1]), fill)
    spread_out[..., list(places), :] = values
    return spread_out


def convert_skeleton(
    values: Float[Tensor, "*b j c"], source: Skeleton, target: Skeleton, fill: float = torch.nan
) -> Float[Tensor, "*b k c"]:
    """Values of one skeleton in another, by joint name.

    Unlike `poselift.skeleton.convert` it derives no joint from others, because training and evaluation use measured
    joints only.

    Args:
        values: of the joints of `source`.
        source: skeleton of `values`.
        target: skeleton of the result.
        fill: value of the joints that the source lacks.
    """
    if source == target:
        return values
    shared, places = shared_joints(source, target)
    return spread(values[..., shared, :], places, len(target), fill)


_DROPPED = 0.25
"""Share of the joints that a window with more hidden joints hides."""


class SkeletonSampler:
    """Draws which joints a batch shows.

    In some windows it hides more of them.

    All windows of a batch share one skeleton, because joints that no window shows then cost no time.

    Args:
        shares: how often to draw each skeleton, by name.
        skeleton: the lifter's input skeleton.
        drop: share of windows that hide more joints, in all their frames.

    Raises:
        InputError: no skeleton has a share.
    """

    def __init__(self, shares: dict[str, float], skeleton: Skeleton = CMU28, drop: float = 0.15) -> None:
        if not sum(shares.values()):
            raise InputError("data.skeletons shows no skeleton; give at least one a share above 0")
        self._masks = torch.stack([joint_mask(name, skeleton) for name in shares])
        self._shares = torch.tensor(list(shares.values()), dtype=torch.float32)
        self.drop = drop

    def sample(self, count: int, generator: torch.Generator) -> Bool[Tensor, "b j"]:
        """For each window, True for the joints that it may show."""
        device = generator.device
        chosen = torch.multinomial(self._shares.to(device), 1, generator=generator)
        mask = self._masks.to(device)[chosen].expand(count, -1)
        hide = torch.rand(count, 1, generator=generator, device=device) < self.drop
        hidden = torch.rand(mask.shape, generator=generator, device=device) < _DROPPED
        return mask & ~(hide & hidden)

    def hide(
        self, keypoints: Float[Tensor, "b t j 2"], scores: Float[Tensor, "b t j"], generator: torch.Generator
    ) -> tuple[Float[Tensor, "b t j 2"], Float[Tensor, "b t j"]]:
        """Keypoints and scores of the drawn joints.

        The others have NaN and 0.
        """
        hidden = ~self.sample(len(keypoints), generator)[:, None]
        return keypoints.masked_fill(hidden[..., None], torch.nan), scores.masked_fill(hidden, 0.0)
