"""The tables of a section against the numbers that went in."""

from dataclasses import replace

import pytest

from poselift.core.errors import InputError
from poselift.reports.contents import matching_peers, section_tables
from poselift.reports.cost import Cost, cost_key
from poselift.reports.protocols import H36M_ACTIONS
from poselift.reports.published import PublishedRow, read_published
from tests.reports.results import MODEL, results, section


def tables(*contents, **keywords):
    found = section(*contents)
    return {
        table.name.removeprefix(found.name + "_"): table
        for table in section_tables(found, keywords.get("costs"), keywords.get("peers", ()))
    }


def numbers(table):
    """{label: {title: printed number}}."""
    titles = [column.title for column in table.columns]
    return {
        " ".join(row.labels): dict(zip(titles, (cell.text for cell in table.format_cells(row)), strict=True))
        for row in table.rows
    }


def test_each_number_is_where_its_title_says():
    found = tables(results(50.0, name="a"), results(40.0, name="b"))
    assert numbers(found["mpjpe_by_subject"]) == {
        "a": {"29": "49.0", "61": "50.0", "86": "51.0", "Mean": "50.0"},
        "b": {"29": "39.0", "61": "40.0", "86": "41.0", "Mean": "40.0"},
    }
    joints = numbers(found["mpjpe_by_joint"])["a"]
    assert (joints["pelvis"], joints["right hip"], joints["All frames"]) == ("50.0", "51.0", "50.2")
    assert numbers(found["comparison"])["b"] == {
        "MPJPE": "40.0",
        "P-MPJPE": "32.0",
        "N-MPJPE": "36.0",
        "PCK@150": "96.0",
    }
    assert numbers(found["pcp_by_limb"])["a"]["All frames"] == "90.0"
    assert numbers(found["pcp_mean_by_limb"])["a"]["left lower arm"] == "94.0"
    # At a threshold of 0.2, the third of five.
    assert set(numbers(found["pdj_by_joint"])["a"].values()) == {"49.5"}


