"""How many joints lie within the uncertainty that the lifter gives them.

    python -m benchmarks.uncertainty --corpus cmu50.npz --bench bench_test.npz [--weights NAME|FILE ...]
        [--leave-out | --outside [--real mhad_s02.npz] [--extra FILE]]

Lifts each view as `poselift lift` does, and takes the uncertainty relative to the body. First table: the share of the
joints of Human3.6M-17 without the root that lie within their uncertainty, by subject, for joints that were not seen,
and for frames in which nothing was seen. Faces and heels do not count: the corpus has them at average proportions.
Second table: the mean error of ankles and big toes in mm, and the share of the toes within their uncertainty. Only
Halpe-26 sees toes.

`--leave-out` prints another table instead: the scale of the uncertainty is set on all subjects but one, as `poselift
calibrate` does, and judged on that one, for each in turn.

`--outside` has the uncertainty in metres, with the size and tilt of a new person; means over people. `relative`: the
share of joints within without these, bodies scaled to their true size; `height given`: likewise with the tilt;
`heights of adults`: the mean over lifted sizes that are off as adults' are; `as lifted`: at the size that the lifter
gives; `11 % too large`: all bodies so; then the mean radius with a given and with an unknown height. With `--real` the
last row has the limb joints of a real person (benchmarks/real.py), from the middle of the hips. With `--extra` a row
has the val people of another file of the corpus's layout under virtual cameras: bodies and movements of other studios.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import NormalDist

import numpy as np
import torch
from jaxtyping import Bool, Float

from benchmarks.command import add_bench, command_line, errors_shown, table_head, table_row
from benchmarks.real import LIMBS, takes
from poselift.cli.calibrate import (
    KEYPOINTS,
    MEASURED,
    SKELETONS,
    calibration_factor,
    error_ratios,
    errors_beside_uncertainty,
)
from poselift.core.errors import InputError
from poselift.core.progress_text import track
from poselift.data.cmu import load_cmu
from poselift.data.cmu_bench import CmuBench
from poselift.data.dataset_skeletons import joint_mask
from poselift.data.views import View, render_views
from poselift.kinematics import relative_to_body
from poselift.kinematics.height import enlarge
from poselift.kinematics.whole_body import SIZE, add_body_uncertainty
from poselift.lifting import lift_view
from poselift.models import Weights, load_weights
from poselift.structures import Motion

_FEET = {"ankles": ("left_ankle", "right_ankle"), "big toes": ("left_big_toe", "right_big_toe")}

_WITHIN = (
    *("joints in", "2D", "within, mean of subjects", "by subject"),
    *("joints not seen", "frames not seen", "median uncertainty"),
)
_OUTSIDE = (
    *("relative %", "height given %", "heights of adults %", "as lifted %", "11 % too large %"),
    *("radius cm, height given", "unknown"),
)
_SIZES = np.exp(SIZE * np.array([NormalDist().inv_cdf((step + 0.5) / 10) for step in range(10)]))
"""Lifted over true size of ten equally likely adults."""

_TOES = ("joints in", "2D", "ankles", "big toes", "toes within")

Pairs = dict[str, Float[np.ndarray, "n 2"]]
"""Error and uncertainty in mm of the joints of a group: subjects ("all 07"), feet ("ankles 07"), or unseen joints."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints both tables for each of the weights."""
    parser = command_line(__doc__)
    add_bench(parser)
    parser.add_argument("--skeletons", nargs="+", default=list(SKELETONS), help="of the 2D keypoints")
    parser.add_argument("--keypoints", nargs="+", default=list(KEYPOINTS), help="det: detector-like 2D; gt: exact 2D")
    parser.add_argument("--leave-out", action="store_true", help="set the scale on all subjects but one")
    parser.add_argument("--outside", action="store_true", help="people of other sizes, in metres")
    parser.add_argument("--real", type=Path, metavar="FILE", help="with --outside: mhad_s02.npz")
    parser.add_argument("--extra", type=Path, metavar="FILE", help="with --outside: extra50.npz")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        if options.leave_out:
            _print_left_out(options)
            return
        if options.outside:
            _print_outside(options)
            return
        for weights in map(load_weights, options.weights):
            within, feet = [], []
            for skeleton in options.skeletons:
                for kind in options.keypoints:
                    views = CmuBench(options.corpus, options.bench, skeleton, kind)
                    pairs = measured(list(track(views, f"{weights.name} {skeleton} {kind}")), weights)
                    within.append(table_row([skeleton, kind, *_within(pairs)]))
                    feet.append(table_row([skeleton, kind, *_feet(pairs)]))
            print("\n".join([f"\n`{weights.name}`\n", table_head(_WITHIN), *within, "", table_head(_TOES), *feet]))


