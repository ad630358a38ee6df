"""Joint angles and their mean absolute error (MJAE)."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.functional.terms import Terms, prepare
from poselift.skeleton import Skeleton

ANGLES = {
    f"{side}_{middle}": (f"{side}_{start}", f"{side}_{middle}", f"{side}_{end}")
    for side in ("left", "right")
    for start, middle, end in (
        ("shoulder", "elbow", "wrist"),
        ("hip", "shoulder", "elbow"),
        ("shoulder", "hip", "knee"),
        ("hip", "knee", "ankle"),
        ("knee", "ankle", "big_toe"),
    )
}
"""The angles that are measured: name to the three joints, the angle being at the middle one."""


def angle_names(skeleton: Skeleton) -> tuple[str, ...]:
    """Those of `ANGLES` whose joints a skeleton has.

    Raises:
        ValueError: it has none.
    """
    names = tuple(name for name, joints in ANGLES.items() if set(joints) <= set(skeleton.joints))
    if not names:
        raise ValueError(f"skeleton {skeleton.name} has the joints of none of the angles {', '.join(ANGLES)}")
    return names


def joint_angles(points: Float[Tensor, "*batch j c"], skeleton: Skeleton) -> Float[Tensor, "*batch angles"]:
    """The angles of `angle_names(skeleton)`, in radians: pi is a straight limb, 0 one folded onto itself.

    In 2D they are the angles in the picture. A limb without length counts as folded.

    Raises:
        ValueError: the skeleton has none of the angles.
    """
    starts, middles, ends = zip(*(skeleton.indices(ANGLES[name]) for name in angle_names(skeleton)), strict=True)
    # A picture is the plane z = 0.
    points = torch.nn.functional.pad(points, (0, 3 - points.shape[-1]))
    first = points[..., starts, :] - points[..., middles, :]
    second = points[..., ends, :] - points[..., middles, :]
    # By the tangent: the arc cosine loses half its digits near a straight limb.
    return torch.atan2(torch.linalg.cross(first, second).norm(dim=-1), (first * second).sum(-1))


def angle_errors(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Terms:
    """The absolute error of each angle, in degrees; Terms of shape (*batch, angles), as `angle_names` lists them.

    An angle counts where its three joints do.

    Raises:
        ValueError: the skeleton has none of the angles.
    """
    pred, target, mask = prepare(pred, target, mask)
    errors = (joint_angles(pred, skeleton) - joint_angles(target, skeleton)).abs().rad2deg()
    seen = torch.stack([mask[..., skeleton.indices(ANGLES[name])].all(-1) for name in angle_names(skeleton)], -1)
    return Terms(errors, seen)


def mjae(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Float[Tensor, ""]:
    """Mean joint angle error.

    Formula: the mean of |a - b| over angles, a the angle at a joint between the limbs that meet there (`ANGLES`), b
        the true one.
    Source: Agarwal and Triggs, "Recovering 3D human pose from monocular images", PAMI 2006. Theirs are the Euler
        angles of a body model; these are the angles between limbs, which need joint positions alone.
    Range: degrees, 0 to 180, lower is better.
    Unseen: an angle counts where its three joints do; NaN if none does.
    Traps: a limb can turn about its own axis or its parent's without any of these angles changing. Tables compare
        only over the same angles, and these depend on the joint set. Of points in 2D it is the angle in the picture.

    Args:
        pred: in 2D or 3D, in any unit.
        target: likewise.
        skeleton: the joint set of both.
        mask: True where a joint counts; all do if left out.

    Raises:
        ValueError: the skeleton has none of the angles.
    """
    return angle_errors(pred, target, skeleton, mask).mean()
