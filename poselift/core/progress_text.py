"""What commands print, and the progress of long jobs. Terminals get a bar, others a line a minute."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, TypeVar

from tqdm import tqdm

from poselift.core.errors import make_printable

_EVERY = 60.0
"""Seconds between two lines: few enough for a log of hours, and nobody thinks that the job hangs."""

_Item = TypeVar("_Item")

_BAR = "{desc:<15} {bar:40} {percentage:3.0f}% {remaining}"
"""A bar of tqdm; `remaining` is the time left."""


def show(line: object) -> None:
    """Prints lines; control characters in names of files are escaped."""
    print(make_printable(str(line)), flush=True)


class Output:
    """Where a command writes lines and bars for people.

    Args:
        file: of text, open for writing; the standard output if it is left out.
        quiet: nothing is written.
    """

    def __init__(self, file: Any = None, quiet: bool = False) -> None:
        self.file = sys.stdout if file is None else file
        self.quiet = quiet

    @property
    def has_bars(self) -> bool:
        """Whether it is a terminal, which can show bars."""
        return not self.quiet and self.file.isatty()

    def print(self, line: str) -> None:
        """Writes a line, above the bars; control characters are escaped."""
        if not self.quiet:
            tqdm.write(make_printable(line), file=self.file)
            self.file.flush()

    def open_bar(self, what: str, total: int | float | None, look: str = _BAR, row: int = 0) -> tqdm:
        """A progress bar to close; invisible where there are no bars.

        Args:
            what: names the job.
            total: of its steps.
            look: of the bar, in tqdm's words.
            row: below the first bar.
        """
        # Not smoothed: the last steps of a job in several processes tell little about the next.
        return tqdm(
            desc=what,
            total=total,
            file=self.file,
            disable=not self.has_bars,
            bar_format=look,
            position=row,
            smoothing=0,
        )


class MinuteLines:
    """Prints a line a minute about a job without a terminal.

    Args:
        output: nothing is printed if it is quiet or shows bars.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._silent = output.quiet or output.has_bars
        self._begun = self._last = time.monotonic()

    def report(self, what: str, done: float) -> None:
        """Prints the progress, if the last line was a minute ago.

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
        self._output.print(f"{what}: {100 * done:.0f} % after {in_words(so_far)}{left}")


@contextmanager
def stage_progress(output: Output) -> Iterator[Callable[[str, float], None]]:
    """A function of stage and share done that shows progress.

    It draws one bar for each stage, or prints a line a minute; the share is 0 to 1.
    """
    stages: dict[str, tuple[tqdm, MinuteLines]] = {}

    def report(stage: str, done: float) -> None:
        if stage not in stages:
            stages[stage] = output.open_bar(stage, 1.0, row=len(stages)), MinuteLines(output)
        bar, lines = stages[stage]
        bar.update(done - bar.n)
        lines.report(stage, done)

    try:
        yield report
    finally:
        for bar, _ in stages.values():
            bar.close()


def track(
    items: Iterable[_Item], description: str, output: Output | None = None, total: int | None = None
) -> Iterator[_Item]:
    """The items, with their progress shown.

    Args:
        items: of the job.
        description: names the job.
        output: the standard output if it is left out.
        total: number of items; needed if `items` has no length.
    """
    output = output or Output()
    total = len(items) if total is None and isinstance(items, Sized) else total
    lines = MinuteLines(output)
    with output.open_bar(description, total) as bar:
        for number, item in enumerate(items):
            if total:
                lines.report(description, number / total)
            yield item
            bar.update()


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
