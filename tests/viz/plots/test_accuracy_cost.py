import pytest

from poselift.reports.published import read_published
from poselift.viz.plots.accuracy_cost import Method, cost_plot

pytestmark = pytest.mark.slow


def own(place, cost=4.0, value=60.0, deviation=None):
    return Method(f"method {place}", cost, value, deviation, place)


def test_all_published_methods_are_named_without_overlap(check_texts, check_legend):
    cited = [
        Method(peer.name + (", gt" if peer.exact_points else ""), peer.macs, peer.values["mpjpe"])
        for peer in read_published()
        if peer.protocol == "h36m_p1" and peer.macs is not None
    ]
    assert len(cited) > 20
    figure = cost_plot([*(own(place, 2.0**place, 41.0 + place, 1.0) for place in range(8)), *cited], "M", "mm")
    texts = check_texts(figure)
    check_legend(figure)
    assert {method.label for method in cited} <= set(texts)
