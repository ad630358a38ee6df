"""How many joints lie within the uncertainty that the lifter gives them.

    python -m benchmarks.uncertainty --corpus cmu50.npz --bench bench_test.npz [--weights NAME|FILE ...]
        [--outside [--real mhad_s02.npz] [--extra FILE]]

Lifts each view as `poselift lift` does, and takes the uncertainty relative to the body: the share of the joints of
Human3.6M-17 without the root that lie within their uncertainty, by subject, for joints that were not seen, and for
frames in which nothing was seen. Faces and heels do not count: the corpus has them at average proportions.

`--outside` has the uncertainty in metres, with the size and tilt of a new person; means over people. `relative`: the
share of joints within without these, bodies scaled to their true size; `height given`: likewise with the tilt;
`heights of adults`: the mean over lifted sizes that are off as adults' are; `as lifted`: at the size that the lifter
gives; `11 % too large`: all bodies so; then the mean radius with a given and with an unknown height. With `--real` the
last row has the limb joints of a real person (benchmarks/real.py), from the middle of the hips. With `--extra` a row
has the val people of another file of the corpus's layout under virtual cameras: bodies and movements of other studios.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import NormalDist

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.command import add_bench, command_line, errors_shown, print_table
from benchmarks.real import LIMBS, takes
from poselift.cli.calibrate import KEYPOINTS, SKELETONS
from poselift.core.progress_text import track
from poselift.data.cmu import load_cmu
from poselift.data.cmu_bench import CmuBench
from poselift.data.dataset_skeletons import joint_mask
from poselift.data.views import View, render_views
from poselift.kinematics import relative_to_body
from poselift.kinematics.height import enlarge
from poselift.kinematics.whole_body import SIZE, add_body_uncertainty
from poselift.lifting import lift_view
from poselift.lifting.calibration import MEASURED, errors_beside_uncertainty
from poselift.models import Weights, load_weights
from poselift.structures import Motion

_WITHIN = (
    *("joints in", "2D", "within, mean of subjects", "by subject"),
    *("joints not seen", "frames not seen", "median uncertainty"),
)
_OUTSIDE = (
    *("joints in, 2D", "people"),
    *("relative %", "height given %", "heights of adults %", "as lifted %", "11 % too large %"),
    *("radius cm, height given", "unknown"),
)
_SIZES = np.exp(SIZE * np.array([NormalDist().inv_cdf((step + 0.5) / 10) for step in range(10)]))
"""Lifted over true size of ten equally likely adults."""

Pairs = Sequence[tuple[View, Motion]]
"""Views and their lifted motions."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table for each of the weights."""
    parser = command_line(__doc__)
    add_bench(parser)
    parser.add_argument("--skeletons", nargs="+", default=list(SKELETONS), help="of the 2D keypoints")
    parser.add_argument("--keypoints", nargs="+", default=list(KEYPOINTS), help="det: detector-like 2D; gt: exact 2D")
    parser.add_argument("--outside", action="store_true", help="people of other sizes, in metres")
    parser.add_argument("--real", type=Path, metavar="FILE", help="with --outside: mhad_s02.npz")
    parser.add_argument("--extra", type=Path, metavar="FILE", help="with --outside: extra50.npz")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        for weights in map(load_weights, options.weights):
            heads, rows = (_OUTSIDE, _outside_rows) if options.outside else (_WITHIN, _within_rows)
            print_table(heads, rows(options, weights), f"`{weights.name}`")


def _lifted(options: argparse.Namespace, weights: Weights) -> Iterator[tuple[str, str, Pairs]]:
    """The views and their motions, for each skeleton and kind of 2D."""
    for skeleton, kind in product(options.skeletons, options.keypoints):
        views = track(CmuBench(options.corpus, options.bench, skeleton, kind), f"{weights.name} {skeleton} {kind}")
        yield skeleton, kind, [(view, lift_view(view, weights)) for view in views]


def _within_rows(options: argparse.Namespace, weights: Weights) -> Iterator[list[str]]:
    """The cells for each skeleton and kind of 2D."""
    for skeleton, kind, lifted in _lifted(options, weights):
        yield [skeleton, kind, *_within(lifted)]


def _outside_rows(options: argparse.Namespace, weights: Weights) -> Iterator[list[str]]:
    """The cells for each skeleton and kind of 2D, for the other studio and for the real person."""
    for skeleton, kind, lifted in _lifted(options, weights):
        yield _people(f"{skeleton} {kind}", lifted, MEASURED)
    if options.extra:
        seen = [_shown(view, "coco17") for view in render_views(load_cmu(options.extra, "val", moved=True), seed=0)]
        lifted = [(view, lift_view(view, weights)) for view in track(seen, "extra")]
        yield _people("coco17, other studio", lifted, MEASURED)
    if options.real:
        lifted = [(view, lift_view(view, weights)) for view in takes(options.real)]
        yield _people("a real person", lifted, LIMBS, hips=True)


