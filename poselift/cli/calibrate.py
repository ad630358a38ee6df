"""`poselift calibrate`: scales a lifter's uncertainty to hold for 9 of 10 joints of people it has not seen."""

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.cli.values import local_path
from poselift.core.errors import InputError
from poselift.core.files import sha256, write_json
from poselift.core.progress_text import Output, track
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.kinematics import relative_to_body
from poselift.lifting import lift_view
from poselift.losses import COVERAGE
from poselift.models import load_weights
from poselift.models.saved_weights import seal_card
from poselift.skeleton import H36M17
from poselift.structures import Motion

SKELETONS = ("h36m17", "coco17", "halpe26")
KEYPOINTS = ("det", "gt")
"""Detector-like and exact 2D; each counts as much."""

MEASURED = H36M17.joints[1:]
"""The joints that count: those that the benchmark measures, without the root, which is the origin.

The corpus's faces and heels have average proportions and were not measured.
"""


def add_command(commands: Any) -> None:
    """Adds `calibrate` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "calibrate",
        description="Finds the factor that makes a lifter's uncertainty, relative to the body, hold for 9 of 10 joints "
        "of Human3.6M-17 and writes it into the JSON of the weights. Each subject counts the same; views are lifted as "
        "by `poselift lift`.",
    )
    parser.add_argument(
        "weights", type=local_path, help="a .safetensors file of a lifter trained with model.uncertainty=true"
    )
    parser.add_argument("--corpus", type=local_path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=local_path, required=True, help="bench_val.npz")
    parser.set_defaults(run=lambda options: calibrate(options.weights, options.corpus, options.bench))


def calibrate(path: Path, corpus: Path, bench: Path) -> float:
    """The `uncertainty_factor`, which is also written into the weights' JSON.

    Raises:
        InputError: a file cannot be used, or the lifter gives no uncertainty.
    """
    if path.suffix != ".safetensors":
        raise InputError(
            f"{path} is no .safetensors file; give one, because the factor is written into the JSON beside it"
        )
    weights, card_path = load_weights(path), path.with_suffix(".json")
    plain = replace(weights, card={**weights.card, "uncertainty_factor": 1.0})
    ratios: dict[str, list[np.ndarray]] = {}
    for skeleton, kind in product(SKELETONS, KEYPOINTS):
        views = CmuBench(corpus, bench, skeleton, kind)
        for view in track(views, f"Lifting {skeleton} {kind}", output=Output(sys.stderr)):
            ratios.setdefault(view.subject, []).append(error_ratios(view, lift_view(view, plain)))
    pooled = {subject: np.concatenate(parts) for subject, parts in ratios.items()}
    factor = calibration_factor(pooled.values())
    bench_about = {"name": bench.name, "sha256": sha256(bench)}
    about = {"bench": bench_about, "skeletons": SKELETONS, "keypoints": KEYPOINTS, "coverage": COVERAGE}
    card = {**weights.card, "uncertainty_factor": round(factor, 4), "calibrated_on": about}
    write_json(card_path, seal_card(card))
    print(f"uncertainty_factor {factor:.4f}, written to {card_path}. Within the uncertainty:")
    for subject, own in sorted(pooled.items()):
        print(f"  subject {subject}: {100 * np.mean(own <= 1):.1f} % before, {100 * np.mean(own <= factor):.1f} % now")
    return factor


def error_ratios(view: View, motion: Motion) -> Float[np.ndarray, " n"]:
    """Error divided by uncertainty, for the joints of `MEASURED` with both.

    Raises:
        InputError: the lifter gives no uncertainty.
    """
    error, uncertainty = errors_beside_uncertainty(view, motion)
    known = np.isfinite(error) & np.isin(motion.skeleton.joints, MEASURED)
    return error[known] / uncertainty[known]


def errors_beside_uncertainty(view: View, motion: Motion) -> tuple[Float[np.ndarray, "t j"], Float[np.ndarray, "t j"]]:
    """Error and uncertainty of each joint, metres; the error is NaN where the joint has no truth or no uncertainty.

    The uncertainty is that relative to the body: benchmarks have too few bodies to calibrate the part of an unknown
    size and tilt (`poselift.kinematics.whole_body`).

    Raises:
        InputError: the lifter gives no uncertainty.
    """
    uncertainty = relative_to_body(motion).uncertainty
    if uncertainty is None:
        raise InputError("the lifter gives no uncertainty; train one with model.uncertainty=true")
    truth = view.convert(view.keypoint_skeleton, motion.skeleton).joints.numpy()
    error = np.linalg.norm(motion.joints - truth, axis=-1)
    return np.where(uncertainty > 0, error, np.nan), uncertainty


def calibration_factor(ratios: Iterable[Float[np.ndarray, " _"]]) -> float:
    """The factor on uncertainties that puts `COVERAGE` of the joints within them.

    It is the quantile of all ratios, with the same total weight for each subject: split conformal prediction (Vovk et
    al. 2005; Romano et al. 2019, https://arxiv.org/abs/1905.03222). So the coverage is right on average for a new
    person. People who move like those of the training data have more joints within.

    Args:
        ratios: error divided by uncertainty, for each subject; an empty one does not count.

    Raises:
        InputError: all are empty.
    """
    parts = [part for part in ratios if len(part)]
    if not parts:
        raise InputError(
            "the benchmark and the lifter have no joint in common; calibrate a lifter that gives joints of Human3.6M-17"
        )
    pooled = np.concatenate(parts)
    share = np.concatenate([np.full(len(part), 1 / len(part) / len(parts)) for part in parts])
    order = np.argsort(pooled)
    # Sums of shares come out a little below what they are: the last is not quite 1.
    first = int(np.searchsorted(np.cumsum(share[order]), COVERAGE - 1e-9))
    return float(pooled[order[first]])
