from matplotlib.colors import to_hex

from poselift.viz.plots import Bars, group_plot
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