def _shown(view: View, skeleton: str) -> View:
    """The view with the keypoints of this skeleton only."""
    hidden = ~joint_mask(skeleton, view.skeleton)
    keypoints = view.keypoints.masked_fill(hidden[:, None], torch.nan)
    return replace(view, keypoints=keypoints, scores=view.scores.masked_fill(hidden, 0.0))


def _people(name: str, lifted: Pairs, joints: Sequence[str], hips: bool = False) -> list[str]:
    """A row: the mean over people of the cells."""
    people = defaultdict(list)
    for view, motion in lifted:
        people[view.subject].append(outside(view, motion, joints, hips))
    means = [np.concatenate(each).mean(0) for each in people.values()]
    return [name, str(len(means)), *(f"{cell:.1f}" for cell in np.mean(means, axis=0))]


def outside(view: View, motion: Motion, joints: Sequence[str], hips: bool = False) -> Float[np.ndarray, "n 7"]:
    """The cells of `_OUTSIDE` for each joint with a truth.

    The same picture shows a body and one k times as large at k times the distance. So a view with its lifted body
    scaled is the view of a person of another height.

    Args:
        view: with the truth.
        motion: as lifted, of unknown height.
        joints: that count.
        hips: whether places count from the middle of the hips, the first two of the joints; if not, from the root.
    """
    own, truth = (
        motion.skeleton.indices(list(joints)),
        view.joints[:, view.skeleton.indices(list(joints))].double().numpy(),
    )
    known = np.isfinite(truth).all(-1) & np.isfinite(motion.joints[:, own]).all(-1)

    def places(joints: Float[np.ndarray, "t j 3"]) -> Float[np.ndarray, "t j 3"]:
        return joints - joints[:, :2].mean(1, keepdims=True) if hips else joints

    def within(motion: Motion) -> Float[np.ndarray, " n"]:
        assert motion.uncertainty is not None
        error = np.linalg.norm(places(motion.joints[:, own].astype(np.float64)) - places(truth), axis=-1)
        return 100.0 * (error <= motion.uncertainty[:, own])[known]

    found, true = (places(joints)[known] for joints in (motion.joints[:, own].astype(np.float64), truth))
    relative = enlarge(relative_to_body(motion), float((found * true).sum() / (found**2).sum()))
    unknown, given = add_body_uncertainty(relative), add_body_uncertainty(relative, 0.0)
    drawn = [within(enlarge(unknown, size)) for size in _SIZES]
    sizes = [100 * sized.uncertainty[:, own][known] for sized in (given, unknown) if sized.uncertainty is not None]
    shares = [within(relative), within(given), np.mean(drawn, 0), within(motion), within(enlarge(unknown, 1.11))]
    return np.stack([*shares, *sizes], 1)


def _within(lifted: Pairs) -> list[str]:
    """The cells of `_WITHIN` for some views."""
    subjects: dict[str, list[np.ndarray]] = defaultdict(list)
    unseen: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for view, motion in lifted:
        errors = np.stack(errors_beside_uncertainty(view, motion), -1)
        counted = np.isin(motion.skeleton.joints, MEASURED) & np.isfinite(errors[..., 0])
        subjects[view.subject].append(errors[counted])
        scores = view.convert(motion.skeleton, view.skeleton).scores.numpy()
        empty = motion.interpolated[:, None]
        unseen[0].append(errors[counted & (scores == 0) & (scores > 0).any(0) & ~empty])
        unseen[1].append(errors[counted & empty])
    pairs = {subject: np.concatenate(own) for subject, own in sorted(subjects.items())}
    shares = {subject: _share(own) for subject, own in pairs.items()}
    parts = [np.concatenate(own) for own in unseen]
    return [
        f"{np.mean(list(shares.values())):.1f}",
        ", ".join(f"{subject}: {share:.1f}" for subject, share in shares.items()),
        *(f"{_share(own):.1f} ({1000 * np.median(own[:, 1]):.0f} mm)" if len(own) else "-" for own in parts),
        f"{1000 * np.median(np.concatenate(list(pairs.values()))[:, 1]):.0f} mm",
    ]


def _share(errors: Float[np.ndarray, "n 2"]) -> float:
    """Percent of the joints whose error is not above their uncertainty."""
    return 100 * float(np.mean(errors[:, 0] <= errors[:, 1]))


if __name__ == "__main__":
    main()
