"""The course of long jobs where no terminal shows a bar: a line a minute."""

import time
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

from rich.console import Console
from rich.progress import track as draw_bar

_EVERY = 60.0
"""Seconds between two lines: few enough for a log of hours, and nobody thinks that the job hangs."""

_Item = TypeVar("_Item")


class MinuteLines:
    """Prints a line a minute about a job, where its output goes to a file or a pipe.

    Args:
        console: of the output; nothing is printed if it is quiet, a terminal or a notebook, which show bars.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._silent = console.quiet or console.is_terminal or console.is_jupyter
        self._begun = self._last = time.monotonic()

    def report(self, what: str, done: float) -> None:
        """Prints how far the job is, if the last line was a minute ago.

        Args:
            what: names the job.
            done: its share, 0 to 1.
        """
        now = time.monotonic()
        if self._silent or now - self._last < _EVERY:
            return
        self._last = now
        so_far = now - self._begun
        left = f", about {in_words(so_far * (1 - done) / done)} left" if done > 0 else ""
        # Some consoles of the commands wrap, and some read square brackets as markup.
        self._console.print(
            f"{what}: {100 * done:.0f} % after {in_words(so_far)}{left}", soft_wrap=True, markup=False, highlight=False
        )


def track(
    items: Iterable[_Item], description: str, console: Console | None = None, total: int | None = None
) -> Iterator[_Item]:
    """The items, with a bar on a terminal and a line a minute elsewhere.

    Args:
        items: of the job.
        description: names the job.
        console: of the output; the standard output if it is left out.
        total: number of items; needed if `items` has no length.
    """
    console = console or Console()
    total = len(items) if total is None and isinstance(items, Sized) else total
    lines = MinuteLines(console)
    for number, item in enumerate(draw_bar(items, description, total=total, console=console)):
        if total:
            lines.report(description, number / total)
        yield item


def in_words(seconds: float) -> str:
    """A time in round numbers.

    Example:
        >>> in_words(42.3), in_words(312.0), in_words(9000.0)
        ('42 s', '5 min', '2 h 30 min')
    """
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
