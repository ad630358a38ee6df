from matplotlib.colors import to_hex
from matplotlib.text import Text
from numpy.testing import assert_allclose

from benchmarks.family_plot import family_plot
from poselift.viz.plots import Method
from poselift.viz.plots.style import LOOKS

FAMILY = [
    Method("base", 40.0, 39.0, 0.4),
    Method("tiny", 1.0, 50.0),
    Method("small", 5.0, 42.0, 0.6),
    Method("large", 150.0, 37.5),
]
OTHERS = [
    Method("simple baseline", 0.8, 61.0),
    Method("lstm", 4.9, 58.0, 1.2),
    Method("temporal convolution", 1.1, 52.5),
    Method("mixste shape", 52.0, 43.5),
    Method("mmpose motionbert", 47.0, 44.0),
    Method("mmpose videopose3d", 17.0, 50.5),
]


def test_a_line_joins_the_family_by_cost_and_no_other_points():
    axes = family_plot(FAMILY, OTHERS, "MACs (million a frame)", "MPJPE (mm)").axes[0]
    assert axes.get_xscale() == "log"
    ours, theirs = (line for line in axes.lines if line.get_marker() in (LOOKS[0].marker, LOOKS[1].marker))
    assert_allclose(ours.get_xydata(), [[1, 50], [5, 42], [40, 39], [150, 37.5]])
    assert_allclose(theirs.get_xydata(), [[method.cost, method.value] for method in OTHERS])
    assert (ours.get_linestyle(), theirs.get_linestyle()) == ("-", "None")
    assert to_hex(ours.get_color()).upper() == LOOKS[0].color


def test_all_are_named_off_the_points_the_line_and_each_other(check_texts):
    figure = family_plot(FAMILY, OTHERS, "MACs (million a frame)", "MPJPE (mm)")
    names = {method.label for method in (*FAMILY, *OTHERS)}
    assert names | {"MACs (million a frame)", "MPJPE (mm)"} <= set(check_texts(figure))
    axes = figure.axes[0]
    line = next(line for line in axes.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 4)
    path = line.get_path().transformed(axes.transData)
    for text in axes.texts:
        box = Text.get_window_extent(text)
        assert not path.intersects_bbox(box, filled=False), text.get_text()
        for method in (*FAMILY, *OTHERS):
            assert not box.contains(*axes.transData.transform((method.cost, method.value))), text.get_text()
