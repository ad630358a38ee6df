import tracemalloc

import numpy as np
import pytest

from benchmarks.made_worlds import Scene, see, walk
from poselift.lifting.prepare import exchanges_by_courses
from poselift.lifting.prepare.exchanged_sides import exchange, find_hidden_steps, group_pairs
from poselift.lifting.prepare.exchanges_by_courses import follow_courses, weigh_courses
from poselift.lifting.prepare.side_differences import measure_differences
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

BODY = group_pairs(COCO17)[0]


@pytest.mark.parametrize("first", [40, 63])
def test_the_evidence_is_highest_where_the_sides_change(first):
    right = see(Scene("", walk, 0, 10), noise=2.0)[0]
    sides = measure_differences(exchange(right, np.arange(len(right)) >= first, BODY), BODY, 0.2)
    none = np.zeros(len(right), int)
    evidence = weigh_courses(sides, none)
    assert evidence.argmax() == first
    assert evidence[first] > 3
    assert evidence[0] == 0
    signs = follow_courses(sides, none, 3.0)
    np.testing.assert_array_equal(signs, np.arange(len(right)) >= first)
    assert weigh_courses(sides, signs).max() == 0


@pytest.mark.slow
def test_long_clips_are_followed_in_little_memory(monkeypatch):
    """All courses of an hour of 120 frames a second at once took 6 GB."""
    times, random = np.arange(1500) / 60, np.random.default_rng(0)
    points = 500 + 200 * random.normal(size=(17, 2)) + random.normal(size=(len(times), 17, 2))
    track = Keypoints2D(points.astype(np.float32), np.full((len(times), 17), 0.8), times, COCO17, (1280, 720))
    hidden, peaks = [], []
    for block in (150, len(times)):
        monkeypatch.setattr(exchanges_by_courses, "_BLOCK", block)
        tracemalloc.start()
        hidden.append(find_hidden_steps(track, BODY, 0.3))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < 0.4 * peaks[1]
    np.testing.assert_array_equal(*hidden)
