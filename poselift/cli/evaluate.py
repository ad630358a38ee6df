"""`python tools/evaluate.py`: how far a lifter is off on a benchmark."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig
from rich.console import Console
from rich.progress import track
from rich.table import Table

from poselift.cli.config import run_configured
from poselift.cli.device import torch_device
from poselift.core.errors import InputError
from poselift.core.files import write_json
from poselift.data.views import View
from poselift.lifting import camera_for
from poselift.lifting.bones import steady_bones
from poselift.metrics.functional import (
    Terms,
    aligned_joint_errors,
    correct_joints3d,
    joint_auc3d,
    joint_errors,
    scaled_joint_errors,
    velocity_errors,
)
from poselift.models import Weights, lift_sequence, load_weights
from poselift.skeleton import CMU28, Skeleton

METRICS = {
    "mpjpe": joint_errors,
    "p_mpjpe": aligned_joint_errors,
    "n_mpjpe": scaled_joint_errors,
    "mpjve": velocity_errors,
    "pck150": correct_joints3d,
    "auc": joint_auc3d,
}
"""What is measured: mm, mm per frame for mpjve, percent for pck150 and auc."""


def run(config: DictConfig) -> None:
    """`evaluate` for the command line."""
    run_configured(evaluate, config)


def evaluate(config: DictConfig) -> None:
    """Lifts every view of the benchmark, prints the table and writes metrics.json.

    Raises:
        InputError: something that the config names cannot be used.
    """
    if config.camera not in ("known", "assumed"):
        raise InputError(f"camera={config.camera} is not known; choose known or assumed")
    device = torch_device(config.device)
    weights = load_weights(config.weights, device)
    views = instantiate(config.data)
    window = weights.window if config.window is None else int(config.window)
    totals: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in METRICS}
    console = Console(highlight=False, markup=False, emoji=False)
    for view in track(views, description="Lifting", total=len(views), console=Console(stderr=True)):
        for name, terms in _errors(view, weights, window, config, device).items():
            total, count = totals[name].get(view.subject, (0.0, 0.0))
            counts = terms.counts
            totals[name][view.subject] = (
                total + float(terms.values.where(counts, 0.0).sum()),
                count + float(counts.sum()),
            )
    results = {name: _means(by_subject) for name, by_subject in totals.items()}
    subjects = sorted(totals["mpjpe"])
    path = Path(config.output) / "metrics.json"
    write_json(
        path,
        {
            **results,
            "subjects": {subject: {name: _ratio(*totals[name][subject]) for name in METRICS} for subject in subjects},
            "weights": {"name": weights.name, "sha256": weights.sha256},
            "settings": {
                "joints": config.data.joints,
                "source": config.data.source,
                "camera": config.camera,
                "flip": config.flip,
                "steady": config.steady,
                "window": window,
                "views": len(views),
            },
        },
    )
    _print_table(console, results, totals, subjects)
    console.print(f"Written to {path}. Errors on this benchmark are not comparable with errors on Human3.6M.")


def _errors(view: View, weights: Weights, window: int, config: DictConfig, device: torch.device) -> dict[str, Terms]:
    """Every metric's terms for one view."""
    skeleton: Skeleton = weights.lifter.skeleton_out  # type: ignore[assignment]
    K = view.K
    if config.camera == "assumed":
        width, height = (int(size) for size in view.image_size)
        K = camera_for((width, height)).K
    predicted = lift_sequence(
        weights.lifter,
        view.keypoints.to(device),
        view.scores.to(device),
        view.times.to(device),
        K.to(device),
        view.image_size.to(device),
        window=window,
        flip=config.flip,
    ).cpu()
    if config.steady:
        predicted = torch.from_numpy(steady_bones(predicted.numpy(), skeleton, np.ones(len(predicted), bool)))
    target = view.joints[:, CMU28.indices(list(skeleton.joints))]
    mask = target.isfinite().all(-1)
    return {name: metric(predicted, target, mask) for name, metric in METRICS.items()}


def _ratio(total: float, count: float) -> float:
    return round(total / count, 4) if count else math.nan


def _means(by_subject: dict[str, tuple[float, float]]) -> dict[str, float]:
    """The mean over all frames, and the mean of the subjects' means."""
    frames = _ratio(sum(total for total, _ in by_subject.values()), sum(count for _, count in by_subject.values()))
    subjects = sum(_ratio(*pair) for pair in by_subject.values()) / len(by_subject)
    return {"frames": frames, "subjects": round(subjects, 4)}


def _print_table(
    console: Console,
    results: dict[str, dict[str, float]],
    totals: dict[str, Any],
    subjects: list[str],
) -> None:
    table = Table("metric", "unit", "frames", "subjects", *(f"subject {name}" for name in subjects))
    for column in table.columns[2:]:
        column.justify = "right"
    units = {"mpjve": "mm/frame", "pck150": "%", "auc": "%"}
    for name, means in results.items():
        own = [f"{_ratio(*totals[name][subject]):.2f}" for subject in subjects]
        table.add_row(name, units.get(name, "mm"), f"{means['frames']:.2f}", f"{means['subjects']:.2f}", *own)
    console.print(table)
