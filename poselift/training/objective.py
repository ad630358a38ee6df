"""The training objective: a weighted sum of losses over one batch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.data.batches import Batch
from poselift.geometry import NEAREST_PERSON, pixels_to_rays
from poselift.losses import (
    bone_length_loss,
    position_loss,
    reprojection_loss,
    scale_free_loss,
    symmetry_loss,
    uncertainty_loss,
    velocity_loss,
)
from poselift.skeleton import H36M17, Skeleton

_NEWEST = 4
"""Frames at the end of a window that "newest" counts: those that a stream without lookahead shows."""

_BEYOND = 0.3
"""The weight of joints that Human3.6M-17 lacks (feet, hands, face): most depend on one that it has."""


def subtract_first(joints: Float[Tensor, "*batch k 3"], skeleton: Skeleton) -> Float[Tensor, "*batch k 3"]:
    """Joints relative to the first one, as in lifters' outputs.

    Data is relative to the pelvis.
    """
    return joints if skeleton.joints[0] == "pelvis" else joints - joints[..., :1, :]


@dataclass(frozen=True)
class LossInputs:
    """What a loss is computed from.

    Attributes:
        predicted: joints relative to the first one, camera frame, metres.
        target: the true ones; 0 where `mask` is False.
        mask: joints whose 3D is known.
        importance: of each joint.
        uncertainty: of the predicted joints, metres; None where the lifter gives none.
        batch: the windows.
        skeleton: of the predicted joints.
        seen: gives rays to the joints (x / z, y / z, 1) and their scores, from 3D where it is known, else from the
            keypoints.
    """

    predicted: Float[Tensor, "b t k 3"]
    target: Float[Tensor, "b t k 3"]
    mask: Bool[Tensor, "b t k"]
    importance: Float[Tensor, " k"]
    uncertainty: Float[Tensor, "b t k"] | None
    batch: Batch
    skeleton: Skeleton
    seen: Callable[[], tuple[Float[Tensor, "b t k 3"], Float[Tensor, "b t k"]]]


def _newest(given: LossInputs) -> Tensor:
    parts = given.predicted, given.target, given.mask * given.importance
    return position_loss(*(part[:, -_NEWEST:] for part in parts))


def _uncertainty(given: LossInputs) -> Tensor:
    if given.uncertainty is None:
        return given.predicted.new_zeros(())
    return uncertainty_loss(given.uncertainty, given.predicted, given.target, given.mask)


LOSSES: dict[str, Callable[[LossInputs], Tensor]] = {
    "position": lambda given: position_loss(given.predicted, given.target, given.mask * given.importance),
    "newest": _newest,
    "velocity": lambda given: velocity_loss(given.predicted, given.target, given.mask, given.batch.times),
    "scale_free": lambda given: scale_free_loss(given.predicted, given.target, given.mask),
    "bone_length": lambda given: bone_length_loss(
        given.predicted, given.target, given.mask, given.skeleton.bone_indices
    ),
    "uncertainty": _uncertainty,
    "reprojection": lambda given: reprojection_loss(given.predicted, *given.seen()),
    "symmetry": lambda given: symmetry_loss(given.predicted, given.batch.valid, given.skeleton),
}
"""The terms of the training loss by name; code of your own adds others (docs/extending.md)."""


class Objective:
    """The weighted sum of the losses of a batch.

    The first six losses count where 3D is known, "uncertainty" only if the lifter predicts it. "reprojection" counts
    where 2D or 3D is known, and "symmetry" everywhere, so that windows without 3D train the lifter too.

    Args:
        weights: of `LOSSES` by name; missing ones are 0.
        skeleton_in: of a batch's keypoints.
        skeleton_out: of the predicted joints.

    Raises:
        InputError: a loss is unknown, a weight is negative or no number, or all weights are 0.
    """

    def __init__(self, weights: Mapping[str, float | int], skeleton_in: Skeleton, skeleton_out: Skeleton) -> None:
        unknown = set(weights) - set(LOSSES)
        if unknown:
            raise InputError(f"no loss is called {', '.join(sorted(unknown))}; there are {', '.join(LOSSES)}")
        wrong = [name for name, weight in weights.items() if not isinstance(weight, float | int) or not weight >= 0]
        if wrong:
            raise InputError(f"loss.{wrong[0]}={weights[wrong[0]]} is not a weight; give a number that is not negative")
        self.weights = {name: float(weight) for name, weight in weights.items() if weight}
        if not self.weights:
            raise InputError(f"all weights of the loss are 0; give one of {', '.join(LOSSES)} a weight, as loss.NAME=1")
        self.skeleton = skeleton_out
        self._importance = torch.tensor([1.0 if joint in H36M17.joints else _BEYOND for joint in skeleton_out.joints])
        shared = [joint for joint in skeleton_out.joints if joint in skeleton_in.joints]
        self._shared_in, self._shared_out = skeleton_in.indices(shared), skeleton_out.indices(shared)

    def __call__(
        self, predicted: Float[Tensor, "b t k 3"], batch: Batch, uncertainty: Float[Tensor, "b t k"] | None = None
    ) -> dict[str, Tensor]:
        """Each loss by name, and their weighted sum as "loss"."""
        joints = subtract_first(batch.joints, self.skeleton)
        mask = joints.isfinite().all(-1) & batch.valid[..., None]
        target = joints.where(mask[..., None], 0.0)
        given = LossInputs(
            predicted,
            target,
            mask,
            self._importance.to(predicted),
            uncertainty,
            batch,
            self.skeleton,
            lambda: self._seen(batch),
        )
        values = {name: LOSSES[name](given) for name in self.weights}
        total = torch.stack([weight * values[name] for name, weight in self.weights.items()]).sum()
        return {**values, "loss": total}

    def _seen(self, batch: Batch) -> tuple[Float[Tensor, "b t k 3"], Float[Tensor, "b t k"]]:
        """Rays to the joints and their scores.

        True rays where 3D is known, else those of the keypoints.
        """
        b, t, k, _ = batch.joints.shape
        rays = batch.joints.new_full((b, t, k, 3), torch.nan)
        scores = batch.joints.new_zeros(b, t, k)
        pixels = batch.keypoints[:, :, self._shared_in].flatten(1, 2)
        rays[:, :, self._shared_out] = pixels_to_rays(pixels, batch.K, batch.distortion).unflatten(1, (t, -1))
        scores[:, :, self._shared_out] = batch.scores[:, :, self._shared_in]
        placed = batch.joints + batch.root[:, :, None]
        known = placed.isfinite().all(-1) & (placed[..., 2] > NEAREST_PERSON)
        rays = torch.where(known[..., None], placed / placed[..., 2:], rays)
        scores = torch.where(known, 1.0, scores)
        return rays, scores.where(rays.isfinite().all(-1) & batch.valid[..., None], 0.0)
