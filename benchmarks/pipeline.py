"""Speed of `poselift lift`, by stages and as a whole, and what each quality costs in accuracy.

    python -m benchmarks.pipeline [--clips NAME ...] [--qualities best balanced fast] [--repeats N]
    python -m benchmarks.pipeline --errors [--clips NAME ...]

Times are of the whole command with rendering, without the start of Python and the loading of weights, each run in a
process of its own. The last column is of another process: the CPU seconds from start to end, less its stages. The
qualities of a clip are run in turns; ratios are to the first one.

`--errors` compares the 3D with that of `best`: mean distance of the joints relative to the pelvis, by person; how much
later somebody is found; how many people there are. The last row of each clip is the distance between `best` on the clip
and `best` on the mirrored clip, mirrored back: what the detector's noise alone does.

The clips are those of benchmarks/clips.py.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.clips import CLIPS, make_clip
from benchmarks.command import command_line, print_table
from poselift.detection import build_detector
from poselift.finding import QUALITIES
from poselift.finding.video_clip import VideoClip
from poselift.lifting import lift_clip
from poselift.models import load_weights
from poselift.structures import Motion
from poselift.video import VideoReader, VideoWriter

_RUN = """
import json, sys, tempfile, time
from pathlib import Path
from statistics import median
from poselift.cli.main import main
video, options = sys.argv[1], sys.argv[2:]
with tempfile.TemporaryDirectory() as folder:
    main(["lift", video, "--quiet", "--out", folder + "/warm", "--end", "0.2", *options])
    cpu, wall = time.process_time(), time.perf_counter()
    main(["lift", video, "--quiet", "--out", folder + "/run", *options])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    summary = json.loads(Path(folder, "run", "summary.json").read_text())
print(json.dumps({"whole": wall, "cpu": cpu, "frames": summary["frames"], "people": len(summary["people"]),
    "seconds": summary["seconds"]}))
"""

_COLD = """
import json, sys, tempfile, time
from pathlib import Path
from poselift.core import stopwatch
stopwatch.perf_counter = time.process_time  # the seconds of the stages are then CPU seconds
from poselift.cli.main import main
with tempfile.TemporaryDirectory() as folder:
    main(["lift", sys.argv[1], "--quiet", "--out", folder, *sys.argv[2:]])
    print(time.process_time() - sum(json.loads(Path(folder, "summary.json").read_text())["seconds"].values()))
"""


def timed(video: Path, options: Sequence[str]) -> dict:
    """One run of `poselift lift` in a process of its own, and one with the start of Python."""
    command = [sys.executable, "-c", _RUN, str(video), *options]
    run: dict = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    command = [sys.executable, "-c", _COLD, str(video), *options]
    cold = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return run | {"outside": float(cold.splitlines()[-1])}


def speed_rows(options: argparse.Namespace, folder: Path) -> Iterator[list[str]]:
    """The speed of each clip and quality, and the stages."""
    for name in options.clips:
        video = make_clip(name, folder).absolute()
        runs: dict[str, list[dict]] = {quality: [] for quality in options.qualities}
        for _ in range(options.repeats):
            for quality, several in runs.items():
                several.append(timed(video, ["--quality", quality, "--weights", options.weights, *options.lift]))
        first = median(run["whole"] for run in next(iter(runs.values())))
        for quality, several in runs.items():
            frames, whole = several[0]["frames"], [run["whole"] for run in several]
            stages = (f"{each} {median(run['seconds'][each] for run in several):.2f}" for each in several[0]["seconds"])
            yield [
                name,
                f"{frames}, {several[0]['people']}",
                quality,
                f"{frames / median(whole):.1f}",
                f"{frames / max(whole):.1f} to {frames / min(whole):.1f}",
                f"{first / median(whole):.2f}",
                f"{1000 * median(run['cpu'] for run in several) / frames:.0f}",
                ", ".join(stages),
                f"{median(run['outside'] for run in several):.2f}",
            ]


def lifted(video: Path, quality: str, weights: str) -> list[Motion]:
    """Everybody's motion."""
    clip = VideoClip(video, build_detector("movenet"), quality=quality)
    return list(lift_clip(clip, load_weights(weights)).people)


