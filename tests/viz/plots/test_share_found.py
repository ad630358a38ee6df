import math

from numpy.testing import assert_allclose

from poselift.viz.plots import Curve, curve_plot
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
