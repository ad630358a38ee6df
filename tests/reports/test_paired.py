"""Differences of two runs against scipy's bootstrap, and when there are none."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from poselift.reports.contents import section_tables
from poselift.reports.paired import paired_difference
from tests.reports.results import results, section

RANDOM = np.random.default_rng(3)
HARD = RANDOM.uniform(20, 80, 40)  # how hard each sequence is
OURS, THEIRS = HARD + RANDOM.normal(0, 2, 40), HARD + RANDOM.normal(1.5, 2, 40)


def run(values, protocol="surreal", groups=None, counts=None, **keywords):
    groups = groups or ["a"] * len(values)
    counts = counts or [100] * len(values)
    table = {
        f"view {number}": {"group": group, "mean": value, "count": count}
        for number, (value, group, count) in enumerate(zip(values, groups, counts, strict=True))
    }
    return results(protocol=protocol, **keywords) | {"sequences": table}


def test_the_interval_is_that_of_scipy():
    found = paired_difference([run(OURS.tolist())], [run(THEIRS.tolist())])
    theirs = bootstrap((OURS - THEIRS,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1))
    assert found.mean == pytest.approx((OURS - THEIRS).mean())
    assert (found.low, found.high) == pytest.approx(theirs.confidence_interval, abs=0.05)
    # The sequences differ by tens of millimetres, and their differences by few: the pairs show it.
    assert found.high < 0
    assert found.high - found.low < 3
    assert found.sequences == 40


def test_it_is_averaged_as_the_protocol_averages():
    groups = ["a"] * 30 + ["b"] * 10
    counts = [100] * 20 + [300] * 20
    change = OURS - THEIRS
    weights = np.array(counts, float)
    by_frames = np.average(change, weights=weights)
    by_groups = np.mean([np.average(change[part], weights=weights[part]) for part in (slice(30), slice(30, 40))])
    for protocol, expected in (("surreal", by_frames), ("cmu_bench", by_groups)):
        sides = ([run(values.tolist(), protocol, groups, counts)] for values in (OURS, THEIRS))
        assert paired_difference(*sides).mean == pytest.approx(expected)


def test_a_constant_difference_is_certain_and_seeds_are_averaged():
    seeds = [run((HARD + off).tolist()) for off in (1.0, 3.0)]
    found = paired_difference(seeds, [run(HARD.tolist())])
    assert found[:3] == pytest.approx((2.0, 2.0, 2.0))


def test_too_few_sequences_or_none_are_no_difference():
    few = run(OURS[:4].tolist())
    assert paired_difference([few], [few]) is None
    assert paired_difference([results()], [run(OURS.tolist())]) is None
    unknown = run([None] * 40)
    assert paired_difference([unknown], [run(OURS.tolist())]) is None


def test_the_table_has_a_row_for_each_other_method():
    contents = [run(values.tolist(), name=name) for name, values in (("a", THEIRS), ("b", OURS))]
    contents.append(results(protocol="surreal", name="c"))
    table = next(table for table in section_tables(section(*contents)) if table.name == "surreal_paired")
    assert [row.labels for row in table.rows] == [("b",), ("c",)]
    numbers = [cell.mean for cell in table.rows[0].cells]
    assert numbers == pytest.approx(paired_difference([contents[1]], [contents[0]]))
    assert [cell.mean for cell in table.rows[1].cells] == [None] * 4
    assert "MPJPE minus that of a, with its 95 % interval" in table.caption
    assert "below 0 is better" in table.caption