def distance(motion: Motion, other: Motion) -> np.ndarray:
    """Mean distance of the joints in each common frame, mm."""
    _, rows, others = np.intersect1d(motion.timestamps, other.timestamps, return_indices=True)
    apart: np.ndarray = 1000 * np.linalg.norm(motion.joints[rows] - other.joints[others], axis=-1).mean(-1)
    return apart[np.isfinite(apart)]


def same_person(motion: Motion, others: Sequence[Motion]) -> Motion | None:
    """The other motion whose keypoints are nearest, if they are near."""

    def apart(other: Motion) -> float:
        mine, theirs = motion.keypoints.bridge(), other.keypoints.bridge()
        _, rows, columns = np.intersect1d(mine.timestamps, theirs.timestamps, return_indices=True)
        gaps = np.linalg.norm(mine.keypoints[rows] - theirs.keypoints[columns], axis=-1)
        gaps = gaps[np.isfinite(gaps)]
        return float(np.median(gaps)) if len(gaps) else np.inf

    size = float(np.nanmedian(np.ptp(motion.keypoints.keypoints[motion.keypoints.seen], axis=1).max(-1)))
    nearest = min(others, key=apart, default=None)
    return nearest if nearest is not None and apart(nearest) < 0.15 * size else None


def mirrored_back(motions: Sequence[Motion], width: int) -> list[Motion]:
    """Motions of a mirrored clip, as they are in the clip itself."""
    back = []
    for motion in motions:
        order = list(motion.skeleton.flip_indices)
        keypoints = motion.keypoints
        sides = list(keypoints.skeleton.flip_indices)
        points = keypoints.keypoints[:, sides] * [-1, 1] + [width - 1, 0]
        keypoints = replace(keypoints, keypoints=points, scores=keypoints.scores[:, sides])
        joints = motion.joints[:, order] * np.array([-1, 1, 1], np.float32)
        back.append(replace(motion, joints=joints, keypoints=keypoints))
    return back


def error_rows(options: argparse.Namespace, folder: Path) -> Iterator[list[str]]:
    """The distance of each quality to `best`."""
    for name in options.clips:
        video = make_clip(name, folder)
        best = lifted(video, "best", options.weights)
        rows = {quality: lifted(video, quality, options.weights) for quality in options.qualities if quality != "best"}
        mirror = folder / f"{name}_and_mirrored.mp4"
        reader = VideoReader(video)
        with VideoWriter(mirror, reader.info.width, reader.info.height) as writer:
            for frame in reader:
                writer.write(np.ascontiguousarray(frame.image[:, ::-1]), frame.timestamp)
        rows["best, mirrored"] = mirrored_back(lifted(mirror, "best", options.weights), reader.info.width)
        for quality, motions in rows.items():
            pairs = [(one, other) for one in best if (other := same_person(one, motions)) is not None]
            far = [distance(*pair) for pair in pairs]
            later = [other.timestamps[0] - one.timestamps[0] for one, other in pairs]
            every = np.concatenate([np.zeros(0), *far])
            people = f"{len(pairs)} of {len(best)}, {len(motions)} in all"
            cells = [f"{every.mean():.1f}", ", ".join(f"{one.mean():.1f}" for one in far)]
            yield [
                name,
                quality,
                people,
                *cells,
                f"{np.percentile(every, 90):.1f}",
                f"{max(later, default=np.nan):.2f}",
            ]


SPEED = (
    *("clip", "frames, people", "quality", "frames a second", "spread"),
    *("ratio", "CPU ms a frame", "stages, s", "outside, s"),
)
ERRORS = ("clip", "quality", "people", "distance to best, mm", "by person", "90 % of frames", "found later, s")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = command_line(__doc__)
    parser.add_argument("--clips", nargs="+", choices=list(CLIPS), default=["two_people"], help="default: two_people")
    parser.add_argument("--qualities", nargs="+", choices=list(QUALITIES), default=list(QUALITIES), help="default: all")
    parser.add_argument("--repeats", type=int, default=3, help="default 3")
    parser.add_argument(
        "--lift", action="append", default=[], metavar="OPTION", help="another option, as --lift=--no-render"
    )
    parser.add_argument("--weights", default="small", help="default small")
    parser.add_argument("--errors", action="store_true", help="compare the 3D, not the time")
    parser.add_argument("--folder", type=Path, help="keeps the clips")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        heads, rows = (ERRORS, error_rows) if options.errors else (SPEED, speed_rows)
        print_table(heads, rows(options, options.folder or Path(temporary)))


if __name__ == "__main__":
    main()
