"""Values against the papers' formulas, written out anew."""

import math
from itertools import pairwise

import pytest

from poselift.optim import schedules


def values(schedule, steps):
    return [schedule(step) for step in range(steps)]


def test_cosine_falls_from_one_to_final_and_stays():
    got = values(schedules.cosine_decay(1000, final=0.01), 1200)
    assert got[0] == 1.0
    assert got[500] == pytest.approx((1 + 0.01) / 2)
    assert got[250] == pytest.approx(0.01 + 0.99 * (1 + math.sqrt(0.5)) / 2)
    assert all(a > b for a, b in pairwise(got[:1000]))
    assert got[1000:] == [pytest.approx(0.01)] * 200


def test_linear_warmup():
    for tau in (1, 4, 300):
        assert values(schedules.linear_warmup(tau), 400) == pytest.approx([min(1, t / tau) for t in range(1, 401)])
    assert values(schedules.linear_warmup(0), 2) == [1, 1]


def test_exponential_warmup():
    got = values(schedules.exponential_warmup(10), 200)
    assert got == pytest.approx([1 - math.exp(-t / 10) for t in range(1, 201)])


@pytest.mark.parametrize("beta2", [0.9, 0.98, 0.999])
def test_untuned_warmups(beta2):
    linear = values(schedules.untuned_linear_warmup(beta2), 3000)
    exponential = values(schedules.untuned_exponential_warmup(beta2), 3000)
    assert linear == pytest.approx([min(1, (1 - beta2) / 2 * t) for t in range(1, 3001)])
    assert exponential == pytest.approx([1 - math.exp(-(1 - beta2) * t) for t in range(1, 3001)])
    # Full after 2 / (1 - beta2) steps.
    assert linear.index(1.0) + 1 == pytest.approx(2 / (1 - beta2), abs=1)


@pytest.mark.parametrize(("d", "warmup"), [(512, 4000), (64, 10)])
def test_noam_has_the_rates_of_the_paper(d, warmup):
    base = (d * warmup) ** -0.5
    got = values(schedules.noam(warmup), 3 * warmup)
    paper = [d**-0.5 * min(t**-0.5, t * warmup**-1.5) for t in range(1, 3 * warmup + 1)]
    assert [base * factor for factor in got] == pytest.approx(paper, rel=1e-12)
    assert max(got) == got[warmup - 1] == pytest.approx(1.0)
