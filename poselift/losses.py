"""Training losses: pure functions of predicted and true joints, in metres."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.geometry import NEAREST_PERSON, root_from_rays
from poselift.skeleton import Skeleton, other_side

_MIN_JOINTS = 6
"""Joints that a frame must have for its pose to say where it stands."""


def _mean(values: Float[Tensor, "*n"], weights: Bool[Tensor, "*n"] | Float[Tensor, "*n"]) -> Float[Tensor, ""]:
    """Weighted mean; 0 where nothing counts, so that an empty batch has no gradient."""
    weights = weights.to(values.dtype)
    return (values * weights).sum() / weights.sum().clamp(min=1e-6)


def position_loss(
    predicted: Float[Tensor, "b t j 3"],
    target: Float[Tensor, "b t j 3"],
    mask: Bool[Tensor, "b t j"] | Float[Tensor, "b t j"],
) -> Float[Tensor, ""]:
    """Mean distance between joints, metres: MPJPE as a loss (Pavllo et al. 2019, https://arxiv.org/abs/1811.11742).

    Args:
        predicted: relative to the root joint.
        target: the same; its values do not matter where `mask` is False, but must be finite.
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


def uncertainty_loss(
    uncertainty: Float[Tensor, "b t j"],
    predicted: Float[Tensor, "b t j 3"],
    target: Float[Tensor, "b t j 3"],
    mask: Bool[Tensor, "b t j"] | Float[Tensor, "b t j"],
    coverage: float = 0.9,
) -> Float[Tensor, ""]:
    """Quantile loss of the logarithm of the joints' errors (Koenker and Bassett 1978, https://doi.org/10.2307/1913643).

    Smallest where a joint is within its radius in `coverage` of the cases. In logarithms, as the quantile of a rising
    function is that function of the quantile, so that small and large errors weigh alike. The joints themselves are
    not moved by it.

    Args:
        uncertainty: of each joint; a joint of radius 0, the root, does not count.
        predicted: joints.
        target: joints.
        mask: True where a joint counts, or its weight.
        coverage: share of the cases, 0 to 1.
    """
    error = (predicted.detach() - target).norm(dim=-1)
    excess = error.clamp(min=1e-4).log() - uncertainty.clamp(min=1e-4).log()
    return _mean(torch.maximum(coverage * excess, (coverage - 1) * excess), mask * (uncertainty > 0))


def reprojection_loss(
    predicted: Float[Tensor, "b t j 3"], rays: Float[Tensor, "b t j 3"], weights: Float[Tensor, "b t j"]
) -> Float[Tensor, ""]:
    """Mean distance between where joints are predicted to be seen and where they were seen, metres at the person.

    The root is where the pose fits its rays best, so that 2D without any 3D can teach (MotionBERT's term for 2D
    data, Zhu et al. 2023, https://arxiv.org/abs/2210.06551, which weights by the scores likewise; there the camera
    is orthographic). Distances are measured on the plane at depth 1 and multiplied by the root's depth; no
    gradient goes through that depth, or else a smaller person would always look better.

    Args:
        predicted: relative to the root joint, camera frame.
        rays: where the joints were seen, z = 1 (`poselift.geometry.pixels_to_rays`).
        weights: 0 where a joint was not seen; frames with fewer than `_MIN_JOINTS` seen do not count.
    """
    seen = weights > 0
    seen = seen & (seen.sum(-1, keepdim=True) >= _MIN_JOINTS)
    weights = torch.where(seen, weights, 0.0)
    rays = torch.where(seen[..., None], rays, 0.0)
    root = root_from_rays(predicted, rays, weights)
    # A pose that fits its rays best upside down, as an untrained one may, would stand behind the camera. It is put in
    # front, in the middle of its rays, from where it can learn.
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
    """Mean difference between the lengths of a bone and its partner on the other side, metres.

    Needs no target. One of the terms of Cai et al. 2019, "Exploiting spatial-temporal relationships for 3D pose
    estimation via graph convolutional networks", https://doi.org/10.1109/ICCV.2019.00236 (squared there).

    Args:
        predicted: joints.
        mask: True where a frame counts.
        skeleton: of the joints.
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