def _print_left_out(options: argparse.Namespace) -> None:
    """A row for each skeleton and kind of 2D, with each subject left out of the calibration in turn."""
    for weights in map(load_weights, options.weights):
        plain = replace(weights, card={**weights.card, "uncertainty_factor": 1.0})
        ratios: dict[str, dict[str, Float[np.ndarray, " _"]]] = {}
        for skeleton, kind in product(options.skeletons, options.keypoints):
            own = defaultdict(list)
            for view in track(CmuBench(options.corpus, options.bench, skeleton, kind), f"{skeleton} {kind}"):
                own[view.subject].append(error_ratios(view, lift_view(view, plain)))
            ratios[f"{skeleton} {kind}"] = {subject: np.concatenate(parts) for subject, parts in own.items()}
        print(f"\n`{weights.name}`\n\n{table_head(('joints in, 2D', 'within, mean of subjects', 'by subject'))}")
        for name, shares in left_out(ratios).items():
            by_subject = ", ".join(f"{subject}: {share:.1f}" for subject, share in shares.items())
            print(table_row([name, f"{np.mean(list(shares.values())):.1f}", by_subject]))


def left_out(ratios: dict[str, dict[str, Float[np.ndarray, " _"]]]) -> dict[str, dict[str, float]]:
    """Percent of each subject's joints within their uncertainty, if all other subjects set the scale.

    Args:
        ratios: error divided by uncertainty, for each kind of 2D and each subject.

    Raises:
        InputError: there is only one subject.
    """
    subjects = sorted({subject for own in ratios.values() for subject in own})
    if len(subjects) < 2:
        raise InputError("--leave-out needs at least two subjects; give bench_val.npz")
    factors = {}
    for subject in subjects:
        others = [other for other in subjects if other != subject]
        pooled = [np.concatenate([own[other] for own in ratios.values() if other in own]) for other in others]
        factors[subject] = calibration_factor(pooled)
    return {
        name: {subject: 100 * float(np.mean(values <= factors[subject])) for subject, values in sorted(own.items())}
        for name, own in ratios.items()
    }


def _print_outside(options: argparse.Namespace) -> None:
    """A row for each skeleton and kind of 2D, and one for the real person."""
    for weights in map(load_weights, options.weights):
        print(f"\n`{weights.name}`\n\n{table_head(('joints in, 2D', 'people', *_OUTSIDE))}")
        for skeleton, kind in product(options.skeletons, options.keypoints):
            views = track(CmuBench(options.corpus, options.bench, skeleton, kind), f"{skeleton} {kind}")
            _print_people(f"{skeleton} {kind}", [(view, lift_view(view, weights)) for view in views], MEASURED)
        if options.extra:
            seen = [_shown(view, "coco17") for view in render_views(load_cmu(options.extra, "val", moved=True), seed=0)]
            lifted = [(view, lift_view(view, weights)) for view in track(seen, "extra")]
            _print_people("coco17, other studio", lifted, MEASURED)
        if options.real:
            lifted = [(view, lift_view(view, weights)) for view in takes(options.real)]
            _print_people("a real person", lifted, LIMBS, hips=True)


def _shown(view: View, skeleton: str) -> View:
    """The view with the keypoints of this skeleton only."""
    hidden = ~joint_mask(skeleton, view.skeleton)
    keypoints = view.keypoints.masked_fill(hidden[:, None], torch.nan)
    return replace(view, keypoints=keypoints, scores=view.scores.masked_fill(hidden, 0.0))


