"""Lag against error of lifting in a stream, its time for each frame, and its latency and memory over a long stream.

    python -m benchmarks.streaming --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...] [--seconds N]
    python -m benchmarks.streaming --corpus cmu50.npz --bench bench_val.npz --world [--weights NAME|FILE ...]
    python -m benchmarks.streaming --long 100000 [--people 2] [--weights NAME|FILE ...]

The first command pushes every view of the CMU benchmark frame by frame, at 50 and at 25 frames a second, and compares
the poses of each lookahead with the truth, beside `lift`, which knows all frames. Means over subjects. One run gives
all lookaheads: after each push, the poses of 0 to 10 pushes ago are read from the same lifted window. The columns
`change` compare the MPJPE with the first row. `ms` is the CPU time of one push of one person, everything included.

The second command finds the ground of each view of at least 5 s at 25 frames a second, and compares it with the truth:
when a stream finds it first, after the last frame, and as `poselift lift` finds it. The last column is the largest CPU
time of a push to `StreamingWorld`.

The third command pushes made keypoints and prints percentiles of the time of a push, and the resident memory.
"""

import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.bench_views import load_worlds, mean_errors
from benchmarks.changed_views import take, thinned, unchanged
from benchmarks.command import add_bench, command_line, errors_shown, print_table
from poselift.core.errors import InputError
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.kinematics.ground import Ground, find_ground
from poselift.lifting import LiftOptions, StreamingPeople, StreamingWorld, camera_for, lift
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.lifting.live.pose_smoothing import PoseSmoother
from poselift.lifting.live.streamed_person import StreamedPerson
from poselift.lifting.live.streaming import LIVE, lift_people
from poselift.lifting.network.torch_network import TorchNetwork
from poselift.models import Weights, load_weights
from poselift.skeleton import COCO17, Skeleton
from poselift.structures import StreamedPose

LOOKAHEADS = (0, 1, 2, 3, 5, 10)
"""Frames that a pose waits for."""

COLUMNS = {
    "mpjpe": "MPJPE mm",
    "change": "change %",
    "p_mpjpe": "P-MPJPE mm",
    "mpjve": "MPJVE mm/frame",
    "acceleration": "acceleration error mm/frame²",
    "root": "root mm",
    "root_velocity": "root velocity mm/frame",
}

GROUNDS = ("ground", "up, median deg", "up, 90 % of views", "height, median mm", "ms")


def streamed(view: View, weights: Weights, lookaheads: Sequence[int] = LOOKAHEADS) -> dict[int, list[StreamedPose]]:
    """The poses of all frames for each lookahead, as a stream gives them."""
    keypoints, network = keypoints_of(view), TorchNetwork(weights.lifter)
    person = StreamedPerson(weights, camera_of(view), keypoints.skeleton, 0, LIVE)
    poses: dict[int, list[StreamedPose]] = {lookahead: [] for lookahead in lookaheads}
    for row in range(len(keypoints)):
        person.add(keypoints.keypoints[row], keypoints.scores[row], float(keypoints.timestamps[row]))
        lift_people([person], network, LIVE.window or weights.window, LIVE.flip)
        person.next_pose()
        for lookahead, found in poses.items():
            # The end of the stream gives the last poses.
            ends = range(row - lookahead, row + 1) if row == len(keypoints) - 1 else [row - lookahead]
            for frame in ends:
                if frame >= 0:
                    pose = person.pose_at(float(keypoints.timestamps[frame]))
                    assert pose is not None, "the benchmark's people are always seen"
                    found.append(pose)
    return poses


def smoothed(poses: Sequence[StreamedPose], skeleton: Skeleton) -> list[StreamedPose]:
    """The poses as a smoothing lifter gives them."""
    return list(map(PoseSmoother(skeleton), poses))


def rows_of(views: Sequence[View], weights: Weights) -> Iterator[list[str]]:
    """The cells of a table: each lookahead, and `lift`."""
    skeleton, first = weights.lifter.skeleton_out, np.nan
    for name, joints, roots in _variants(views, weights):
        means = mean_errors(views, joints, roots, skeleton)
        first = means["mpjpe"] if np.isnan(first) else first
        means["change"] = 100 * (means["mpjpe"] / first - 1)
        yield [name, *(f"{means[key]:.1f}" for key in COLUMNS)]


def _variants(views: Sequence[View], weights: Weights) -> Iterator[tuple[str, list[np.ndarray], list[np.ndarray]]]:
    """The name of each row, with the joints and the roots of all views."""
    found = [streamed(view, weights) for view in views]
    for lookahead in LOOKAHEADS:
        plain = [poses[lookahead] for poses in found]
        smooth = [smoothed(poses, weights.lifter.skeleton_out) for poses in plain]
        for name, every in ((f"lookahead {lookahead}", smooth), (f"lookahead {lookahead}, not smoothed", plain)):
            joints = [np.stack([pose.joints for pose in poses]) for poses in every]
            yield name, joints, [np.stack([pose.root for pose in poses]) for poses in every]
    whole = [lift(keypoints_of(view), weights, camera_of(view), LiftOptions(every_frame=True)) for view in views]
    yield "`poselift lift`", [motion.joints for motion in whole], [motion.root for motion in whole]


def ground_errors(ground: Ground, R: np.ndarray, t: np.ndarray) -> tuple[float, float]:
    """The angle of up, degrees, and the error of the camera's height, mm.

    Args:
        ground: found.
        R: of the true world in the camera frame.
        t: of the true world in the camera frame, metres: the ground goes through it.
    """
    angle = float(np.degrees(np.arccos(np.clip(ground.up @ R[:, 1], -1, 1))))
    return angle, 1e3 * abs(ground.height - float(t @ R[:, 1]))


