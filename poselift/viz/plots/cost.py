"""Accuracy against cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from poselift.viz.plots.style import MARKERS, WIDTH, color, styled


@dataclass(frozen=True)
class Method:
    """A point.

    Attributes:
        label: beside it.
        cost: above 0.
        value: of the metric.
        deviation: of `value` over seeds; None for none.
        cited: whether others have published it; drawn hollow.
    """

    label: str
    cost: float
    value: float
    deviation: float | None = None
    cited: bool = False
