"""The poses of smallest, median and largest error."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor

from poselift.data.views import View
from poselift.metrics import scale_align
from poselift.reports.comparison import compare
from poselift.reports.evaluation import ViewScore
from poselift.reports.protocols import Protocol
from poselift.skeleton import Skeleton

KINDS = ("best", "median", "worst")

_DIGITS = 4
"""Of a metre: a tenth of a millimetre."""


def example_poses(
    views: Sequence[View],
    predicted: Mapping[str, Float[np.ndarray, "_t _j 3"]],
    scores: Sequence[ViewScore],
    skeleton: Skeleton,
    protocol: Protocol,
    *,
    lengths: bool = True,
    partial: bool = False,
) -> list[dict[str, Any]]:
    """The part "poses" of `metrics.json`.

    One pose of each of `KINDS`, by the mean joint error of the frame.

    Args:
        views: the truth.
        predicted: by view, as given to `score_view`.
        scores: of the views, in their order; a frame of them counts.
        skeleton: of `predicted`.
        protocol: decides which joints count.
        lengths: whether `predicted` is in metres; if not, it is scaled to the truth.
        partial: whether `predicted` leaves frames out on purpose.
    """
    errors = np.concatenate([score.errors for score in scores])
    starts = np.cumsum([0, *(len(score.errors) for score in scores)])
    order = np.argsort(errors, kind="stable")[: int(np.isfinite(errors).sum())]  # NaN comes last
    found = []
    for kind, rank in zip(KINDS, (0, (len(order) - 1) // 2, len(order) - 1), strict=True):
        number = int(np.searchsorted(starts, order[rank], side="right")) - 1
        view, frame = views[number], int(order[rank] - starts[number])
        pair = compare(view, predicted[view.name], skeleton, protocol, partial)
        pred, target, mask = pair.pred[frame], pair.target[frame], pair.mask[frame]
        if not lengths:
            pred = scale_align(pred, target, mask)
        found.append(
            {
                "kind": kind,
                "view": view.name,
                "frame": frame,
                "seconds": round(float(view.times[frame] - view.times[0]), 4),
                "error": round(float(errors[order[rank]]), 2),
                "truth": _rows(target, mask),
                "prediction": _rows(pred, mask),
            }
        )
    return found


def _rows(joints: Float[Tensor, "j 3"], mask: Tensor) -> list[list[float] | None]:
    """The joints for JSON; None where a joint does not count."""
    return [
        [round(value, _DIGITS) for value in joint] if counts else None
        for joint, counts in zip(joints.tolist(), mask.tolist(), strict=True)
    ]
