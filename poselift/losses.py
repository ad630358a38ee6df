"""Training losses: pure functions of predicted and true joints, in metres."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def _mean(values: Float[Tensor, "*n"], mask: Bool[Tensor, "*n"]) -> Float[Tensor, ""]:
    """Mean over what counts; 0 where nothing does, so that an empty batch has no gradient."""
    weights = mask.to(values.dtype)
    return (values * weights).sum() / weights.sum().clamp(min=1)


def position_loss(
    predicted: Float[Tensor, "b t j 3"], target: Float[Tensor, "b t j 3"], mask: Bool[Tensor, "b t j"]
) -> Float[Tensor, ""]:
    """Mean distance between joints, metres: MPJPE as a loss (Pavllo et al. 2019, https://arxiv.org/abs/1811.11742).

    Args:
        predicted: relative to the root joint.
        target: the same; its values do not matter where `mask` is False, but must be finite.
        mask: True where a joint counts.
    """
    return _mean((predicted - target).norm(dim=-1), mask)


def velocity_loss(
    predicted: Float[Tensor, "b t j 3"],
    target: Float[Tensor, "b t j 3"],
    mask: Bool[Tensor, "b t j"],
    times: Float[Tensor, "b t"],
) -> Float[Tensor, ""]:
    """Mean error of the joints' velocity, metres per second.

    The field takes differences of neighbouring frames (Pavllo et al. 2019); here they are divided by the time
    between them, as frame rates differ.
    """
    step = times.diff(dim=1).clamp(min=1e-3)[..., None, None]
    error = ((predicted - target).diff(dim=1) / step).norm(dim=-1)
    return _mean(error, mask[:, 1:] & mask[:, :-1])


def scale_free_loss(
    predicted: Float[Tensor, "b t j 3"], target: Float[Tensor, "b t j 3"], mask: Bool[Tensor, "b t j"]
) -> Float[Tensor, ""]:
    """N-MPJPE as a loss: each frame's prediction is scaled to fit best (Rhodin et al. 2018), metres."""
    weights = mask[..., None].to(predicted.dtype)
    overlap = (predicted * target * weights).sum((-1, -2), keepdim=True)
    power = (predicted.square() * weights).sum((-1, -2), keepdim=True).clamp(min=1e-8)
    return position_loss(overlap / power * predicted, target, mask)


def bone_length_loss(
    predicted: Float[Tensor, "b t j 3"],
    target: Float[Tensor, "b t j 3"],
    mask: Bool[Tensor, "b t j"],
    bones: tuple[tuple[int, int], ...],
) -> Float[Tensor, ""]:
    """Mean error of the bones' lengths, metres.

    Args:
        predicted: joints.
        target: joints.
        mask: True where a joint counts; a bone counts where both its ends do.
        bones: (parent, child) indices.
    """
    parents, children = torch.tensor(bones, device=predicted.device).T
    lengths = (predicted[:, :, children] - predicted[:, :, parents] + 1e-8).norm(dim=-1)
    true = (target[:, :, children] - target[:, :, parents]).norm(dim=-1)
    return _mean((lengths - true).abs(), mask[:, :, children] & mask[:, :, parents])
