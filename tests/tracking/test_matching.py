import numpy as np
import pytest

from poselift.tracking.matching import assign, cost
from poselift.tracking.track import Difference


def test_gates_open_with_time():
    ran = Difference(shift=0.8, shape=0.1, size=0.1)
    assert cost(ran, 1 / 30) == np.inf
    assert np.isfinite(cost(ran, 0.5))
    shrunk = Difference(shift=0.0, shape=0.1, size=0.8)
    assert cost(shrunk, 1 / 30) == np.inf
    assert np.isfinite(cost(shrunk, 0.5))
    assert cost(Difference(2.0, 0.0, 0.0), 100.0) == np.inf
    assert cost(None, 1.0) == np.inf


def test_each_difference_costs():
    plain = cost(Difference(0.1, 0.1, 0.1), 0.1)
    assert cost(Difference(0.2, 0.1, 0.1), 0.1) > plain
    assert cost(Difference(0.1, 0.2, 0.1), 0.1) > plain
    assert cost(Difference(0.1, 0.1, 0.2), 0.1) > plain


def test_a_cost_by_hand():
    # 0.3 lengths in 0.2 s are one prediction's worth, then twice the shape and once the size.
    assert cost(Difference(shift=0.3, shape=0.05, size=0.2), 0.2) == pytest.approx(1.0 + 0.1 + 0.2)


def test_the_best_assignment_in_sum_is_found():
    assert assign([[1.0, 2.0], [1.5, 9.0]]) == [(0, 1), (1, 0)]


def test_what_cannot_be_is_never_assigned():
    assert assign([[np.inf, 1.0], [np.inf, 0.5]]) == [(1, 1)]
    assert assign([[np.inf]]) == []
    assert assign([]) == []
    assert assign([[], []]) == []
