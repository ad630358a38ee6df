"""Joint angles and their mean absolute error (MJAE)."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.elements import ElementValues, prepare
from poselift.metrics.mean import PairMetric
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
"""The three joints of each angle by its name; the angle is at the middle one."""


def angle_names(skeleton: Skeleton) -> tuple[str, ...]:
    """The names of the `ANGLES` whose joints a skeleton has.

    Raises:
        ValueError: it has none of the angles.
    """
    names = tuple(name for name, joints in ANGLES.items() if set(joints) <= set(skeleton.joints))
    if not names:
        raise ValueError(
            f"skeleton {skeleton.name} has none of the angles {', '.join(ANGLES)}; choose another skeleton"
        )
    return names


def joint_angles(points: Float[Tensor, "*batch j c"], skeleton: Skeleton) -> Float[Tensor, "*batch angles"]:
    """The angles of `angle_names(skeleton)`, radians.

    pi is a straight limb, 0 a folded one.

    Points in 2D give the angles in the picture. A limb without length has the angle 0.

    Raises:
        ValueError: the skeleton has none of the angles.
    """
    starts, middles, ends = zip(*(skeleton.indices(ANGLES[name]) for name in angle_names(skeleton)), strict=True)
    # A picture is the plane z = 0.
    points = torch.nn.functional.pad(points, (0, 3 - points.shape[-1]))
    first = points[..., starts, :] - points[..., middles, :]
    second = points[..., ends, :] - points[..., middles, :]
    # Not the arc cosine, which loses half its digits near a straight limb.
    return torch.atan2(torch.linalg.cross(first, second).norm(dim=-1), (first * second).sum(-1))


def angle_errors(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> ElementValues:
    """The absolute error of each angle, degrees.

    (*batch, angles) in the order of `angle_names`.

    An angle counts where its three joints do.

    Raises:
        ValueError: the skeleton has none of the angles.
    """
    pred, target, mask = prepare(pred, target, mask)
    errors = (joint_angles(pred, skeleton) - joint_angles(target, skeleton)).abs().rad2deg()
    seen = torch.stack([mask[..., skeleton.indices(ANGLES[name])].all(-1) for name in angle_names(skeleton)], -1)
    return ElementValues(errors, seen)


class MJAE(PairMetric):
    """Mean joint angle error.

    Formula: the mean of |a - b| over angles, a the angle at a joint between the limbs that meet there (`ANGLES`), b
        the true one.
    Source: Agarwal and Triggs, "Recovering 3D human pose from monocular images", PAMI 2006. They use the Euler angles
        of a body model; these angles are between limbs and need joint positions alone.
    Range: degrees, 0 to 180, lower is better.
    Unseen: an angle counts where its three joints do; NaN if none does.
    Traps: a limb can turn about its own axis or its parent's without a change of these angles. Tables compare only
        over the same angles, which depend on the skeleton. For points in 2D it is the angle in the picture.

    Args:
        skeleton: of the poses, which are in 2D or 3D, in any unit.
        keep: the number of angles, to keep their means apart.

    Raises:
        ValueError: in `update`, if the skeleton has none of the angles.

    Example:
        >>> import torch
        >>> from poselift.metrics import MJAE
        >>> from poselift.skeleton import H36M17
        >>> target = torch.randn(1, 17, 3, generator=torch.Generator().manual_seed(0))
        >>> metric = MJAE(H36M17)
        >>> metric.update(2 * target, target)
        >>> float(metric.compute()) < 1e-4
        True
    """

    higher_is_better = False
    element_values = staticmethod(angle_errors)

    def __init__(self, skeleton: Skeleton, keep: int | tuple[int, ...] = ()) -> None:
        super().__init__(keep, skeleton=skeleton)
