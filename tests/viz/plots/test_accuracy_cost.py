import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose

from poselift.reports.published import read_published
from poselift.viz.plots import Method, cost_plot
from poselift.viz.plots.style import LOOKS

pytestmark = pytest.mark.slow


def own(place, cost=4.0, value=60.0, deviation=None):
    return Method(f"method {place}", cost, value, deviation, place)


def test_ours_are_filled_and_cited_ones_hollow():
    figure = cost_plot([own(3, 2.0, 50.0), Method("Theirs", 800.0, 40.0)], "MACs (million a frame)", "MPJPE (mm)")
    axes = figure.axes[0]
    assert axes.get_xscale() == "log"
    ours, theirs = axes.lines
    assert_allclose(ours.get_xydata(), [[2, 50]])
    assert_allclose(theirs.get_xydata(), [[800, 40]])
    assert (ours.get_marker(), to_hex(ours.get_markerfacecolor()).upper()) == (LOOKS[3].marker, LOOKS[3].color)
    assert to_hex(theirs.get_markerfacecolor()) == "#ffffff"
    assert [text.get_text() for text in axes.texts] == ["Theirs"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["method 3", "cited, not measured here"]


def test_all_published_methods_are_named_without_overlap(check_texts, check_legend):
    cited = [
        Method(peer.name + (", gt" if peer.exact_points else ""), peer.macs, peer.values["mpjpe"])
        for peer in read_published()
        if peer.macs is not None and "mpjpe" in peer.values
    ]
    assert len(cited) > 20
    figure = cost_plot([*(own(place, 2.0**place, 41.0 + place, 1.0) for place in range(8)), *cited], "M", "mm")
    texts = check_texts(figure)
    check_legend(figure)
    assert {method.label for method in cited} <= set(texts)
