"""How many joints lie within the uncertainty that the lifter gives them.

    python -m benchmarks.uncertainty --corpus cmu50.npz --bench bench_test.npz [--weights NAME|FILE ...]

Lifts each view as `poselift lift` does. First table: the share of the joints of Human3.6M-17 without the root that lie
within their uncertainty, by subject, for joints that were not seen, and for frames in which nothing was seen. Faces
and heels do not count: the corpus has them at average proportions. Second table: the mean error of ankles and big toes
in mm, and the share of the toes within their uncertainty. Only Halpe-26 sees toes.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float
from rich.progress import track

from benchmarks.command import add_bench, command_line, errors_shown, table_head, table_row
from poselift.cli.calibrate import KEYPOINTS, MEASURED, SKELETONS
from poselift.core.errors import InputError
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.lifting import lift_view
from poselift.models import Weights, load_weights
from poselift.structures import Motion

_FEET = {"ankles": ("left_ankle", "right_ankle"), "big toes": ("left_big_toe", "right_big_toe")}

_WITHIN = (
    *("joints in", "2D", "within, mean of subjects", "by subject"),
    *("joints not seen", "frames not seen", "median uncertainty"),
)
_TOES = ("joints in", "2D", "ankles", "big toes", "toes within")

Pairs = dict[str, Float[np.ndarray, "n 2"]]
"""Error and uncertainty in mm of the joints of a group: subjects ("all 07"), feet ("ankles 07"), or unseen joints."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints both tables for each of the weights."""
    parser = command_line(__doc__)
    add_bench(parser)
    parser.add_argument("--skeletons", nargs="+", default=list(SKELETONS), help="of the 2D keypoints")
    parser.add_argument("--keypoints", nargs="+", default=list(KEYPOINTS), help="det: detector-like 2D; gt: exact 2D")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        for weights in map(load_weights, options.weights):
            within, feet = [], []
            for skeleton in options.skeletons:
                for kind in options.keypoints:
                    views = CmuBench(options.corpus, options.bench, skeleton, kind)
                    pairs = measured(list(track(views, f"{weights.name} {skeleton} {kind}")), weights)
                    within.append(table_row([skeleton, kind, *_within(pairs)]))
                    feet.append(table_row([skeleton, kind, *_feet(pairs)]))
            print("\n".join([f"\n`{weights.name}`\n", table_head(_WITHIN), *within, "", table_head(_TOES), *feet]))


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
    scores = view.converted(motion.skeleton, view.skeleton).scores.numpy()
    in_skeleton = (scores > 0).any(0)
    return {
        f"all {view.subject}": counted,
        **{f"{name} {view.subject}": everywhere & np.isin(motion.skeleton.joints, own) for name, own in _FEET.items()},
        "joints not seen": counted & (scores == 0) & in_skeleton & ~motion.interpolated[:, None],
        "frames not seen": counted & motion.interpolated[:, None],
    }


def _pairs(view: View, motion: Motion, mask: Bool[np.ndarray, "t j"]) -> Float[np.ndarray, "n 2"]:
    """Error and uncertainty of the joints of a mask, mm."""
    if motion.uncertainty is None:
        raise InputError("the lifter gives no uncertainty; train one with model.uncertainty=true")
    truth = view.converted(view.keypoint_skeleton, motion.skeleton).joints.numpy()
    error = np.linalg.norm(motion.joints - truth, axis=-1)
    known = mask & np.isfinite(error) & (motion.uncertainty > 0)
    return 1000 * np.stack([error[known], motion.uncertainty[known]], -1)


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
