"""How often a finder looks, by quality, and which frames these are."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from poselift.video import Frame


@dataclass(frozen=True)
class Pace:
    """How often a finder looks.

    Attributes:
        rate: most crop detections a second of one person.
        calm: people whose movement can be foreseen are looked at every so many of these times.
        searches: searches of the whole picture a second, coarse and fine by turns.
        quick: search and look with less precision, where the detector is faster so.
    """

    rate: float
    calm: int
    searches: float
    quick: bool = False


QUALITIES = {
    "best": Pace(2000.0, 1, 6.0),
    "balanced": Pace(30.0, 1, 6.0, quick=True),
    "fast": Pace(15.0, 2, 6.0, quick=True),
}
"""By name. `best` looks at every frame. 30 quick crop detections a second cost less and err less than precise ones, of
which calm people get 15 (benchmarks/README.md)."""
SECOND_RATES = {"best": 15.0, "balanced": 7.5, "fast": 7.5}
"""Crop detections a second of one person by a detector's second model, by quality."""
DEFAULT_QUALITY = "balanced"

_LATER = 4
"""Frames at most that are read before they are due, to look at one of them early."""


class Ticks:
    """Chooses frames nearest to a clock's ticks, whatever the rate."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._start: float | None = None
        self._previous = 0.0

    def tick(self, time: float) -> int:
        """Number of the last tick, from 0. A frame with a higher one than the frame before is chosen."""
        if self._start is None:
            self._start = self._previous = time
        half = min(time - self._previous, 1 / self._rate) / 2
        self._previous = time
        return int((time + half - self._start) * self._rate + 1e-6)


def pair_with_later_frames(frames: Iterable[Frame], rate: float) -> Iterator[tuple[Frame, Frame | None, bool]]:
    """Each frame with a later one for another core.

    The frames; the next one at a tick of a clock, if at most `_LATER` frames later; and whether it is the last.

    Args:
        frames: in order.
        rate: ticks a second.
    """
    clock, tick = Ticks(rate), -1
    waiting: deque[tuple[Frame, bool]] = deque()

    def first() -> tuple[Frame, Frame | None]:
        frame, _ = waiting.popleft()
        return frame, next((later for later, due in waiting if due), None)

    for frame in frames:
        before, tick = tick, clock.tick(frame.timestamp)
        waiting.append((frame, tick > before))
        if len(waiting) > _LATER:
            yield *first(), False
    while waiting:
        yield *first(), not waiting
