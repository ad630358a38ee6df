"""The progress bars of the commands."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

from poselift.core.progress_text import MinuteLines, Output


@contextmanager
def stage_progress(output: Output) -> Iterator[Callable[[str, float], None]]:
    """A function of stage and share done (0 to 1) that draws one bar for each stage, with the time left.

    Where the output is no terminal, a line a minute stands for the bars.
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
