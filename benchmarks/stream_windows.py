"""Error of a window's last frames, by the frames in a window: the network alone, as a stream uses it.

    python -m benchmarks.stream_windows --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...]
        [--windows 31 63 64 127] [--skeleton coco17]
    python -m benchmarks.stream_windows --real mhad_s02.npz [--weights NAME|FILE ...] [--windows 31 63]

Cuts about twenty windows out of each view of the CMU benchmark, evenly over it, at 50 and at 25 frames a second. All
sizes end at the same frames. Prints the MPJPE of the frame n frames before the end of a window, mean over subjects,
and the CPU time of a window. The second command takes the real person of `benchmarks.real` instead, at 22 frames a
second.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from benchmarks.changed_views import thinned, unchanged
from benchmarks.command import add_bench, command_line, errors_shown, subject_mean, table_head, table_row
from benchmarks.real import takes
from poselift.core.errors import InputError
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.lifting import LiftOptions
from poselift.lifting.dataset_views import keypoints_of
from poselift.lifting.prepare.lifter_joints import select_lifter_joints
from poselift.models import Weights, lift_windows, load_weights
from poselift.skeleton import H36M17

BACK = (0, 1, 2, 3, 5, 10)
_ENDS = 20


def last_frames(view: View, weights: Weights, window: int, earliest: int, flip: bool) -> tuple[np.ndarray, float]:
    """Errors (windows, frames of `BACK`) in mm, and the CPU time of a window in ms.

    Args:
        view: of the benchmark.
        weights: the lifter.
        window: frames in a window.
        earliest: least number of frames before the end of a window.
        flip: average with the mirrored window.
    """
    lifter, frames = weights.lifter, len(view)
    keypoints = keypoints_of(view)
    pixels, scores = select_lifter_joints(keypoints, lifter.skeleton_in, LiftOptions().threshold, weights.pelvis)
    ends = np.unique(np.linspace(min(earliest, frames), frames, _ENDS).round().astype(int))
    ends = ends[ends >= window]
    rows = ends[:, None] - window + np.arange(window)
    if not len(rows):
        return np.zeros((0, len(BACK))), np.nan
    times = torch.from_numpy(keypoints.timestamps[rows] - keypoints.timestamps[rows[:, :1]]).float()
    n = len(rows)
    begun = time.process_time()
    with torch.inference_mode():
        out = lift_windows(
            lifter,
            torch.from_numpy(pixels[rows]),
            torch.from_numpy(scores[rows]),
            times,
            view.K.expand(n, 3, 3),
            view.image_size.float().expand(n, 2),
            view.distortion if view.distortion is None else view.distortion.expand(n, 5),
            flip,
        )
    took = 1e3 * (time.process_time() - begun) / n
    found = out.joints[:, :, lifter.skeleton_out.indices(H36M17.joints)].numpy()
    true = view.joints[:, view.skeleton.indices(H36M17.joints)].numpy()
    off = [found[:, window - 1 - back] - true[ends - 1 - back] for back in BACK]
    return np.stack([1e3 * np.linalg.norm(one, axis=-1).mean(-1) for one in off], -1), took


def row_of(views: Sequence[View], weights: Weights, window: int, earliest: int, flip: bool) -> list[float]:
    """The mean error of each frame of `BACK`, and the median CPU time of a window."""
    found = [(view.subject, *last_frames(view, weights, window, earliest, flip)) for view in views]
    means = [subject_mean((subject, errors[:, k]) for subject, errors, _ in found) for k in range(len(BACK))]
    return [*means, float(np.nanmedian([took for *_, took in found]))]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table for each of the weights and frame rates."""
    parser = command_line(__doc__)
    add_bench(parser, skeleton="coco17", required=False)
    parser.add_argument("--real", type=Path, metavar="FILE", help="mhad_s02.npz, instead of --corpus and --bench")
    parser.add_argument("--windows", nargs="+", type=int, default=[31, 47, 63, 64, 95, 127], metavar="N")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    with errors_shown(parser):
        tables: dict[str, list[View]] = {}
        if options.real:
            tables["real person, 22 frames a second"] = takes(options.real)
        elif options.corpus and options.bench:
            bench = CmuBench(options.corpus, options.bench, options.skeleton)
            for fps, change in ((50, unchanged), (25, thinned(25))):
                name = f"{options.skeleton}, {fps} frames a second"
                tables[name] = [change(view, torch.Generator()) for view in bench]
        else:
            raise InputError("there is nothing to lift; give --corpus cmu50.npz --bench bench_val.npz, or --real FILE")
        for weights in map(load_weights, options.weights):
            for name, views in tables.items():
                print(f"\n`{weights.name}`, {name}: MPJPE in mm\n")
                print(table_head(["frames in a window", "newest", *(f"{back} before" for back in BACK[1:]), "ms"]))
                for window in options.windows:
                    for flip in (False, True) if window == 63 else (False,):
                        values = row_of(views, weights, window, max(options.windows), flip)
                        row = f"{window}, and mirrored" if flip else str(window)
                        print(table_row([row, *(f"{value:.1f}" for value in values)]), flush=True)


if __name__ == "__main__":
    main()
