"""Speed of `poselift lift`, by stages and as a whole, and what each quality costs in accuracy.

    python -m benchmarks.pipeline [--clips NAME ...] [--qualities best balanced fast] [--against COMMIT] [--repeats N]
    python -m benchmarks.pipeline --errors [--clips NAME ...]

Times are of the whole command with rendering, without the start of Python and the loading of weights, each run in a
process of its own. The last column is of another process: what it takes from start to end, less its stages. All
variants of a clip are run in turns. `--against` adds the command of an earlier commit, which
knows no qualities; ratios are to it, or to the first quality.

`--errors` compares the 3D with that of `best`: mean distance of the joints relative to the pelvis, by person; how much
later somebody is found; how many people there are. The last row of each clip is the distance between `best` on the clip
and `best` on the mirrored clip, mirrored back: what the detector's noise alone does.

The clips are those of benchmarks/clips.py.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.clips import CLIPS, make_clip
from benchmarks.command import command_line, table_head, table_row
from poselift.detection import build_detector
from poselift.finding import QUALITIES
from poselift.finding.video_clip import VideoClip
from poselift.lifting import lift_clip
from poselift.models import load_weights
from poselift.structures import Motion
from poselift.video import VideoReader, VideoWriter

ROOT = Path(__file__).parents[1]

_RUN = """
import json, resource, sys, tempfile, time
from pathlib import Path
from poselift.cli.main import main
video, options = sys.argv[1], sys.argv[2:]
with tempfile.TemporaryDirectory() as folder:
    main(["lift", video, "--quiet", "--out", folder + "/warm", "--end", "0.2", *options])
    cpu, wall = time.process_time(), time.perf_counter()
    main(["lift", video, "--quiet", "--out", folder + "/run", *options])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    summary = json.loads(Path(folder, "run", "summary.json").read_text())
print(json.dumps({"whole": wall, "cpu": cpu, "frames": summary["frames"], "people": len(summary["people"]),
    "seconds": summary["seconds"], "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""

_COLD = "import sys; from poselift.cli.main import main; main(sys.argv[1:])"


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """A working tree of an earlier commit."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "--quiet", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def timed(tree: Path, video: Path, options: Sequence[str]) -> dict:
    """One run of `poselift lift` in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    command = [sys.executable, "-c", _RUN, str(video), *options]
    done = subprocess.run(command, env=environment, cwd=tree, check=True, capture_output=True, text=True)
    run: dict = json.loads(done.stdout.splitlines()[-1])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _COLD, "lift", str(video), "--quiet", "--out", f"{folder}/run", *options]
        begun = time.perf_counter()
        subprocess.run(command, env=environment, cwd=tree, check=True, capture_output=True)
        whole, summary = time.perf_counter() - begun, json.loads(Path(folder, "run", "summary.json").read_text())
    return run | {"outside": whole - sum(summary["seconds"].values())}


def speed(options: "Options", folder: Path) -> None:
    """Prints the speed of each clip and variant, and the stages."""
    with tempfile.TemporaryDirectory() as empty, checkout(options.against) if options.against else _none(empty) as old:
        variants = {options.against: (old, [])} if options.against else {}
        variants |= {quality: (ROOT, ["--quality", quality]) for quality in options.qualities}
        print(
            table_head(
                [
                    "clip",
                    "frames, people",
                    "variant",
                    "frames a second",
                    "spread",
                    "ratio",
                    "CPU ms a frame",
                    "stages, s",
                    "outside, s",
                ]
            )
        )
        for name in options.clips:
            video = make_clip(name, folder).absolute()
            runs: dict[str, list[dict]] = {variant: [] for variant in variants}
            for _ in range(options.repeats):
                for variant, (tree, extra) in variants.items():
                    runs[variant].append(timed(tree, video, [*extra, "--weights", options.weights, *options.lift]))
            first = statistics.median(run["whole"] for run in next(iter(runs.values())))
            for variant, several in runs.items():
                frames, whole = several[0]["frames"], [run["whole"] for run in several]
                median = statistics.median(whole)
                cpu = 1000 * statistics.median(run["cpu"] for run in several) / frames
                stages = ", ".join(
                    f"{stage} {statistics.median(run['seconds'][stage] for run in several):.2f}"
                    for stage in several[0]["seconds"]
                )
                spread = f"{frames / max(whole):.1f} to {frames / min(whole):.1f}"
                cells = [name, f"{frames}, {several[0]['people']}", variant, f"{frames / median:.1f}", spread]
                cells += [f"{first / median:.2f}", f"{cpu:.0f}", stages]
                print(table_row([*cells, f"{statistics.median(run['outside'] for run in several):.2f}"]), flush=True)


@contextmanager
def _none(folder: str) -> Iterator[Path]:
    yield Path(folder)


def lifted(video: Path, quality: str, weights: str) -> list[Motion]:
    """Everybody's motion."""
    clip = VideoClip(video, build_detector("movenet"), quality=quality)
    return lift_clip(clip, load_weights(weights)).motions


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


def errors(options: "Options", folder: Path) -> None:
    """Prints the distance of each quality to `best`."""
    heads = ["clip", "quality", "people", "distance to best, mm", "by person", "90 % of frames", "found later, s"]
    print(table_head(heads))
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
            pairs = [(one, same_person(one, motions)) for one in best]
            far = [distance(one, other) for one, other in pairs if other is not None]
            later = [other.timestamps[0] - one.timestamps[0] for one, other in pairs if other is not None]
            every = np.concatenate([np.zeros(0), *far])
            people = f"{sum(other is not None for _, other in pairs)} of {len(best)}, {len(motions)} in all"
            cells = [f"{every.mean():.1f}", ", ".join(f"{one.mean():.1f}" for one in far)]
            cells += [f"{np.percentile(every, 90):.1f}", f"{max(later, default=np.nan):.2f}"]
            print(table_row([name, quality, people, *cells]), flush=True)


class Options:
    """The options of the command line."""

    clips: list[str]
    qualities: list[str]
    against: str | None
    repeats: int
    lift: list[str]
    weights: str
    errors: bool
    folder: Path | None


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = command_line(__doc__)
    parser.add_argument("--clips", nargs="+", choices=list(CLIPS), default=["two_people"], help="default: two_people")
    parser.add_argument("--qualities", nargs="+", choices=list(QUALITIES), default=list(QUALITIES), help="default: all")
    parser.add_argument("--against", metavar="COMMIT", help="also time the command of this commit")
    parser.add_argument("--repeats", type=int, default=3, help="default 3")
    parser.add_argument(
        "--lift", action="append", default=[], metavar="OPTION", help="another option, as --lift=--no-render"
    )
    parser.add_argument("--weights", default="small", help="default small")
    parser.add_argument("--errors", action="store_true", help="compare the 3D, not the time")
    parser.add_argument("--folder", type=Path, help="keeps the clips")
    options = parser.parse_args(arguments, Options())
    with tempfile.TemporaryDirectory() as temporary:
        (errors if options.errors else speed)(options, options.folder or Path(temporary))


if __name__ == "__main__":
    main()
