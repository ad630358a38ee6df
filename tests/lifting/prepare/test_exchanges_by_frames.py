from itertools import pairwise, product

import numpy as np
import pytest

from benchmarks.made_worlds import Scene, see, walk
from poselift.lifting.prepare.exchanged_sides import exchange, group_pairs
from poselift.lifting.prepare.exchanges_by_frames import _cheapest, _margin, find_flips, unclear_rows
from poselift.lifting.prepare.side_differences import measure_differences
from poselift.skeleton import COCO17

BODY = group_pairs(COCO17)[0]


def pay(costs, changes, price):
    return price * sum(changes) + sum(costs[a, b, row] for row, (a, b) in enumerate(pairwise(changes)))


@pytest.mark.parametrize("seed", range(5))
def test_the_cheapest_changes_and_their_margin_are_those_of_all_changes(seed):
    """Of all 128 changes of seven steps."""
    costs, price = np.random.default_rng(seed).uniform(0, 4, (2, 2, 6)), 1.5
    every = list(product((0, 1), repeat=7))
    best = min(every, key=lambda changes: pay(costs, changes, price))
    assert tuple(_cheapest(costs, price)) == best
    odd = [changes for changes in every if sum(changes) % 2 != sum(best) % 2]
    margin = min(pay(costs, changes, price) for changes in odd) - pay(costs, best, price)
    assert _margin(costs, np.array(best), price) == pytest.approx(margin)


def test_flips_of_a_walk():
    right = see(Scene("", walk, 30, 10), noise=2.0)[0]
    frames = np.random.default_rng(0).random(len(right)) < 1 / 3
    sides = measure_differences(exchange(right, frames, BODY), BODY, 0.2)
    np.testing.assert_array_equal(find_flips(sides)[1:], frames[1:] != frames[:-1])
    assert not unclear_rows(sides).any()
