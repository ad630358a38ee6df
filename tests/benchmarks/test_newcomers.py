from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import newcomers
from poselift.video import Frame


class Fixed:
    """Finds one person, who stands still, in frames of some numbers, and nobody in others; looks at every third one."""

    def __init__(self, pose, there):
        self._pose, self._there = pose, there

    def find(self, frames):
        for frame in frames:
            found = self._pose[None][: frame.index in self._there]
            yield SimpleNamespace(keypoints=found) if frame.index % 3 == 0 else None, frame.timestamp


@pytest.mark.parametrize(
    ("there", "delay"),
    [(range(9, 60), 0.2), ((9, 12, *range(24, 60)), 0.7), (range(57, 60), 1.8), ((), np.inf), ((9,), np.inf)],
)
def test_from_when_somebody_is_seen_without_long_pauses(there, delay):
    pose = np.random.default_rng(0).uniform(0, 200, (17, 2))
    frames = [Frame(np.zeros((2, 2, 3), np.uint8), index / 30, index) for index in range(60)]
    [found] = newcomers.delays(Fixed(pose, there), frames, [0.1], pose[None])
    assert found == pytest.approx(delay)


@pytest.mark.slow
def test_newcomers_are_found(short_demo, table):
    size = ["--people", "2", "--height", "80", "--clips", "1", "--size", "640x360"]
    newcomers.main([*size, "--qualities", "fast"])
    _, (quality, number, found, *_) = table()
    assert (quality, number) == ("fast", "2")
    assert float(found) > 0
