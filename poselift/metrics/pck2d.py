"""PCK in 2D: joints within a part of the person's size."""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.elements import ElementValues, percent, prepare
from poselift.metrics.mean import PairMetric

PCK2D_ALPHA = 0.05
"""The part of the box's diagonal within which a joint is correct: 5 cm for each metre of the person's extent."""


def box_diagonal(
    points: Float[Tensor, "*batch j c"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch"]:
    """The diagonal of the box around the joints that count.

    It is 0 where fewer than two count.
    """
    points, _, mask = prepare(points, points, mask)
    counts = mask[..., None]
    highest, lowest = (points.where(counts, -sign * float("inf")) for sign in (1, -1))
    sides = highest.amax(-2) - lowest.amin(-2)
    return sides.where(mask.any(-1, keepdim=True), 0.0).norm(dim=-1)


def correct_pixels(
    pred: Float[Tensor, "*batch j 2"],
    target: Float[Tensor, "*batch j 2"],
    mask: Bool[Tensor, "*batch j"] | None = None,
    alpha: float = PCK2D_ALPHA,
) -> ElementValues:
    """100 for each joint near enough to its true one, else 0.

    Near is within `alpha` times the diagonal of the box around the true joints; (*batch, j).

    Poses whose box has no size do not count.

    Args:
        pred: pixels.
        target: pixels.
        mask: True where a joint counts; all joints count if it is left out.
        alpha: part of the diagonal.
    """
    pred, target, mask = prepare(pred, target, mask)
    size = box_diagonal(target, mask)[..., None]
    errors = (pred - target).norm(dim=-1)
    return ElementValues(percent(errors <= alpha * size, errors), mask & (size > 0))


class PCK2D(PairMetric):
    """Percentage of correct keypoints, by a person's size in the picture.

    Formula: 100 times the share of joints that count with ‖p - t‖ <= alpha · diagonal of the box around the true
        joints.
    Source: Yang and Ramanan, "Articulated human detection with flexible mixtures of parts", TPAMI 2013, who take the
        longer side of the box; the thesis takes the diagonal.
    Range: percent, 0 to 100, higher is better.
    Unseen: joints that do not count are left out, also of the box, and so are poses whose box has no size; NaN if
        nothing is left.
    Traps: the box shrinks where joints are unseen, and the threshold with it. Errors along the viewing direction do
        not show in a picture.

    Args:
        alpha: part of the diagonal.
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import PCK2D
        >>> target = torch.tensor([[[0.0, 0.0], [30.0, 40.0]]])  # a diagonal of 50 pixels
        >>> metric = PCK2D(alpha=0.1)
        >>> metric.update(target + torch.tensor([[[4.0, 0.0], [6.0, 0.0]]]), target)
        >>> float(metric.compute())
        50.0
    """

    higher_is_better = True
    element_values = staticmethod(correct_pixels)

    def __init__(self, alpha: float = PCK2D_ALPHA, keep: int | tuple[int, ...] = ()) -> None:
        super().__init__(keep, alpha=alpha)
