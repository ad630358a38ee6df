import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose

from poselift.reports.protocols import H36M_ACTIONS
from poselift.viz.plots import MOST_SERIES, Bars, group_plot
from poselift.viz.plots.style import LOOKS

NO = (None, None, None)


def bars_of(figure):
    """Width by the middle's height and colour."""
    return {
        (round(bar.get_y() + bar.get_height() / 2, 3), to_hex(bar.get_facecolor()).upper()): bar.get_width()
        for bar in figure.axes[0].patches
    }


def test_each_bar_is_a_number_in_the_row_of_its_group():
    figure = group_plot(
        ["Eating", "Walking", "Mean"], [Bars("a", 0, (1.0, 2.0, 3.0), NO), Bars("b", 4, (4.0, None, 6.0), NO)], "mm"
    )
    a, b = LOOKS[0].color, LOOKS[4].color
    assert bars_of(figure) == {(-0.2, a): 1, (0.8, a): 2, (1.8, a): 3, (0.2, b): 4, (2.2, b): 6}
    axes = figure.axes[0]
    assert axes.get_xlim()[0] == 0
    assert axes.yaxis_inverted()
    assert [
        (tick, label.get_text()) for tick, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    ] == [
        (0, "Eating"),
        (1, "Walking"),
        (2, "Mean"),
    ]


def test_the_deviation_is_a_line_about_the_end():
    figure = group_plot(["x", "y"], [Bars("a", 0, (10.0, 20.0), (2.0, None))], "mm")
    (lines,) = figure.axes[0].collections
    (segment,) = lines.get_segments()
    assert_allclose(segment, [[8, 0], [12, 0]])


@pytest.mark.parametrize(("groups", "methods"), [(1, 1), (len(H36M_ACTIONS), MOST_SERIES), (60, 3)])
def test_what_is_printed(groups, methods, check_texts, check_legend):
    names = [*H36M_ACTIONS, *(f"downtown_walkBridge_{number:02}" for number in range(60))][:groups]
    bars = [Bars(f"method {place}", place, [50.0] * groups, [1.0] * groups) for place in range(methods)]
    figure = group_plot(names, bars, "MPJPE (mm)")
    texts = check_texts(figure)
    check_legend(figure)
    assert {*names, *(f"method {place}" for place in range(methods)), "MPJPE (mm)"} <= set(texts)
