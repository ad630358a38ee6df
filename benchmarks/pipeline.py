"""How many frames a second each stage of `poselift lift` does.

    python benchmarks/pipeline.py [--video FILE] [--detector NAME] [--repeats N]

Runs the whole command in this process, rendering and all, N times, and prints the median of each stage's time and
the share that everything but detection and rendering takes of detection's.
"""

import argparse
import json
import platform
import statistics
import tempfile
from pathlib import Path

import torch

from poselift.cli.main import main
from poselift.samples import demo_video

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--video", type=Path, default=demo_video())
parser.add_argument("--detector", default="movenet")
parser.add_argument("--repeats", type=int, default=3)
options = parser.parse_args()

runs: list[dict[str, float]] = []
frames = 0
for _ in range(options.repeats):
    with tempfile.TemporaryDirectory() as folder:
        main(["lift", str(options.video), "--detector", options.detector, "--out", folder, "--quiet"])
        summary = json.loads((Path(folder) / "summary.json").read_text())
    runs.append(summary["seconds"])
    frames = summary["frames"]

print(f"{options.video.name}, {frames} frames, {len(summary['people'])} people, detector {options.detector}")
print(f"{platform.processor() or platform.machine()}, {torch.get_num_threads()} threads, median of {len(runs)} runs")
medians = {stage: statistics.median(run[stage] for run in runs) for stage in runs[0]}
print("| stage | seconds | frames a second | spread |\n|---|---|---|---|")
for stage, seconds in medians.items():
    values = [run[stage] for run in runs]
    print(f"| {stage} | {seconds:.2f} | {frames / seconds:.0f} | {min(values):.2f} to {max(values):.2f} |")
rest = [sum(run[s] for s in run if s not in ("detect", "render")) / run["detect"] for run in runs]
print(f"All but detection and rendering: {100 * statistics.median(rest):.1f} % of detection's time.")
