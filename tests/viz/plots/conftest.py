from collections.abc import Callable
from itertools import combinations

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text


def _texts(figure: Figure) -> list[Text]:
    """Everything that is printed."""
    texts = [text for legend in figure.legends for text in legend.get_texts()]
    for axes in figure.axes:
        texts += [axes.title, axes._left_title, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            low, high = sorted(axis.get_view_interval())
            ticks = zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=False)  # shared axes have no labels
            texts += [axis.label, *(label for at, label in ticks if low <= at <= high)]
    return [text for text in texts if text.get_visible() and text.get_text()]


@pytest.fixture(scope="session")
def check_texts() -> Callable[[Figure], list[str]]:
    """Makes sure that all texts are inside the figure and that none covers another; returns them."""

    def check(figure: Figure) -> list[str]:
        figure.draw_without_rendering()
        # Text's own, as an annotation's has its line too; half a pixel is rounding.
        boxes = [(text.get_text(), Text.get_window_extent(text).padded(-0.5)) for text in _texts(figure)]
        inside = figure.bbox.contains
        assert [text for text, box in boxes if not (inside(*box.min) and inside(*box.max))] == []
        assert [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)] == []
        return [text for text, _ in boxes]

    return check


@pytest.fixture(scope="session")
def check_legend() -> Callable[[Figure], None]:
    """Makes sure that the legend is off the data."""

    def check(figure: Figure) -> None:
        figure.draw_without_rendering()
        (legend,) = figure.legends
        assert not any(legend.get_window_extent().overlaps(axes.get_window_extent()) for axes in figure.axes)

    return check
