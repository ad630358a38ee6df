"""How long each stage of a pipeline takes, measured from outside."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

_Item = TypeVar("_Item")


class Stopwatch:
    """Adds up the seconds of each stage.

    Stages may nest: the time of an inner stage does not count for the outer one. So a generator that reads from
    another one can be timed without knowing of it.

    Args:
        seconds: times of earlier stages, to which this one adds; none if left out.

    Attributes:
        seconds: time of each stage so far.

    Example:
        >>> watch = Stopwatch()
        >>> read = watch.timed("read", iter([1, 2]))
        >>> list(watch.timed("square", (number**2 for number in read)))
        [1, 4]
        >>> sorted(watch.seconds)
        ['read', 'square']
    """

    def __init__(self, seconds: Mapping[str, float] | None = None) -> None:
        self.seconds = dict(seconds or {})
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        """Counts the time of the block for a stage."""
        self._switch()
        self._running.append(stage)
        self.seconds.setdefault(stage, 0.0)
        try:
            yield
        finally:
            self._switch()
            self._running.pop()

    def timed(self, stage: str, items: Iterable[_Item]) -> Iterator[_Item]:
        """The items; the time of making them counts for a stage."""
        iterator = iter(items)
        while True:
            with self.time(stage):
                try:
                    item = next(iterator)
                except StopIteration:
                    return
            yield item

    def _switch(self) -> None:
        """Counts the time since the last switch for the innermost running stage."""
        now = perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now
