"""The numbers of metrics.json that reach the plots; how plots look is tested beside them."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose

from poselift.reports.cost import Cost, cost_key
from poselift.reports.figures import section_plots
from poselift.reports.published import PublishedRow
from poselift.viz.plots.style import LINE_STYLES
from tests.reports.results import MODEL, poses, results, section

pytestmark = pytest.mark.slow

THEIRS = PublishedRow("Theirs", "h36m_p1", False, {"mpjpe": 45.0}, "Doe, 2020, https://a.b", 243, 33.8, 607.0)
EXACT = PublishedRow("Exact", "h36m_p1", True, {"mpjpe": 21.0}, "Roe, 2021, https://c.d", 243, 33.8, 500.0)


def plots(*contents, **keywords):
    """The plots of one section by name, without the section's before it."""
    one = section(*contents)
    found = section_plots(one, **keywords)
    assert all(plot.name.startswith(f"{one.name}_") for plot in found)
    assert all(plot.caption.startswith(f"{one.title}: ") for plot in found)
    return {plot.name.removeprefix(f"{one.name}_"): plot for plot in found}


def legend(plot):
    return [text.get_text() for text in plot.figure.legends[0].get_texts()]


def with_costs(*contents, **keywords):
    costs = {cost_key(entry): Cost(2_000_000, 3e6, 0.5, 10**7) for entry in section(*contents).entries}
    return plots(*contents, costs=costs, **keywords)


def test_curves_are_means_over_the_seeds_with_their_deviation():
    content = results(60.0, name="other")
    content["curves"]["pck3d"]["mean"][0] = None
    plot = plots(results(40.0, seed=0), results(44.0, seed=1), content)["pck3d"]
    ours, other = plot.figure.axes[0].lines
    # The first curve is 100 k / 2 - error / 100 at its threshold k.
    assert_allclose(ours.get_xdata(), [0, 75, 150])
    assert_allclose(ours.get_ydata(), [-0.42, 49.58, 99.58])
    assert_allclose(other.get_ydata(), [np.nan, 49.4, 99.4])
    assert (ours.get_color(), other.get_color()) == (LINE_STYLES[0].color, LINE_STYLES[1].color)
    (band,) = plot.figure.axes[0].collections
    deviation = 0.02 * 2**0.5
    corners = {tuple(point) for point in band.get_paths()[0].vertices.round(6).tolist()}
    assert {(75.0, round(49.58 - deviation, 6)), (75.0, round(49.58 + deviation, 6))} <= corners
    assert legend(plot) == ["ours", "other"]
    assert plot.figure.axes[0].get_ylabel() == "PCK (%)"
    assert "standard deviation over the seeds" in plot.caption


def test_curves_of_the_trainings_whose_log_is_there(monkeypatch):
    logs = {0: {24: {"train/loss": 0.5}, 49: {"train/loss": 0.4, "val/mpjpe_subjects": 60.0}}, 1: {}}
    monkeypatch.setattr("poselift.reports.figures.log_of", lambda run: logs[run.results["seed"]])
    plot = plots(results(seed=0), results(seed=1))["training"]
    losses, errors = plot.figure.axes
    assert_allclose(losses.lines[0].get_xydata(), [[24, 0.5], [49, 0.4]])
    assert_allclose(errors.lines[0].get_xydata(), [[49, 60]])
    assert legend(plot) == ["ours"]
    assert errors.get_ylabel() == "validation MPJPE (mm)"


def test_poses_of_each_row_with_their_error_and_frame():
    first, second, without = (results(error, name=name) for error, name in ((50.0, "a"), (40.0, "other"), (60.0, "c")))
    first["poses"], second["poses"] = poses(50.0), poses(40.0)  # the last evaluation kept none
    found = plots(first, second, without)
    assert [name for name in found if name.startswith("poses")] == ["poses_1", "poses_2"]
    titles = [part.get_suptitle() for part in found["poses_2"].figure.subfigs]
    assert titles[0] == "best: 40.0 mm\na\nframe 7 (0.14 s)"
    assert [title.split(":")[0] for title in titles] == ["best", "median", "worst"]
    assert "of other, relative to the root" in found["poses_2"].caption


def test_groups_have_a_bar_each_and_one_for_the_mean():
    content = results(60.0, name="other")
    content["metrics"]["mpjpe"]["groups"]["61"] = None
    plot = plots(results(50.0, seed=0), results(54.0, seed=1), content)["groups"]
    axes = plot.figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["29", "61", "86", "Mean"]
    assert [bar.get_width() for bar in axes.patches] == [51, 52, 53, 52, 59, 61, 60]
    middles = [bar.get_y() + bar.get_height() / 2 for bar in axes.patches]
    assert_allclose(middles, [-0.2, 0.8, 1.8, 2.8, 0.2, 2.2, 3.2])
    assert [to_hex(bar.get_facecolor()).upper() for bar in axes.patches[3:5]] == [
        LINE_STYLES[0].color,
        LINE_STYLES[1].color,
    ]
    assert axes.yaxis_inverted()
    (spread, none) = axes.collections
    assert_allclose(spread.get_segments()[3][:, 0], [52 - 8**0.5, 52 + 8**0.5])
    assert none.get_segments() == []
    assert axes.get_xlabel() == "MPJPE (mm)"


def test_cost_is_counted_by_frame_and_cited_rows_have_no_time():
    found = with_costs(results(50.0, protocol="h36m_p1", model=MODEL, data={"keypoints": "cpn"}), peers=[THEIRS, EXACT])
    ours, theirs = found["macs"].figure.axes[0].lines
    assert_allclose(ours.get_xydata(), [[3, 50]])
    assert_allclose(theirs.get_xydata(), [[607, 45]])
    assert [text.get_text() for text in found["macs"].figure.axes[0].texts] == ["Theirs"]
    assert found["macs"].figure.axes[0].get_xscale() == "log"
    assert (ours.get_markerfacecolor(), theirs.get_markerfacecolor()) == (LINE_STYLES[0].color, "white")
    assert found["macs"].figure.axes[0].get_xlabel() == "MACs (million a frame)"
    (ours,) = found["time"].figure.axes[0].lines
    assert_allclose(ours.get_xydata(), [[0.5, 50]])
    assert found["time"].figure.axes[0].get_xlabel() == "time on one CPU thread (ms a frame)"
