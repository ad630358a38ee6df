"""Training losses: pure functions of predicted and true joints, in metres."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.geometry import NEAREST_PERSON, root_from_rays
from poselift.skeleton import Skeleton, other_side

_MIN_JOINTS = 6
"""Visible joints that a frame needs to place its pose in the camera frame."""

COVERAGE = 0.9
"""Share of the cases in which a joint lies within its uncertainty."""


def _mean(values: Float[Tensor, "*n"], weights: Bool[Tensor, "*n"] | Float[Tensor, "*n"]) -> Float[Tensor, ""]:
    """Weighted mean; 0 if all weights are 0.

    An empty batch then has no gradient.
    """
    weights = weights.to(values.dtype)
    return (values * weights).sum() / weights.sum().clamp(min=1e-6)


def position_loss(
    predicted: Float[Tensor, "b t j 3"],
    target: Float[Tensor, "b t j 3"],
    mask: Bool[Tensor, "b t j"] | Float[Tensor, "b t j"],
) -> Float[Tensor, ""]:
    """Mean distance between joints, metres: MPJPE as a loss.

    Pavllo et al. 2019, https://arxiv.org/abs/1811.11742.

    Args:
        predicted: relative to the root joint.
        target: relative to the root joint; finite everywhere, also where `mask` is False.
        mask: True where a joint counts, or its weight.
    """
    return _mean((predicted - target).norm(dim=-1), mask)


def velocity_loss(
    predicted: Float[Tensor, "b t j 3"],
    target: Float[Tensor, "b t j 3"],
    mask: Bool[Tensor, "b t j"],
    times: Float[Tensor, "b t"],
) -> Float[Tensor, ""]:
    """Mean error of the joints' velocity, metres per second.

    Pavllo et al. 2019 take differences of neighbouring frames. Here they are divided by the time between the frames,
    because frame rates differ.
    """
    step = times.diff(dim=1).clamp(min=1e-3)[..., None, None]
    error = ((predicted - target).diff(dim=1) / step).norm(dim=-1)
    return _mean(error, mask[:, 1:] & mask[:, :-1])


def scale_free_loss(
    predicted: Float[Tensor, "b t j 3"], target: Float[Tensor, "b t j 3"], mask: Bool[Tensor, "b t j"]
) -> Float[Tensor, ""]:
    """N-MPJPE as a loss, metres.

    Each frame's prediction is scaled to fit best (Rhodin et al. 2018).
    """
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
    """Mean error of bone lengths, metres.

    Args:
        predicted: joints.
        target: joints.
        mask: True where a joint counts; a bone counts if both its ends do.
        bones: (parent, child) indices.
    """
    parents, children = torch.tensor(bones, device=predicted.device).T
    lengths = (predicted[:, :, children] - predicted[:, :, parents] + 1e-8).norm(dim=-1)
    true = (target[:, :, children] - target[:, :, parents]).norm(dim=-1)
    return _mean((lengths - true).abs(), mask[:, :, children] & mask[:, :, parents])


def uncertainty_loss(
    uncertainty: Float[Tensor, "b t j"],
    predicted: Float[Tensor, "b t j 3"],
    target: Float[Tensor, "b t j 3"],
    mask: Bool[Tensor, "b t j"] | Float[Tensor, "b t j"],
) -> Float[Tensor, ""]:
    """Quantile loss of joint errors, in logarithms (Koenker and Bassett 1978, https://doi.org/10.2307/1913643).

    The loss is smallest if the error of a joint is within its uncertainty in 90 % of the cases. Logarithms keep
    the quantile and give small and large errors the same weight. The predicted joints get no gradient.

    Args:
        uncertainty: of each joint, metres; a joint with 0, the root, does not count.
        predicted: joints.
        target: joints.
        mask: True where a joint counts, or its weight.
    """
    error = (predicted.detach() - target).norm(dim=-1)
    excess = error.clamp(min=1e-4).log() - uncertainty.clamp(min=1e-4).log()
    return _mean(torch.maximum(COVERAGE * excess, (COVERAGE - 1) * excess), mask * (uncertainty > 0))


def reprojection_loss(
    predicted: Float[Tensor, "b t j 3"], rays: Float[Tensor, "b t j 3"], weights: Float[Tensor, "b t j"]
) -> Float[Tensor, ""]:
    """Mean distance between projected and detected joints.

    It is in metres at the depth of the person.

    It trains on 2D without 3D: the root is placed where the pose fits its rays best. MotionBERT has this term for 2D
    data (Zhu et al. 2023, https://arxiv.org/abs/2210.06551), with the same weights and an orthographic camera.
    Distances are measured on the plane at depth 1 and multiplied by the depth of the root. That depth has no gradient:
    with one, a smaller person would always reduce the loss.

    Args:
        predicted: relative to the root joint, camera frame.
        rays: detected joints as rays with z = 1 (`poselift.geometry.pixels_to_rays`).
        weights: 0 where a joint was not detected; frames with fewer than six detected joints do not count.
    """
    seen = weights > 0
    seen = seen & (seen.sum(-1, keepdim=True) >= _MIN_JOINTS)
    weights = torch.where(seen, weights, 0.0)
    rays = torch.where(seen[..., None], rays, 0.0)
    root = root_from_rays(predicted, rays, weights)
    # A pose that fits its rays best upside down, as from an untrained lifter, would be behind the camera. It is moved
    # in front, to the middle of its rays, where its gradient helps.
    middle = (weights[..., None] * rays).sum(-2) / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    in_front = middle * root[..., 2:].detach().abs().clamp(min=NEAREST_PERSON)
    root = torch.where(root[..., 2:] > NEAREST_PERSON, root, in_front)
    depth = root[..., None, 2:].detach()
    placed = predicted + root[..., None, :]
    seen = seen & (placed[..., 2] > 0.5 * NEAREST_PERSON)
    plane = placed[..., :2] / placed[..., 2:].where(seen[..., None], 1.0)
    error = ((plane - rays[..., :2]) * depth).where(seen[..., None], 0.0)
    return _mean(error.norm(dim=-1), torch.where(seen, weights, 0.0))


def symmetry_loss(
    predicted: Float[Tensor, "b t j 3"], mask: Bool[Tensor, "b t"], skeleton: Skeleton
) -> Float[Tensor, ""]:
    """Mean difference between the lengths of left and right bones, metres.

    It needs no target. Cai et al. 2019, "Exploiting spatial-temporal relationships for 3D pose estimation via graph
    convolutional networks", https://doi.org/10.1109/ICCV.2019.00236, have its square among their terms.

    Args:
        predicted: joints.
        mask: True where a frame counts.
        skeleton: skeleton of the joints.
    """
    left = [bone for bone in skeleton.bones if bone[1].startswith("left_")]
    ends = [[skeleton.indices([*side]) for side in zip(*bones, strict=True)] for bones in (left, _mirrored(left))]
    (parents, children), (other_parents, other_children) = ends
    length = (predicted[:, :, children] - predicted[:, :, parents]).norm(dim=-1)
    other = (predicted[:, :, other_children] - predicted[:, :, other_parents]).norm(dim=-1)
    difference = (length - other).abs()
    return _mean(difference, mask[..., None].expand_as(difference))


def _mirrored(bones: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(other_side(parent), other_side(child)) for parent, child in bones]
