"""Errors of joint and segment angles by view, and whether their uncertainty is true.

    python -m benchmarks.angles --corpus cmu50.npz --bench bench_test.npz --keypoints det
    python -m benchmarks.angles --data mhad_s02.npz

Lifts the views of the CMU benchmark (COCO-17) or the takes of a real person (benchmarks/real.py) as `poselift lift`
does, and compares the angles of the lifted motion with those of the true one, both on 17 joints in the camera frame.
One Markdown table: for each angle the mean size of the error in degrees from the front or back (the line of the hips
less than 25 degrees from across the ray), at 45 (to 65 degrees) and from the side, over all frames, and its mean (the
bias); the median half-width of the 90 % interval; the share of the values that are within; and `factor`, the 90th
percentile of the error over the half-width: 1 where the interval is right. Means are over frames and both sides.

A second table has elbows and knees by their true flexion: how far the lifted ones lean towards a usual pose. With
`--feet` the 2D is halpe26, and the angles are of 28 joints, ankles among them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.changed_views import take
from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.real import OPTIONS, takes
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.kinematics import Angles, add_uncertainty, measure_joint_angles, measure_segment_angles
from poselift.lifting import LiftOptions, lift_view
from poselift.models import Weights, load_weights
from poselift.skeleton import CMU28, H36M17, Skeleton
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Motion

COLUMNS = ("front °", "45 °", "side °", "all °", "bias °", "± 90 % °", "within %", "factor")

_VIEWS = (25.0, 65.0)
"""Degrees of the hips' line from across the ray where "front" ends and "side" begins."""

_BINS = (0, 15, 30, 60, 90, 180)
"""Ranges of true flexion, degrees."""


def compared(
    view: View, motion: Motion, every: int, skeleton: Skeleton = H36M17
) -> Iterator[tuple[str, Float[np.ndarray, "t 4"]]]:
    """Each angle's name without side; error, half-width, true value and degrees of the view for each frame.

    Args:
        view: with the truth.
        motion: the lifted one.
        every: takes each n-th frame only.
        skeleton: of which the angles are.
    """
    view, found = take(view, torch.arange(0, len(view), every)), motion[::every].restrict(skeleton)
    joints = view.joints[:, view.skeleton.indices(skeleton.joints)].double().numpy()
    true = replace(found, joints=joints, root=view.root.double().numpy(), uncertainty=None)
    if not (true.posed & found.posed).any():
        return
    sight = true.root / np.linalg.norm(true.root, axis=-1, keepdims=True)
    hips = np.diff(true.joints[:, skeleton.indices(["left_hip", "right_hip"])], axis=1)[:, 0]
    share = np.abs((hips * sight).sum(-1)) / np.linalg.norm(hips, axis=-1)
    turned = np.degrees(np.arcsin(np.clip(share, 0, 1)))
    measures: tuple[Callable[[Motion], Angles], ...] = (measure_joint_angles, measure_segment_angles)
    for angles_of in measures:
        truth, own = angles_of(true), add_uncertainty(angles_of, found)
        assert own.uncertainty is not None
        errors = own.degrees - truth.degrees
        errors -= 360 * np.round(errors / 360)
        for column, name in enumerate(own.names):
            values = errors[:, column], own.uncertainty[:, column], truth.degrees[:, column], turned
            kept = np.stack(values, 1)
            yield strip_side(name), kept[np.isfinite(kept).all(1)]


def angle_rows(found: dict[str, Float[np.ndarray, "n 4"]]) -> Iterator[list[str]]:
    """The cells of each angle."""
    for name, values in found.items():
        error, half, _, turned = values.T
        place = np.digitize(turned, _VIEWS)
        by_view = [np.abs(error[place == view]).mean() if (place == view).any() else np.nan for view in range(3)]
        ratio = np.abs(error) / half
        cells = [*by_view, np.abs(error).mean(), error.mean(), np.median(half), 100 * (ratio < 1).mean()]
        shown = [f"{cell:.1f}" if np.isfinite(cell) else "-" for cell in cells]
        yield [name.replace("_", " "), *shown[:-1], f"{cells[-1]:.0f}", f"{np.quantile(ratio, 0.9):.2f}"]


def flexion_rows(found: dict[str, Float[np.ndarray, "n 4"]]) -> Iterator[list[str]]:
    """Elbows and knees by true flexion: frames, mean true and lifted flexion, mean size of the error."""
    for name in ("elbow_flexion", "knee_flexion"):
        error, _, true, _ = found[name].T
        for low, high in pairwise(_BINS):
            own = (true >= low) & (true < high)
            if own.any():
                values = true[own].mean(), (true + error)[own].mean(), np.abs(error[own]).mean()
                yield [name.replace("_", " "), f"{low} to {high}", str(own.sum()), *(f"{each:.1f}" for each in values)]


def measured(
    views: Sequence[View], weights: Weights, options: LiftOptions, every: int, skeleton: Skeleton = H36M17
) -> dict[str, Float[np.ndarray, "n 4"]]:
    """The values of `compared` by angle, over all views."""
    parts = defaultdict(list)
    for view in views:
        for name, values in compared(view, lift_view(view, weights, options), every, skeleton):
            parts[name].append(values)
    return {name: np.concatenate(each) for name, each in parts.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--bench", type=Path, metavar="FILE", help="bench_val.npz or bench_test.npz")
    parser.add_argument("--keypoints", choices=["det", "gt"], default="det", help="detector-like or exact 2D")
    parser.add_argument("--data", type=Path, metavar="FILE", help="mhad_s02.npz, instead of the benchmark")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    parser.add_argument("--every", type=int, default=5, metavar="N", help="measures each N-th frame; default 5")
    parser.add_argument("--feet", action="store_true", help="2D with feet (halpe26), and ankles, of the benchmark")
    options = parser.parse_args(arguments)
    if options.data is None and (options.corpus is None or options.bench is None):
        parser.error("give --corpus and --bench, or --data")
    if options.feet and options.data is not None:
        parser.error("--feet is for --bench: the real person's 2D has no feet")
    keypoints = "halpe26" if options.feet else "coco17"
    with errors_shown(parser):
        weights = load_weights(options.weights)
        if options.data is not None:
            found = measured(takes(options.data), weights, OPTIONS, options.every)
            title = options.data.name
        else:
            views = list(CmuBench(options.corpus, options.bench, keypoints, options.keypoints))
            skeleton = CMU28 if options.feet else H36M17
            found = measured(views, weights, LiftOptions(), options.every, skeleton)
            title = f"{options.bench.name}, {options.keypoints}"
        print_table(["angle", *COLUMNS], angle_rows(found), f"`{weights.name}`, {keypoints}, {title}")
        heads = ["", "true range °", "frames", "true °", "lifted °", "error °"]
        print_table(heads, flexion_rows(found), "By true flexion")


if __name__ == "__main__":
    main()
