"""The progress bars of the commands."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from poselift.core.progress_text import MinuteLines


@contextmanager
def stage_progress(console: Console) -> Iterator[Callable[[str, float], None]]:
    """A function of stage and share done (0 to 1) that draws one bar for each stage, with the time left.

    Where the output is no terminal, a line a minute stands for the bars.
    """
    columns = (
        TextColumn("{task.description:<15}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, disable=console.quiet) as bars:
        tasks: dict[str, TaskID] = {}
        lines: dict[str, MinuteLines] = {}

        def report(stage: str, done: float) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=1.0)
                lines[stage] = MinuteLines(console)
            bars.update(tasks[stage], completed=done)
            lines[stage].report(stage, done)

        yield report
