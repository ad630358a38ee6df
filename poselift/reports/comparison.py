"""A prediction and its truth in a protocol's joints.

Both are relative to its root.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.data.views import View
from poselift.geometry import project
from poselift.reports.protocols import Protocol
from poselift.skeleton import Skeleton

_HIPS = ("left_hip", "right_hip")
"""The joints whose middle is the root "hips", and replaces a missing pelvis."""


@dataclass(frozen=True)
class Comparison:
    """A predicted clip and the true one, both relative to the root.

    Attributes:
        pred: metres; zero where `mask` is False.
        target: metres; zero where `mask` is False.
        mask: True where a joint counts.
        skeleton: of both.
        fps: frames per second.
        place: the root in the camera frame, metres; NaN where the view does not know it.
        K: intrinsics, pixels.
    """

    pred: Float[Tensor, "t j 3"]
    target: Float[Tensor, "t j 3"]
    mask: Bool[Tensor, "t j"]
    skeleton: Skeleton
    fps: float
    place: Float[Tensor, "t 3"]
    K: Float[Tensor, "3 3"]

    def pixels(self) -> tuple[Float[Tensor, "t j 2"], Float[Tensor, "t j 2"], Bool[Tensor, "t j"]]:
        """Prediction and truth in the picture, and a mask.

        Both have the true root; the mask has the joints that count.

        The lens's distortion is left out on both sides. A predicted joint behind the camera is infinitely far away.
        """
        pred, target = (project(pose + self.place[:, None], self.K) for pose in (self.pred, self.target))
        mask = self.mask & target.isfinite().all(-1)
        return pred.nan_to_num(nan=torch.inf), target, mask


def compare(
    view: View, predicted: Float[np.ndarray, "t j 3"], skeleton: Skeleton, protocol: Protocol, partial: bool = False
) -> Comparison:
    """A prediction and its view in a protocol's joints.

    Both are relative to its root.

    A joint of the protocol that either skeleton lacks does not count. If one of them has no pelvis, both sides are
    relative to the middle of the hips.

    Args:
        view: the truth.
        predicted: metres, camera frame, relative to any point.
        skeleton: of `predicted`.
        protocol: decides which joints count.
        partial: whether the prediction leaves frames out on purpose: all their joints are NaN, and they do not count.

    Raises:
        InputError: the shapes of prediction and view differ, the prediction is NaN where the view is not, or a
            skeleton has no root.
    """
    if predicted.shape != (len(view), len(skeleton), 3):
        raise InputError(
            f"the prediction for view {view.name} has shape {predicted.shape}; for {len(view)} frames of "
            f"{skeleton.name} it must be ({len(view)}, {len(skeleton)}, 3)"
        )
    root = _root(view.skeleton, skeleton, protocol)
    target = _of_protocol(view, protocol, root)
    pred = _of_protocol(replace(view, joints=torch.from_numpy(predicted), skeleton=skeleton), protocol, root)
    counted = torch.tensor(
        [joint in protocol.joints and joint in skeleton.joints for joint in protocol.skeleton.joints]
    )
    mask = target.isfinite().all(-1) & counted
    if partial:
        mask = mask & torch.from_numpy(~np.isnan(predicted).all((1, 2)))[:, None]
    wrong = mask & ~pred.isfinite().all(-1)
    if wrong.any():
        joints = [name for name, bad in zip(protocol.skeleton.joints, wrong.any(0).tolist(), strict=True) if bad]
        raise InputError(
            f"the prediction for view {view.name} is NaN or infinite in {int(wrong.any(1).sum())} of its {len(view)} "
            f"frames ({', '.join(joints)}); predict every joint that counts"
        )
    return Comparison(
        pred.where(mask[..., None], 0.0),
        target.where(mask[..., None], 0.0),
        mask,
        protocol.skeleton,
        _fps(view),
        view.root.double() + _middle(view, root),
        view.K.double(),
    )


def _root(truth: Skeleton, predicted: Skeleton, protocol: Protocol) -> tuple[str, ...]:
    """The joints whose middle is the root of both sides.

    Other roots would shift every error.
    """
    candidates = {"pelvis": (("pelvis",), _HIPS), "hips": (_HIPS,)}.get(protocol.root, ((protocol.root,),))
    for root in candidates:
        if set(root) <= set(truth.joints) & set(predicted.joints):
            return root
    lacking = predicted if set(candidates[-1]) <= set(truth.joints) else truth
    raise InputError(
        f"skeleton {lacking.name} has no {protocol.root}, which is the root of protocol {protocol.name}; use data or "
        "predictions that have it"
    )


def _of_protocol(view: View, protocol: Protocol, root: tuple[str, ...]) -> Float[Tensor, "t j 3"]:
    """The protocol's joints relative to its root's middle; float64."""
    joints = view.joints.double() - _middle(view, root)[:, None]
    return replace(view, joints=joints).convert(view.keypoint_skeleton, protocol.skeleton).joints


def _middle(view: View, root: tuple[str, ...]) -> Float[Tensor, "t 3"]:
    """The middle of the protocol's root joints; float64.

    It is relative to the view's own root.
    """
    return view.joints.double()[:, view.skeleton.indices(root)].mean(1)


def _fps(view: View) -> float:
    """A view's frame rate, from the median step.

    It is 1 for a single frame.
    """
    steps = view.times.double().diff()
    return float(1 / steps.median()) if len(steps) else 1.0