def test_a_part_of_a_benchmark_has_no_cited_rows():
    peers = read_published()
    whole = section(results(protocol="h36m_p1"))
    assert matching_peers(whole, peers)
    for frames in (543_344 // 5, 271_672):  # every fifth frame, half of the takes: with all fifteen actions
        assert not matching_peers(section(results(protocol="h36m_p1") | {"frames": frames}), peers)


def test_seeds_are_a_mean_and_a_deviation():
    found = tables(*(results(error, seed=seed) for seed, error in enumerate((49.0, 51.0))), results(60.0, name="b"))
    table = found["mpjpe_by_subject"]
    assert (table.labels, table.rows[0].labels, table.rows[1].labels) == (("model", "seeds"), ("ours", "2"), ("b", "1"))
    assert table.rows[0].cells[0].mean == 49.0
    assert table.rows[0].cells[0].deviation == pytest.approx(2**0.5)
    assert "standard deviation" in table.caption


def test_costs_are_columns():
    contents = (results(name="a", model=MODEL), results(name="b"))
    costs = {cost_key(section(*contents).entries[0]): Cost(2_500_000, 1.25e6, 0.5, 10_000_000)}
    found = numbers(tables(*contents, costs=costs)["comparison"])
    titles = ("Parameters", "MACs", "Time", "Memory")
    assert [found["a"][title] for title in titles] == ["2.50", "1.25", "0.500", "10.0"]
    assert [found["b"][title] for title in titles] == [None] * 4
    assert "MACs" not in numbers(tables(*contents)["comparison"])["a"]


THEIRS = PublishedRow("Theirs", "h36m_p1", False, {"mpjpe": 45.0}, "Doe, 2020, https://a.b", 243, 33.8, 607.0)
EXACT = PublishedRow("Exact", "h36m_p1", True, {"mpjpe": 21.0}, "Roe, 2021, https://c.d")


def h36m(error=50.0, **keywords):
    points = keywords.pop("points", "cpn")
    return results(error, protocol="h36m_p1", data={"keypoints": points}, **keywords)


def test_cited_rows_stand_beside_rows_of_the_same_2d():
    table = tables(h36m(), h36m(points="gt"), peers=[EXACT, THEIRS])["comparison"]
    assert [(row.labels, row.citation) for row in table.rows] == [
        (("ours", "cpn", ""), None),
        (("Theirs", "detected", "243"), 1),
        (("ours", "gt", ""), None),
        (("Exact", "gt", ""), 0),
    ]
    assert table.citations == (EXACT.citation, THEIRS.citation)
    found = numbers(table)
    assert found["Theirs detected 243"] == {"MPJPE": "45.0", "P-MPJPE": None, "N-MPJPE": None, "PCK@150": None}
    # They take part in what is best.
    assert [table.best(row, 0) for row in table.rows] == [False, True, False, True]


def test_cited_rows_by_group_are_those_that_have_values():
    actions = {action: 40.0 + number for number, action in enumerate(H36M_ACTIONS)}
    by_action = replace(THEIRS, name="By action", values={"mpjpe": 47.0}, groups={"mpjpe": actions})
    found = tables(h36m(), peers=[THEIRS, by_action])
    table = found["mpjpe_by_action"]
    assert [row.labels[0] for row in table.rows] == ["ours", "By action"]
    theirs = numbers(table)["By action detected 243"]
    assert (theirs["Directions"], theirs["WalkTogether"], theirs["Mean"]) == ("40.0", "54.0", "47.0")
    assert table.best(table.rows[1], 0)
    assert [row.labels[0] for row in found["p_mpjpe_by_action"].rows] == ["ours"]


def test_what_differs_among_printed_rows_is_a_column_and_not_in_the_caption():
    """Our rows share a window and their 2D; published rows do not."""
    hourglass = replace(
        THEIRS, name="Hourglass", keypoints="sh_ft_h36m", window=1, weights="open", values={"mpjpe": 9.0}
    )
    ours = h36m(name="a", window=27, refine=False), h36m(45.0, name="b", window=27, refine=False)
    found = tables(*ours, peers=[THEIRS, hourglass])
    table = found["comparison"]
    assert table.labels == ("model", "keypoints", "window", "weights")
    assert [row.labels for row in table.rows] == [
        ("a", "cpn", "27", ""),
        ("b", "cpn", "27", ""),
        ("Theirs", "detected", "243", ""),
        ("Hourglass", "sh_ft_h36m", "1", "open"),
    ]
    assert table.note == "Rows measured here: flip yes, refine no."
    # Other 2D is other data.
    assert table.rows[3].block != table.rows[0].block
    # Where no published row is printed, all share them.
    assert found["mpjpe_by_action"].labels == ("model",)
    assert found["mpjpe_by_action"].note == "All rows: keypoints cpn, flip yes, refine no, window 27."


def test_rows_that_differ_from_the_protocol_are_not_compared():
    other = replace(THEIRS, name="Other", values={"mpjpe": 1.0}, differs="other takes", citation="Other, http://o")
    table = tables(h36m(), peers=[other, THEIRS])["comparison"]
    alone = next(row for row in table.rows if row.labels[0] == "Other")
    assert [row for row in table.rows if row.block == alone.block] == [alone]
    assert not table.best(alone, 0)


def test_cited_rows_never_leave_their_protocol():
    peers = read_published()
    for protocol in ("h36m_p3", "cmu_bench", "humaneva"):
        assert matching_peers(section(results(protocol=protocol)), peers) == []
    first = [peer for peer in peers if peer.protocol == "h36m_p1"]
    assert [peer for peer, _ in matching_peers(section(h36m(), h36m(points="gt")), peers)] == first
    second = section(results(protocol="h36m_p2", data={"keypoints": "cpn"}))
    assert {peer.protocol for peer, _ in matching_peers(second, peers)} == {"h36m_p2"}
    assert all(not peer.exact_points for peer, _ in matching_peers(section(h36m()), peers))


def test_other_units_are_refused():
    other = results(name="b")
    other["metrics"]["mpjpe"]["unit"] = "m"
    with pytest.raises(InputError, match=r"1/metrics\.json: mpjpe is in m, in another run in mm"):
        tables(results(), other)
