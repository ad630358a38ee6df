"""`poselift calibrate`: calibrates a lifter's uncertainty.

It then holds for 9 of 10 joints of people that the lifter has not seen.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from poselift.cli.values import local_path
from poselift.core.errors import InputError
from poselift.core.files import sha256, write_json
from poselift.core.progress_text import Output, show, track
from poselift.data.cmu_bench import CmuBench
from poselift.lifting import lift_view
from poselift.lifting.calibration import calibration_factor, error_ratios
from poselift.losses import COVERAGE
from poselift.models import load_weights
from poselift.models.saved_weights import seal_card
from poselift.skeleton import get_skeleton

SKELETONS = ("h36m17", "coco17", "halpe26")
"""Whose 2D the shipped weights are calibrated on."""
KEYPOINTS = ("det", "gt")
"""Detector-like and exact 2D; each counts as much."""


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
    parser.add_argument(
        "--skeletons",
        nargs="+",
        default=SKELETONS,
        metavar="NAME",
        help="skeletons of the 2D: coco_wholebody23 for the default detector, whose people have heels and toes "
        f"(default: {' '.join(SKELETONS)})",
    )
    parser.set_defaults(
        run=lambda options: calibrate(options.weights, options.corpus, options.bench, options.skeletons)
    )


def calibrate(path: Path, corpus: Path, bench: Path, skeletons: Sequence[str] = SKELETONS) -> float:
    """The `uncertainty_factor`, which is also written into the weights' JSON.

    Args:
        path: the weights.
        corpus: of the benchmark.
        bench: its views.
        skeletons: whose joints the 2D has; each counts as much.

    Raises:
        InputError: a file cannot be used, there is no such skeleton, or the lifter gives no uncertainty.
    """
    for name in skeletons:
        get_skeleton(name)
    if path.suffix != ".safetensors":
        raise InputError(
            f"{path} is no .safetensors file; give one, because the factor is written into the JSON beside it"
        )
    weights, card_path = load_weights(path), path.with_suffix(".json")
    plain = replace(weights, card={**weights.card, "uncertainty_factor": 1.0})
    ratios: dict[str, list[np.ndarray]] = {}
    for skeleton, kind in product(skeletons, KEYPOINTS):
        views = CmuBench(corpus, bench, skeleton, kind)
        for view in track(views, f"Lifting {skeleton} {kind}", output=Output(sys.stderr)):
            ratios.setdefault(view.subject, []).append(error_ratios(view, lift_view(view, plain)))
    pooled = {subject: np.concatenate(parts) for subject, parts in ratios.items()}
    factor = calibration_factor(pooled.values())
    bench_about = {"name": bench.name, "sha256": sha256(bench)}
    about = {"bench": bench_about, "skeletons": list(skeletons), "keypoints": KEYPOINTS, "coverage": COVERAGE}
    card = {**weights.card, "uncertainty_factor": round(factor, 4), "calibrated_on": about}
    write_json(card_path, seal_card(card))
    show(f"uncertainty_factor {factor:.4f}, written to {card_path}. Within the uncertainty:")
    for subject, own in sorted(pooled.items()):
        show(f"  subject {subject}: {100 * np.mean(own <= 1):.1f} % before, {100 * np.mean(own <= factor):.1f} % now")
    return factor
