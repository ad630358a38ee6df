from itertools import pairwise

import pytest

from poselift.optim.schedules import constant, cosine


def test_cosine_warms_up_peaks_and_ends_low():
    factor = cosine(1000, warmup=50, final=0.01)
    values = [factor(step) for step in range(1200)]
    assert values[0] == pytest.approx(1 / 51)
    assert values[50] == pytest.approx(1.0)
    assert max(values) == values[50]
    assert all(a > b for a, b in pairwise(values[50:1000]))
    assert values[525] == pytest.approx((1 + 0.01) / 2, abs=1e-6)
    assert values[1000:] == [pytest.approx(0.01)] * 200


def test_short_runs_warm_up_for_a_tenth_at_most():
    assert cosine(10, warmup=500)(1) == pytest.approx(1.0)
    assert cosine(1, warmup=500)(0) == pytest.approx(1.0)


def test_constant():
    assert [constant(3)(step) for step in range(5)] == pytest.approx([0.25, 0.5, 0.75, 1, 1])
