"""Seeds become rows, rows become sections, and what does not compare is kept apart."""

import pytest

from poselift.core.errors import InputError
from poselift.reports.entries import Section, sections
from tests.reports.results import MODEL, results, runs


def test_runs_that_differ_in_seed_alone_are_one_row():
    found, warnings = sections(
        runs(
            *(results(error, seed=seed, model=MODEL) for seed, error in enumerate((49.0, 50.0, 54.0))),
            results(name="other"),
        )
    )
    (section,) = found
    assert [(entry.name, len(entry.runs)) for entry in section.entries] == [("ours", 3), ("other", 1)]
    cell = section.entries[0].at("metrics", "mpjpe", "mean")
    assert cell.mean == pytest.approx(51.0)
    assert cell.deviation == pytest.approx(7**0.5)  # ((-2)² + (-1)² + 3²) / (3 - 1)
    assert warnings == []


def test_other_settings_are_other_rows_in_blocks_of_equal_data():
    det, gt = {"keypoints": "det", "corpus": "/a/cmu50.npz"}, {"keypoints": "gt", "corpus": "/b/cmu50.npz"}
    contents = ({"name": "a", "data": det}, {"name": "a", "data": gt}, {"name": "b", "data": det, "flip": False})
    (section,), _ = sections(runs(*(results(device=f"cuda:{place}", **one) for place, one in enumerate(contents))))
    assert section.varied == ("data.keypoints", "flip")
    assert section.common() == "corpus cmu50.npz"
    assert [section.label(entry) for entry in section.entries] == [
        "a, keypoints det, flip yes",
        "b, keypoints det, flip no",
        "a, keypoints gt, flip yes",
    ]
    assert [section.block(entry) for entry in section.entries] == [("det",), ("det",), ("gt",)]
    assert [entry.exact_points for entry in section.entries] == [False, False, True]


def test_protocols_never_share_a_section():
    found, warnings = sections(runs(results(protocol="h36m_p1"), results(), results(name="b", protocol="h36m_p1")))
    assert [(section.name, len(section.entries)) for section in found] == [("h36m_p1", 2), ("cmu_bench", 1)]
    assert warnings == []
    entries = tuple(entry for section in found for entry in section.entries)
    with pytest.raises(InputError, match="protocols: cmu_bench, h36m_p1"):
        Section("all", "All", entries)


@pytest.mark.parametrize("part", ["frames", "count", "groups"])
def test_other_frames_joints_or_groups_never_share_a_section(part):
    other = results(name="b")
    if part == "frames":
        other["frames"] = 299
    elif part == "count":
        other["metrics"]["mpjpe"]["count"] = 999
    else:
        del other["metrics"]["mpjpe"]["groups"]["29"]
    found, warnings = sections(runs(results(), other))
    assert [section.name for section in found] == ["cmu_bench", "cmu_bench_2"]
    assert found[1].title == f"CMU benchmark (2: 2 views, {other['frames']} frames)"
    assert len(warnings) == 1
    assert "CMU benchmark" in warnings[0]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({}, {}, "one name, settings and seed are called 'ours': 0/metrics.json and 1/metrics.json; give each a name"),
        ({"model": MODEL}, {"model": MODEL | {"config": {"dim": 9}}, "seed": 1}, "different models are called 'ours'"),
        (
            {"model": MODEL | {"training": "a"}},
            {"model": MODEL | {"training": "b"}, "seed": 1},
            "lifters trained with different settings are called 'ours'",
        ),
    ],
)
def test_runs_that_cannot_be_told_apart_are_refused(first, second, message):
    with pytest.raises(InputError, match=message):
        sections(runs(results(**first), results(**second)))


def test_rows_of_one_label_are_refused():
    contents = ({"name": "a"}, {"name": "a, flip yes", "flip": None}, {"name": "b", "flip": False})
    with pytest.raises(
        InputError, match=r"two rows would be called 'a, flip yes': 0/metrics\.json and 1/metrics\.json"
    ):
        sections(runs(*(results(**one) for one in contents)))


def test_an_evaluation_that_does_not_name_its_training_goes_with_the_others():
    (section,), _ = sections(
        runs(*(results(seed=seed, model=MODEL | {"training": "a"}) for seed in range(2)), results(seed=2, model=MODEL))
    )
    assert [len(entry.runs) for entry in section.entries] == [3]


def test_saved_predictions_are_the_same_row_as_the_live_evaluation():
    saved = results(seed=1, predictions="/x/predictions.npz", layout="poselift", joints="h36m17", lengths=True)
    (section,), _ = sections(runs(results(seed=0), saved))
    assert [len(entry.runs) for entry in section.entries] == [2]
