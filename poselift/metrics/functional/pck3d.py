"""The share of joints that are within a distance in 3D, in percent.

As in MPI-INF-3DHP's own evaluation (Mehta et al., "Monocular 3D human pose estimation in the wild using
improved CNN supervision", 3DV 2017): a joint is correct when its error is less than, not equal to, the
threshold, and the AUC is the mean of the PCK at 0, 5, ..., 150 mm. At 0 mm no joint is correct, so that a
perfect prediction has an AUC of 96.77.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.functional.position import joint_errors
from poselift.metrics.functional.terms import Terms, percent

PCK_THRESHOLD_MM = 150.0
AUC_THRESHOLDS_MM = tuple(range(0, 151, 5))


def correct_joints3d(
    pred: Float[Tensor, "*batch j 3"],
    target: Float[Tensor, "*batch j 3"],
    mask: Bool[Tensor, "*batch j"] | None = None,
    threshold_mm: float = PCK_THRESHOLD_MM,
) -> Terms:
    """100 for each joint nearer than the threshold, else 0; Terms of shape (*batch, j)."""
    errors = joint_errors(pred, target, mask)
    return Terms(percent(errors.values < threshold_mm, errors.values), errors.counts)


def pck3d(
    pred: Float[Tensor, "*batch j 3"],
    target: Float[Tensor, "*batch j 3"],
    mask: Bool[Tensor, "*batch j"] | None = None,
    threshold_mm: float = PCK_THRESHOLD_MM,
) -> Float[Tensor, ""]:
    """Percentage of correct keypoints in 3D: those nearer to their true place than the threshold.

    Formula: 100 times the share of joints that count with ‖p - t‖ < threshold.
    Source: Mehta et al., "Monocular 3D human pose estimation in the wild using improved CNN supervision", 3DV 2017.
    Range: percent, 0 to 100, higher is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: the root is always right in root-relative poses, and raises the number where it is counted; the official 14
        joints leave it out.

    Args:
        pred: metres, root-relative in MPI-INF-3DHP's protocol.
        target: metres.
        mask: True where a joint counts; all do if left out.
        threshold_mm: in millimetres.
    """
    return correct_joints3d(pred, target, mask, threshold_mm).mean()


def joint_auc3d(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Terms:
    """The percentage of the thresholds 0, 5, ..., 150 mm that each joint is within; Terms of shape (*batch, j)."""
    errors = joint_errors(pred, target, mask)
    thresholds = errors.values.new_tensor(AUC_THRESHOLDS_MM)
    values = errors.values[..., None]
    return Terms(percent(values < thresholds, values).mean(-1), errors.counts)


def auc3d(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, ""]:
    """Area under the curve of `pck3d` from 0 to 150 mm.

    Formula: the mean of `pck3d` at 0, 5, ..., 150 mm.
    Source: as for `pck3d`; the thresholds are those of the test set's own script.
    Range: percent, 0 to 96.77, higher is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: 31 thresholds, of which the first, 0 mm, is never met; leaving it out makes the number larger.

    Args:
        pred: metres.
        target: metres.
        mask: True where a joint counts; all do if left out.
    """
    return joint_auc3d(pred, target, mask).mean()