def world_rows(
    views: Sequence[View], R: Float[np.ndarray, "n 3 3"], t: Float[np.ndarray, "n 3"], weights: Weights
) -> Iterator[list[str]]:
    """The cells of the table of grounds."""
    found: dict[str, list[tuple[float, float]]] = {"first": [], "last": [], "`poselift lift`": []}
    slowest = 0.0
    for view, rotation, place in zip(views, R, t, strict=True):
        world = StreamingWorld(camera_of(view), weights.lifter.skeleton_out, view.keypoint_skeleton)
        first: Ground | None = None
        for pose in smoothed(streamed(view, weights, (0,))[0], weights.lifter.skeleton_out):
            begun = time.process_time()
            world.push({1: pose})
            slowest = max(slowest, time.process_time() - begun)
            first = first or world.ground
        assert first is not None, "views last longer than FIRST"
        assert world.ground is not None
        whole = find_ground([lift(keypoints_of(view), weights, camera_of(view))])
        for name, ground in zip(found, (first, world.ground, whole), strict=True):
            found[name].append(ground_errors(ground, rotation, place))
    for name, pairs in found.items():
        angles, heights = np.array(pairs).T
        ms = "" if "lift" in name else f"{1e3 * slowest:.0f}"
        spread = np.median(angles), np.percentile(angles, 90)
        yield [name, *(f"{value:.1f}" for value in spread), f"{np.median(heights):.0f}", ms]


def push_ms(view: View, weights: Weights, frames: int = 200) -> float:
    """CPU time of a push with a full window, median, milliseconds."""
    keypoints = keypoints_of(view)
    people = StreamingPeople(weights, camera_of(view), keypoints.skeleton)
    took = []
    for row in range(min(len(keypoints), (LIVE.window or weights.window) + frames)):
        begun = time.process_time()
        people.push({1: (keypoints.keypoints[row], keypoints.scores[row])}, float(keypoints.timestamps[row]))
        took.append(time.process_time() - begun)
    return 1e3 * float(np.median(took[-frames:]))


def resident() -> float:
    """Resident memory, MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def long_stream(weights: Weights, frames: int, people: int, fps: float = 30.0) -> Iterator[str]:
    """The lines of a report on a stream of made keypoints, in which people come and go."""
    camera, random = camera_for((1280, 720)), np.random.default_rng(0)
    lifter = StreamingPeople(weights, camera, COCO17)
    body = random.uniform((500, 100), (700, 600), (17, 2))
    took, memory = np.zeros(frames), {}
    for frame in range(frames):
        if frame in (min(1000, frames // 10), frames // 2, frames - 1):
            memory[frame] = resident()
        # Everybody leaves for 5 s in each minute, and comes back under another number.
        minute, second = divmod(frame / fps, 60)
        seen = range(people) if second < 55 else range(0)
        found = {
            int(minute) * people + person: (
                body + 150 * person + 30 * np.sin(frame / fps + np.arange(34).reshape(17, 2)),
                np.full(17, 0.9),
            )
            for person in seen
        }
        begun = time.perf_counter()
        lifter.push(found, frame / fps)
        took[frame] = 1e3 * (time.perf_counter() - begun)
    busy = took[np.arange(frames) / fps % 60 < 55]
    half, most, nearly = np.percentile(busy, (50, 90, 99))
    marks = f"50 % {half:.1f}, 90 % {most:.1f}, 99 % {nearly:.1f}"
    yield f"`{weights.name}`, {frames} frames, {people} people: ms a frame (wall): {marks}, largest {busy.max():.1f}"
    yield "memory, MiB: " + ", ".join(f"{value:.0f} after {frame} frames" for frame, value in memory.items())


def shortened(view: View, seconds: float | None) -> View:
    """The first seconds of a view."""
    if seconds is None:
        return view
    return take(view, torch.arange(int((view.times - view.times[0] < seconds).sum())))


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables, or the report on a long stream."""
    parser = command_line(__doc__)
    add_bench(parser, skeleton="coco17", required=False)
    parser.add_argument("--seconds", type=float, metavar="N", help="only the first N seconds of each view")
    parser.add_argument("--world", action="store_true", help="errors of the ground instead")
    parser.add_argument("--long", type=int, metavar="N", help="push N frames of made keypoints instead")
    parser.add_argument("--people", type=int, default=1, help="with --long; default 1")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    with errors_shown(parser):
        for weights in map(load_weights, options.weights):
            if options.long:
                print("\n".join(long_stream(weights, options.long, options.people)), flush=True)
                continue
            if not (options.corpus and options.bench):
                raise InputError("the errors need --corpus and --bench; give cmu50.npz and bench_val.npz, or --long")
            bench = [
                shortened(view, options.seconds) for view in CmuBench(options.corpus, options.bench, options.skeleton)
            ]
            seen = f"`{weights.name}`, {options.skeleton}"
            if options.world:
                truth = load_worlds(options.bench)
                chosen = [k for k, view in enumerate(bench) if float(view.times[-1] - view.times[0]) >= 5]
                views = [thinned(25)(bench[k], torch.Generator()) for k in chosen]
                rows = world_rows(views, truth["R"][chosen], truth["t"][chosen], weights)
                print_table(GROUNDS, rows, f"{seen}, {len(views)} views")
                continue
            for fps, change in ((50, unchanged), (25, thinned(25))):
                views = [change(view, torch.Generator()) for view in bench]
                cost = push_ms(max(views, key=len), weights)
                title = f"{seen}, {fps} frames a second, {cost:.1f} ms a push"
                print_table(["", *COLUMNS.values()], rows_of(views, weights), title)


if __name__ == "__main__":
    main()
