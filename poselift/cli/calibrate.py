"""`poselift calibrate`: makes what a lifter says of its own errors true on views that it was not trained on."""

import argparse
import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from rich.console import Console
from rich.progress import track

from poselift.core.errors import InputError
from poselift.core.files import sha256, write_json
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.lifting import CameraModel, lift_track
from poselift.models import Weights, load_weights
from poselift.skeleton import H36M17
from poselift.structures import Keypoints2D, Motion

COVERAGE = 0.9
"""Share of the joints that are to be within their uncertainty."""

SKELETONS_IN = ("h36m17", "coco17", "halpe26")
SOURCES = ("det", "gt")
"""Detector-like and exact 2D, of which each counts as much."""

MEASURED = H36M17.joints[1:]
"""The joints whose radii count: those that the benchmark measures, but the root, which is the origin.

Its faces and heels are of average proportions, not measured: they are to be trained on, not to be judged by.
"""


def add_command(commands: Any) -> None:
    """Adds `calibrate` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "calibrate",
        help="make a lifter's radii of error true",
        description="Finds the factor by which a lifter's radii hold for 9 of 10 joints of Human3.6M-17, each subject "
        "counting alike, lifted as `poselift lift` does, and writes it into the JSON of the weights.",
    )
    parser.add_argument(
        "weights", type=Path, help="a .safetensors file of a lifter trained with model.uncertainty=true"
    )
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_val.npz")
    parser.set_defaults(run=lambda options: calibrate(options.weights, options.corpus, options.bench))


def calibrate(path: Path, corpus: Path, bench: Path) -> float:
    """Writes `uncertainty_factor` into the JSON beside the weights, and returns it.

    Raises:
        InputError: a file cannot be used, or the lifter gives no radii.
    """
    if path.suffix != ".safetensors":
        raise InputError(f"{path} is no .safetensors file; give one, as the factor is written into the JSON beside it")
    weights = load_weights(path)
    plain = replace(weights, card={**weights.card, "uncertainty_factor": 1.0})
    ratios: dict[str, list[np.ndarray]] = {}
    for joints, source in product(SKELETONS_IN, SOURCES):
        views = CmuBench(corpus, bench, joints, source)
        for view in track(views, f"Lifting {joints} {source}", console=Console(stderr=True)):
            ratios.setdefault(view.subject, []).append(error_ratios(view, lift_view(view, plain)))
    pooled = {subject: np.concatenate(parts) for subject, parts in ratios.items()}
    factor = calibration_factor(pooled.values())
    bench_about = {"name": bench.name, "sha256": sha256(bench)}
    about = {"bench": bench_about, "joints": SKELETONS_IN, "sources": SOURCES, "coverage": COVERAGE}
    card = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    write_json(path.with_suffix(".json"), {**card, "uncertainty_factor": round(factor, 4), "calibrated_on": about})
    print(f"uncertainty_factor {factor:.4f}, written to {path.with_suffix('.json')}. Within the uncertainty:")
    for subject, own in sorted(pooled.items()):
        print(f"  subject {subject}: {100 * np.mean(own <= 1):.1f} % before, {100 * np.mean(own <= factor):.1f} % now")
    return factor


def lift_view(view: View, weights: Weights) -> Motion:
    """The view as `poselift lift` lifts it: windows, flips, steady bones and all."""
    width, height = (int(size) for size in view.image_size)
    keypoints = Keypoints2D(
        view.keypoints.numpy(),
        view.scores.numpy(),
        view.times.double().numpy(),
        view.keypoint_skeleton,
        (width, height),
    )
    return lift_track(keypoints, weights, CameraModel(view.K, (width, height), "given"))


def error_ratios(view: View, motion: Motion) -> Float[np.ndarray, " n"]:
    """Error over radius of the joints `MEASURED`, wherever both are known.

    Raises:
        InputError: the lifter gives no radii.
    """
    if motion.uncertainty is None:
        raise InputError("the lifter does not tell how far off it may be; train one with model.uncertainty=true")
    truth = view.converted(view.keypoint_skeleton, motion.skeleton).joints.numpy()
    error = np.linalg.norm(motion.joints - truth, axis=-1)
    known = np.isfinite(error) & (motion.uncertainty > 0) & np.isin(motion.skeleton.joints, MEASURED)
    return error[known] / motion.uncertainty[known]


def calibration_factor(ratios: Iterable[Float[np.ndarray, " _"]]) -> float:
    """The factor on the radii by which `COVERAGE` of the joints are within them, on the mean of the subjects' shares.

    That is the quantile of all ratios, each subject's of the same weight in all (split conformal prediction: Vovk et
    al. 2005; Romano et al. 2019, https://arxiv.org/abs/1905.03222): what is right on average for a person whom the
    lifter has not seen, while people who move as those of training did have more of their joints within.

    Args:
        ratios: of each subject, error over radius; one without any has no say.

    Raises:
        InputError: there are none at all.
    """
    parts = [part for part in ratios if len(part)]
    if not parts:
        raise InputError("no joint of the benchmark is known both in 3D and in what the lifter gives")
    pooled = np.concatenate(parts)
    share = np.concatenate([np.full(len(part), 1 / len(part) / len(parts)) for part in parts])
    order = np.argsort(pooled)
    # Sums of shares come out a little below what they are: the last is not quite 1.
    first = int(np.searchsorted(np.cumsum(share[order]), COVERAGE - 1e-9))
    return float(pooled[order[first]])
