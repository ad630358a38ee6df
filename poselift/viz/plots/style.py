"""The look that all plots share, and how they are saved."""

import io
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from poselift.core.files import atomic_path

COLUMN, PAGE = 3.25, 6.875
"""Inches: a column, and all of the text, of the field's two-column papers."""

INK, GREY, PALE = "#222222", "#5B5B5B", "#DDDDDD"

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it looks the same everywhere
    "font.size": 7,
    "axes.titlesize": 7,
    "axes.labelsize": 7,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.5,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 6.5,
    "legend.frameon": False,
    "legend.handlelength": 1.7,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.0,
    "legend.borderpad": 0,
    "legend.labelspacing": 0.35,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.5,
    "errorbar.capsize": 1.5,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "pdf.fonttype": 42,  # TrueType: text that can be searched, and that publishers take
    "text.parse_math": False,  # a $ in a name is a $
    "svg.hashsalt": "poselift",  # else names inside the file change from run to run
}
ENDINGS = {".pdf": "CreationDate", ".svg": "Date", ".png": "Software"}
"""Formats of figures by the ending of the file, and the entry of their metadata that would differ from run to run."""

_DPI = 300
_MOST_CHARACTERS = 24
"""In a line of the legend: half a column's width."""


@dataclass(frozen=True)
class LineStyle:
    """How a series is told from the others, also in black.

    Attributes:
        color: of everything.
        line: its style.
        marker: of points.
    """

    color: str
    line: str
    marker: str


LINE_STYLES = (
    LineStyle("#0072B2", "-", "o"),
    LineStyle("#D55E00", "--", "s"),
    LineStyle("#009E73", "-.", "^"),
    LineStyle("#CC79A7", ":", "D"),
    LineStyle("#56B4E9", "--", "v"),
    LineStyle("#E69F00", "-", "P"),
    LineStyle("#000000", "-.", "X"),
    LineStyle("#882255", ":", "*"),
)
"""Okabe and Ito's palette (https://jfly.uni-koeln.de/color/), which colour-blind people can tell apart; its yellow is
too light for white paper, and gives place to wine of Tol's (https://personal.sron.nl/~pault/)."""

MOST_SERIES = len(LINE_STYLES)
"""Series that one plot can show and still be read."""

Given = ParamSpec("Given")


@contextmanager
def _apply_style() -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def style_plot(plot: Callable[Given, Figure]) -> Callable[Given, Figure]:
    """Makes a plot in the common style, whatever the user's settings."""

    @wraps(plot)
    def wrapper(*args: Given.args, **kwargs: Given.kwargs) -> Figure:
        with _apply_style():
            return plot(*args, **kwargs)

    return wrapper


def print_plainly(axis: Axis, between: bool = True) -> None:
    """Puts plain numbers on a logarithmic axis. They stand at the powers of ten, and between them."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if between else (1,)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def add_legend(figure: Figure, handles: Sequence[Artist], labels: Sequence[str]) -> None:
    """Puts a legend above the axes, and enlarges the figure.

    In as many columns as fit.

    Args:
        figure: with everything else in it.
        handles: what is drawn before each label.
        labels: long ones are broken into lines.
    """
    lines = [textwrap.fill(label, _MOST_CHARACTERS) for label in labels]
    for columns in range(min(4, len(lines)), 0, -1):
        legend = figure.legend(list(handles), lines, loc="outside upper left", ncols=columns)
        box = legend.get_window_extent()
        if box.width <= figure.bbox.width or columns == 1:
            break
        legend.remove()
    figure.set_figheight(figure.get_figheight() + box.height / figure.dpi)


def add_side_legend(figure: Figure, colors: Mapping[str, str]) -> None:
    """Puts a legend of the person's left and right above the axes."""
    add_legend(figure, [Line2D([], [], color=colors[side]) for side in ("left", "right")], ["left", "right"])


def save_plot(figure: Figure, stem: Path) -> None:
    """Writes a figure as .pdf and .png, with reproducible bytes.

    Args:
        figure: from one of the plots.
        stem: path without an ending.
    """
    for ending in (".pdf", ".png"):
        save_figure(figure, stem.with_name(stem.name + ending))


def save_figure(figure: Figure, path: Path) -> None:
    """Writes a figure in its path's format, with reproducible bytes.

    Args:
        figure: from one of the plots.
        path: ends with one of `ENDINGS`.
    """
    ending = path.suffix.lower()
    drawn = io.BytesIO()  # matplotlib's PDF writer fails in its own way where the disk is full
    with _apply_style():
        figure.savefig(drawn, format=ending[1:], dpi=_DPI, metadata={ENDINGS[ending]: None})
    with atomic_path(path) as temporary:
        temporary.write_bytes(drawn.getvalue())
