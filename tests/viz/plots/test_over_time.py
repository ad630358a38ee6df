import math

from numpy.testing import assert_allclose

from poselift.viz.plots.over_time import Trace, time_plot
from poselift.viz.plots.style import LINE_STYLES


def trace(place, clip="walk"):
    return Trace(f"method {place}", place, clip, [0.0, 0.5, 1.0], [10.0 + place, None, 30.0])


def test_the_lines_are_the_numbers_and_stop_where_a_frame_does_not_count():
    (line,) = time_plot([trace(3)], "error (mm)").axes[0].lines
    assert_allclose(line.get_xdata(), [0, 0.5, 1])
    assert_allclose(line.get_ydata(), [13, math.nan, 30])
    assert line.get_color() == LINE_STYLES[3].color


def test_a_clip_of_which_nothing_counts():
    figure = time_plot([Trace("a", 0, "walk", [0.0, 1.0], [None, None])], "error (mm)")
    figure.draw_without_rendering()
