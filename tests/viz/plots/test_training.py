from numpy.testing import assert_allclose

from poselift.viz.plots.style import COLUMN
from poselift.viz.plots.training import Line, training_plot


def line(place=0, values=(0.4, 0.2, 0.3), label="ours"):
    return Line(label, place, [25 * (number + 1) for number in range(len(values))], values)


def test_losses_have_arunning_mean_over_them_and_errors_a_mark_at_the_lowest():
    losses, errors = training_plot([line()], [line(values=(60.0, 50.0, 55.0))], "loss", "error (mm)").axes
    raw, mean = losses.lines
    assert_allclose(raw.get_ydata(), [0.4, 0.2, 0.3])
    assert_allclose(mean.get_ydata(), [0.3, 0.3, 0.3])
    assert losses.get_yscale() == "log"
    drawn, mark = errors.lines
    assert_allclose(drawn.get_xydata(), [[25, 60], [50, 50], [75, 55]])
    assert_allclose(mark.get_xydata(), [[50, 50]])
    assert errors.get_ylim()[0] == 0


def test_seeds_of_one_method_have_one_entry_in_the_legend(check_texts, check_legend):
    lines = [line(0), line(0, (0.5, 0.3, 0.2)), line(1, label="theirs")]
    figure = training_plot(lines, [], "training loss", "error (mm)")
    check_legend(figure)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["ours", "theirs"]
    assert {"step", "training loss", "0.2", "0.5"} <= set(check_texts(figure))
    assert figure.get_figwidth() == COLUMN
