import math

import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose

from poselift.viz.plots import MOST_SERIES, Curve, curve_plot
from poselift.viz.plots.style import LOOKS

X = (0.0, 50.0, 100.0, 150.0)


def curve(place=0, deviation=None, y=(0.0, 40.0, 80.0, 99.0)):
    return Curve(f"method {place}", place, X, y, deviation)


def test_the_lines_are_the_numbers():
    figure = curve_plot([curve(2), curve(5, y=(1.0, None, 3.0, 4.0))], "threshold (mm)", "PCK (%)")
    first, second = figure.axes[0].lines
    assert_allclose(first.get_xydata(), list(zip(X, (0, 40, 80, 99), strict=True)))
    assert_allclose(second.get_ydata(), [1, math.nan, 3, 4])
    assert (first.get_color(), second.get_color()) == (LOOKS[2].color, LOOKS[5].color)
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("threshold (mm)", "PCK (%)")


def test_the_deviation_is_a_band_of_the_lines_colour_within_0_and_100():
    figure = curve_plot([curve(1, deviation=(0.0, 5.0, None, 3.0))], "x", "y")
    (band,) = figure.axes[0].collections
    corners = {tuple(point) for path in band.get_paths() for point in path.vertices.tolist()}
    assert {(50.0, 35.0), (50.0, 45.0), (150.0, 96.0), (150.0, 100.0)} <= corners
    assert not any(x == 100 for x, _ in corners)
    assert_allclose(band.get_facecolor()[0][:3], to_rgb(LOOKS[1].color))


@pytest.mark.parametrize("count", [1, MOST_SERIES])
def test_what_is_printed(count, check_texts, check_legend):
    figure = curve_plot([curve(place) for place in range(count)], "threshold (mm)", "PCK (%)")
    texts = check_texts(figure)
    check_legend(figure)
    assert {f"method {place}" for place in range(count)} | {"threshold (mm)", "PCK (%)"} <= set(texts)
