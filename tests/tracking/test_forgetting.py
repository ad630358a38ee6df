"""A tracker without a history: the same numbers, and flat memory."""

import numpy as np
import pytest

from poselift.tracking import Tracker
from tests.tracking.test_tracker import RATE

SIZE = (1280, 720)


@pytest.mark.slow
def test_numbers_are_the_same_and_nothing_grows(scenes):
    def scene(time):
        # Two who cross, one of them hidden for a while, and one who leaves for good.
        one = [scenes.walker(100 + 120 * time, time, seed=1)] if not 4 < time < 5 else []
        other = [scenes.walker(1200 - 120 * time, time, seed=2)]
        third = [scenes.walker(600, time, seed=3)] if time < 2 else []
        return one + other + third

    whole, recent = Tracker(SIZE), Tracker(SIZE, history=False)
    seen = set()
    for time in np.arange(8 * RATE) / RATE:
        found = None if round(time * RATE) % 3 == 1 else scenes.detections(scene(time))
        numbers = whole.update(found, float(time))
        assert recent.update(found, float(time)) == numbers
        seen |= set(numbers)
        for track in recent._alive:
            assert len(track.frames) == len(track.keypoints) == len(track.scores) <= 2
            assert len(track.timestamps) <= 3
    assert {1, 2, 3} <= seen
    assert len(recent._timestamps) == len(recent._detected) == 2
    assert len(recent._alive) == 2, "the one who left is forgotten"
    assert len(whole._timestamps) == 8 * RATE