def _print_people(name: str, lifted: Sequence[tuple[View, Motion]], joints: Sequence[str], hips: bool = False) -> None:
    """A row: the mean over people of the cells."""
    people = defaultdict(list)
    for view, motion in lifted:
        people[view.subject].append(outside(view, motion, joints, hips))
    means = [np.concatenate(each).mean(0) for each in people.values()]
    cells = np.mean(means, axis=0)
    print(table_row([name, str(len(means)), *(f"{cell:.1f}" for cell in cells)]), flush=True)


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
    own, truth = motion.skeleton.indices(joints), view.joints[:, view.skeleton.indices(joints)].double().numpy()
    known = np.isfinite(truth).all(-1) & np.isfinite(motion.joints[:, own]).all(-1)

    def places(joints: Float[np.ndarray, "t j 3"]) -> Float[np.ndarray, "t j 3"]:
        return joints - joints[:, :2].mean(1, keepdims=True) if hips else joints

    def within(motion: Motion) -> Float[np.ndarray, " n"]:
        assert motion.uncertainty is not None
        error = np.linalg.norm(places(motion.joints[:, own].astype(np.float64)) - places(truth), axis=-1)
        return 100.0 * (error <= motion.uncertainty[:, own])[known]

    found, true = (places(joints)[known] for joints in (motion.joints[:, own].astype(np.float64), truth))
    relative = enlarge(relative_to_body(motion), float((found * true).sum() / (found**2).sum()))
    unknown, given = add_body_uncertainty(relative), add_body_uncertainty(relative, size_known=True)
    drawn = [within(enlarge(unknown, size)) for size in _SIZES]
    radii = [100 * sized.uncertainty[:, own][known] for sized in (given, unknown) if sized.uncertainty is not None]
    shares = [within(relative), within(given), np.mean(drawn, 0), within(motion), within(enlarge(unknown, 1.11))]
    return np.stack([*shares, *radii], 1)


def measured(views: Sequence[View], weights: Weights) -> Pairs:
    """Errors and uncertainties of all views.

    Raises:
        InputError: the lifter gives no uncertainty.
    """
    parts = defaultdict(list)
    for view in views:
        motion = lift_view(view, weights)
        for group, mask in _groups(view, motion).items():
            parts[group].append(_pairs(view, motion, mask))
    return {group: np.concatenate(own) for group, own in parts.items()}


def _groups(view: View, motion: Motion) -> dict[str, Bool[np.ndarray, "t j"]]:
    """The joints of each group."""
    everywhere = np.ones(motion.joints.shape[:2], bool)
    counted = everywhere & np.isin(motion.skeleton.joints, MEASURED)
    scores = view.convert(motion.skeleton, view.skeleton).scores.numpy()
    in_skeleton = (scores > 0).any(0)
    return {
        f"all {view.subject}": counted,
        **{f"{name} {view.subject}": everywhere & np.isin(motion.skeleton.joints, own) for name, own in _FEET.items()},
        "joints not seen": counted & (scores == 0) & in_skeleton & ~motion.interpolated[:, None],
        "frames not seen": counted & motion.interpolated[:, None],
    }


def _pairs(view: View, motion: Motion, mask: Bool[np.ndarray, "t j"]) -> Float[np.ndarray, "n 2"]:
    """Error and uncertainty of the joints of a mask, mm."""
    error, uncertainty = errors_beside_uncertainty(view, motion)
    known = mask & np.isfinite(error)
    return 1000 * np.stack([error[known], uncertainty[known]], -1)


def _share(pairs: Float[np.ndarray, "n 2"]) -> float:
    """Percent of the joints that lie within their uncertainty."""
    return 100 * float(np.mean(pairs[:, 0] <= pairs[:, 1]))


def _subjects(pairs: Pairs, group: str) -> Pairs:
    """The pairs of a group by subject, without subjects that have none."""
    start = f"{group} "
    return {key.removeprefix(start): own for key, own in sorted(pairs.items()) if key.startswith(start) and len(own)}


def _within(pairs: Pairs) -> list[str]:
    """The cells of the first table."""
    subjects = _subjects(pairs, "all")
    shares = {subject: _share(own) for subject, own in subjects.items()}
    unseen = [
        f"{_share(own):.1f} ({np.median(own[:, 1]):.0f} mm)" if len(own) else "-"
        for own in (pairs["joints not seen"], pairs["frames not seen"])
    ]
    median = np.median(np.concatenate(list(subjects.values()))[:, 1])
    by_subject = ", ".join(f"{subject}: {share:.1f}" for subject, share in shares.items())
    return [f"{np.mean(list(shares.values())):.1f}", by_subject, *unseen, f"{median:.0f} mm"]


def _feet(pairs: Pairs) -> list[str]:
    """The cells of the second table: means over subjects."""
    errors = [np.mean([own[:, 0].mean() for own in _subjects(pairs, name).values()]) for name in _FEET]
    toes = np.mean([_share(own) for own in _subjects(pairs, "big toes").values()])
    return [f"{value:.1f}" for value in (*errors, toes)]


if __name__ == "__main__":
    main()
