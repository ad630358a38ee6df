import math

import pytest
from numpy.testing import assert_allclose

from poselift.viz.plots import MOST_SERIES, Trace, time_plot
from poselift.viz.plots.style import LOOKS


def trace(place, clip="walk"):
    return Trace(f"method {place}", place, clip, [0.0, 0.5, 1.0], [10.0 + place, None, 30.0])


def test_the_lines_are_the_numbers_and_stop_where_a_frame_does_not_count():
    (line,) = time_plot([trace(3)], "error (mm)").axes[0].lines
    assert_allclose(line.get_xdata(), [0, 0.5, 1])
    assert_allclose(line.get_ydata(), [13, math.nan, 30])
    assert line.get_color() == LOOKS[3].color


def test_methods_on_one_clip_share_axes():
    figure = time_plot([trace(0, "walk"), trace(1, "run"), trace(2, "walk")], "error (mm)")
    walk, run = figure.axes
    assert [len(axes.lines) for axes in (walk, run)] == [2, 1]
    assert [axes.get_title(loc="left") for axes in (walk, run)] == ["clip walk", "clip run"]
    assert run.lines[0].get_color() == LOOKS[1].color
    assert walk.get_ylim() == run.get_ylim()
    assert walk.get_ylim()[0] == 0


def test_a_clip_of_which_nothing_counts():
    figure = time_plot([Trace("a", 0, "walk", [0.0, 1.0], [None, None])], "error (mm)")
    figure.draw_without_rendering()


@pytest.mark.parametrize("clips", [1, MOST_SERIES])
def test_what_is_printed(clips, check_texts, check_legend):
    figure = time_plot([trace(place, f"clip{place % clips}") for place in range(MOST_SERIES)], "error (mm)")
    texts = check_texts(figure)
    check_legend(figure)
    assert {f"method {place}" for place in range(MOST_SERIES)} | {"error (mm)", "time (s)"} <= set(texts)
