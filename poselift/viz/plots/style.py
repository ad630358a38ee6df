"""The look that all plots share, and how they are saved."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import matplotlib
from cycler import cycler
from matplotlib.figure import Figure

from poselift.core.files import atomic_path

WIDTH = 6.3
"""Inches: the text of an A4 page."""

MOST_SERIES = 8
"""Series that one plot can show and still be read."""

# Okabe and Ito's palette (https://jfly.uni-koeln.de/color/), dark enough for white paper; yellow is left out.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7F7F7F")
_LINES = ("-", "--", "-.", ":", "-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 5,
    "axes.prop_cycle": cycler(color=_COLORS) + cycler(linestyle=_LINES),
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "pdf.fonttype": 42,  # as text that can be searched
}

Given = ParamSpec("Given")


@contextmanager
def _styled() -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def styled(plot: Callable[Given, Figure]) -> Callable[Given, Figure]:
    """Makes a plot in the common look, whatever the user's own settings are."""

    @wraps(plot)
    def wrapper(*args: Given.args, **kwargs: Given.kwargs) -> Figure:
        with _styled():
            return plot(*args, **kwargs)

    return wrapper


def color(place: int) -> str:
    """The colour of a series by its place."""
    return _COLORS[place % len(_COLORS)]


def save_plot(figure: Figure, stem: Path) -> None:
    """Writes a figure as .pdf and .png; the same figure gives the same bytes.

    Args:
        figure: from one of the plots.
        stem: path without an ending.
    """
    with _styled():
        for ending, metadata in ((".pdf", {"CreationDate": None, "Producer": None}), (".png", {"Software": None})):
            with atomic_path(stem.with_name(stem.name + ending)) as temporary:
                figure.savefig(temporary, dpi=200, metadata=metadata)
