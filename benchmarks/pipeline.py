"""Frames a second of each stage of `poselift lift`.

    python -m benchmarks.pipeline [--video FILE] [--detector NAME] [--repeats N]

Runs the whole command N times in this process, rendering included. Prints the median time of each stage, and the time
of all other stages as a share of detection.
"""

import json
import platform
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks.command import command_line, table_head, table_row
from poselift.cli.main import main as poselift
from poselift.samples import demo_video


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = command_line(__doc__)
    parser.add_argument("--video", type=Path, default=demo_video(), help="default: the demo clip")
    parser.add_argument("--detector", default="movenet", help="default movenet")
    parser.add_argument("--repeats", type=int, default=3, help="default 3")
    options = parser.parse_args(arguments)
    summaries = []
    for _ in range(options.repeats):
        with tempfile.TemporaryDirectory() as folder:
            poselift(["lift", str(options.video), "--detector", options.detector, "--out", folder, "--quiet"])
            summaries.append(json.loads((Path(folder) / "summary.json").read_text(encoding="utf-8")))
    frames, people = summaries[0]["frames"], len(summaries[0]["people"])
    runs: list[dict[str, float]] = [summary["seconds"] for summary in summaries]
    print(f"{options.video.name}, {frames} frames, {people} people, detector {options.detector}")
    print(
        f"{platform.processor() or platform.machine()}, {torch.get_num_threads()} threads, median of {len(runs)} runs"
    )
    print(table_head(["stage", "seconds", "frames a second", "spread, seconds"]))
    for stage in runs[0]:
        values = [run[stage] for run in runs]
        median = statistics.median(values)
        spread = f"{min(values):.2f} to {max(values):.2f}"
        print(table_row([stage, f"{median:.2f}", f"{frames / median:.0f}", spread]))
    rest = [sum(run[stage] for stage in run if stage not in ("detect", "render")) / run["detect"] for run in runs]
    print(f"All stages but detection and rendering: {100 * statistics.median(rest):.1f} % of detection's time.")


if __name__ == "__main__":
    main()
