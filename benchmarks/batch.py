"""`poselift batch` against a loop of `poselift lift`, in one interleaved run.

    python -m benchmarks.batch [--copies 6] [--repeats 3] [--workers N ...] [--device NAME ...] [--clip NAME]
        [--no-loop] [--lift=OPTION ...]

It times copies of a clip, whole processes with their start: one `poselift lift --no-render` after the other, and a
batch for each device and number of workers. By default these are one worker and one for each core, on `auto`.
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
from functools import partial
from pathlib import Path

from benchmarks.clips import CLIPS, make_clip
from benchmarks.command import command_line, print_table
from poselift.core.threads import cores
from poselift.video import VideoReader

_POSELIFT = [sys.executable, "-c", "from poselift.cli.main import main; main()"]


def speed(
    clip: Path, copies: int, repeats: int, batches: Sequence[tuple[str, int]], loop: bool, options: Sequence[str]
) -> None:
    """Prints clips an hour and frames a second of each way, and the ratio to the first.

    Args:
        clip: the video that is copied.
        copies: videos of each run.
        repeats: of each way, in turns.
        batches: device and number of workers of each batch.
        loop: time a loop of `poselift lift` first.
        options: of `poselift lift` and `poselift batch`.
    """
    frames = sum(1 for _ in VideoReader(clip))
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        (place / "videos").mkdir()
        for number in range(copies):
            shutil.copyfile(clip, place / "videos" / f"{number}.mp4")
        ways = {"a loop of poselift lift": partial(_loop, place, options)} if loop else {}
        for device, workers in batches:
            more = [*options, "--device", device, "--workers", str(workers)]
            ways[f"poselift batch --device {device} --workers {workers}"] = partial(_batch, place, more)
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        busy: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(repeats):
            for way, run in ways.items():
                begun, cpu = time.perf_counter(), _cpu()
                run()
                seconds[way].append(time.perf_counter() - begun)
                busy[way].append((_cpu() - cpu) / copies)
    first = next(iter(seconds.values()))
    print(f"load average {os.getloadavg()[0]:.1f}, {cores()} cores, {frames} frames a clip")
    rows = []
    for way, several in seconds.items():
        rates = [3600 * copies / second for second in several]
        ratios = [whole / own for whole, own in zip(first, several, strict=True)]
        spread, ratio = f"{min(rates):.0f} to {max(rates):.0f}", f"{min(ratios):.2f} to {max(ratios):.2f}"
        rate = statistics.median(rates)
        cells = [f"{rate:.0f}", spread, f"{rate * frames / 3600:.0f}", f"{statistics.median(ratios):.2f}", ratio]
        rows.append([way, *cells, f"{statistics.median(busy[way]):.1f}"])
    heads = ["way", "clips an hour", "spread", "frames a second", "times the first", "spread", "CPU s a clip"]
    print_table(heads, rows)


def _cpu() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _loop(place: Path, options: Sequence[str]) -> None:
    for video in sorted((place / "videos").iterdir()):
        out = place / "loop" / video.stem
        subprocess.run([*_POSELIFT, "lift", video, "--out", out, "--no-render", "--quiet", *options], check=True)


def _batch(place: Path, options: Sequence[str]) -> None:
    out = place / "batch"
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([*_POSELIFT, "batch", place / "videos", "--out", out, "--quiet", *options], check=True)
    assert len(list(out.glob("*/batch.json"))) == len(list((place / "videos").iterdir()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = command_line(__doc__)
    parser.add_argument("--copies", type=int, default=6, help="default 6")
    parser.add_argument("--repeats", type=int, default=3, help="default 3")
    parser.add_argument(
        "--workers", nargs="+", type=int, default=[1, cores()], metavar="N", help="default 1, and one for each core"
    )
    parser.add_argument("--device", nargs="+", default=["auto"], metavar="NAME", help="default auto")
    parser.add_argument("--clip", default="two_people", choices=list(CLIPS), help="default two_people")
    parser.add_argument("--no-loop", action="store_true", help="batches only")
    parser.add_argument(
        "--lift", action="append", default=[], metavar="OPTION", help="another option, as --lift=--quality=fast"
    )
    options = parser.parse_args(arguments)
    batches = [(device, workers) for device in options.device for workers in options.workers]
    with tempfile.TemporaryDirectory() as folder:
        clip = make_clip(options.clip, Path(folder))
        speed(clip, options.copies, options.repeats, batches, not options.no_loop, options.lift)


if __name__ == "__main__":
    main()
