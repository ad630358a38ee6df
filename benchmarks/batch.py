"""`poselift batch` against a loop of `poselift lift`, in one interleaved run.

    python -m benchmarks.batch [--copies 6] [--repeats 3] [--lift=OPTION ...]

It times copies of the demo clip, whole processes with their start: one `poselift lift --no-render` after the other, a
batch with one worker, and a batch with its usual workers.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command import command_line, table_head, table_row
from poselift.core.threads import cores
from poselift.samples import demo_video

_POSELIFT = [sys.executable, "-c", "from poselift.cli.main import main; main()"]


def speed(copies: int, repeats: int, options: Sequence[str]) -> None:
    """Prints videos an hour of each way, and the ratio to the loop."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        (place / "videos").mkdir()
        for number in range(copies):
            shutil.copyfile(demo_video(), place / "videos" / f"{number}.mp4")
        ways = {
            "a loop of poselift lift": _loop,
            "poselift batch --workers 1": lambda *given: _batch(*given, "--workers", "1"),
            f"poselift batch, {cores()} cores": _batch,
        }
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        busy: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(repeats):
            for way, run in ways.items():
                begun, cpu = time.perf_counter(), _cpu()
                run(place, options)
                seconds[way].append(time.perf_counter() - begun)
                busy[way].append((_cpu() - cpu) / copies)
    first = seconds["a loop of poselift lift"]
    print(f"load average {os.getloadavg()[0]:.1f}")
    print(table_head(["way", "clips an hour", "spread", "times the loop", "spread of the ratio", "CPU s a clip"]))
    for way, several in seconds.items():
        rates = [3600 * copies / second for second in several]
        ratios = [loop / own for loop, own in zip(first, several, strict=True)]
        spread, ratio = f"{min(rates):.0f} to {max(rates):.0f}", f"{min(ratios):.2f} to {max(ratios):.2f}"
        used = f"{statistics.median(busy[way]):.1f}"
        cells = [f"{statistics.median(rates):.0f}", spread, f"{statistics.median(ratios):.2f}", ratio, used]
        print(table_row([way, *cells]), flush=True)


def _cpu() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _loop(place: Path, options: Sequence[str]) -> None:
    for video in sorted((place / "videos").iterdir()):
        out = place / "loop" / video.stem
        subprocess.run([*_POSELIFT, "lift", video, "--out", out, "--no-render", "--quiet", *options], check=True)


def _batch(place: Path, options: Sequence[str], *more: str) -> None:
    out = place / "batch"
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([*_POSELIFT, "batch", place / "videos", "--out", out, "--quiet", *options, *more], check=True)
    assert len(list(out.glob("*/batch.json"))) == len(list((place / "videos").iterdir()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = command_line(__doc__)
    parser.add_argument("--copies", type=int, default=6, help="default 6")
    parser.add_argument("--repeats", type=int, default=3, help="default 3")
    parser.add_argument(
        "--lift", action="append", default=[], metavar="OPTION", help="another option, as --lift=--quality=fast"
    )
    options = parser.parse_args(arguments)
    speed(options.copies, options.repeats, options.lift)


if __name__ == "__main__":
    main()
