"""How many joints lie within their uncertainty relative to the body where only a few joints are seen.

    python -m benchmarks.few_joints --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...] [--step N]

Hides all keypoints but a few in the first two seconds of every N-th view, lifts as `poselift lift` does, and prints for
each choice the share of the joints within their uncertainty, the mean error and the median uncertainty. Joints count
as in benchmarks/uncertainty.py.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.command import add_bench, command_line, errors_shown, table_head, table_row
from poselift.cli.calibrate import MEASURED
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.kinematics import relative_to_body
from poselift.lifting import lift
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.models import Weights, load_weights
from poselift.skeleton import COCO17

_FRAMES = 100

_ARM, _LEG = ("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")

CHOICES: dict[str, Sequence[str] | int] = {
    "ankle": ["left_ankle"],
    "wrist": ["left_wrist"],
    "nose": ["nose"],
    "shoulder": ["left_shoulder"],
    "both ankles": ["left_ankle", "right_ankle"],
    "both hips": ["left_hip", "right_hip"],
    "leg": [f"left_{joint}" for joint in _LEG],
    "arm": [f"left_{joint}" for joint in _ARM],
    "trunk": [f"{side}_{joint}" for joint in ("hip", "shoulder") for side in ("left", "right")],
    "face": [joint for joint in COCO17.joints if joint.endswith(("eye", "ear", "nose"))],
    **{f"{count} at random": count for count in (2, 3, 4, 5, 6, 8)},
    "all": COCO17.joints,
}
"""The joints that are seen: names, or a number of random ones."""


def errors(view: View, seen: Sequence[str], weights: Weights) -> np.ndarray:
    """Error and uncertainty of the joints of a view of which only some joints are seen, metres, (n, 2)."""
    keypoints = keypoints_of(view)[:_FRAMES]
    hidden = ~np.isin(keypoints.skeleton.joints, list(seen))
    keypoints = replace(keypoints, scores=np.where(hidden, 0.0, keypoints.scores))
    motion = relative_to_body(lift(keypoints, weights, camera_of(view)))
    if motion.uncertainty is None:
        return np.zeros((0, 2))
    truth = view.convert(view.keypoint_skeleton, motion.skeleton).joints.numpy()[:_FRAMES]
    error = np.linalg.norm(motion.joints - truth, axis=-1)
    known = np.isfinite(error) & np.isin(motion.skeleton.joints, MEASURED) & (motion.uncertainty > 0)
    return np.stack([error[known], motion.uncertainty[known]], -1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table for each of the weights."""
    parser = command_line(__doc__)
    add_bench(parser)
    parser.add_argument("--step", type=int, default=4, metavar="N", help="take every N-th view; default 4")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        bench = CmuBench(options.corpus, options.bench, "coco17")
        views = [bench[index] for index in range(0, len(bench), options.step)]
        for weights in map(load_weights, options.weights):
            print(f"\n`{weights.name}`, {len(views)} views of {options.bench.name}\n")
            print(table_head(["seen", "within %", "error mm", "uncertainty mm"]))
            generator = np.random.default_rng(0)
            for name, choice in CHOICES.items():
                found = np.concatenate([errors(view, _names(view, choice, generator), weights) for view in views])
                within = 100 * np.mean(found[:, 0] <= found[:, 1])
                cells = [f"{within:.1f}", f"{1000 * found[:, 0].mean():.0f}", f"{1000 * np.median(found[:, 1]):.0f}"]
                print(table_row([name, *cells]), flush=True)


def _names(view: View, choice: Sequence[str] | int, generator: np.random.Generator) -> Sequence[str]:
    """The joints of a choice; random ones are among those that the view shows."""
    if not isinstance(choice, int):
        return choice
    keypoints = keypoints_of(view)[:_FRAMES]
    shown = np.flatnonzero((keypoints.scores > 0).any(0))
    return [keypoints.skeleton.joints[joint] for joint in generator.permutation(shown)[:choice]]


if __name__ == "__main__":
    main()
