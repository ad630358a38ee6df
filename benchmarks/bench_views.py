"""Errors on views of the CMU benchmark, and their true worlds."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.data.reading import load_arrays
from poselift.data.views import View
from poselift.reports.evaluation import score_view, summarise
from poselift.reports.protocols import get_protocol
from poselift.skeleton import Skeleton


def load_worlds(bench: Path) -> dict[str, np.ndarray]:
    """The true world of each view in the camera frame, `R` and `t` in metres, and the view's clip, `clip_index`."""
    shapes: dict[str, tuple[int | None, ...]] = {"R": (None, 3, 3), "t": (None, 3), "clip_index": (None,)}
    return load_arrays(bench, shapes, "give bench_val.npz or bench_test.npz as --bench")


def mean_errors(
    views: Sequence[View], joints: Sequence[np.ndarray], roots: Sequence[np.ndarray], skeleton: Skeleton
) -> dict[str, float]:
    """The metrics of `poselift evaluate`, and those of the root, mm and mm a frame; means over subjects."""
    protocol = get_protocol("cmu_bench")
    scores = [score_view(view, own, skeleton, protocol) for view, own in zip(views, joints, strict=True)]
    off = [(view.subject, 1e3 * (root - view.root.numpy())) for view, root in zip(views, roots, strict=True)]
    return {
        **{key: metric["mean"] for key, metric in summarise(scores, protocol)["metrics"].items()},
        "root": subject_mean((subject, np.linalg.norm(one, axis=-1)) for subject, one in off),
        "root_velocity": subject_mean((who, np.linalg.norm(np.diff(one, axis=0), axis=-1)) for who, one in off),
    }


def subject_mean(values: Iterable[tuple[str, Any]]) -> float:
    """The mean over subjects of the means of their values; NaN does not count.

    Args:
        values: subject, and a number or an array of numbers; a subject may come more than once.
    """
    subjects = defaultdict(list)
    for subject, own in values:
        subjects[subject].append(np.ravel(own))
    pooled = [np.concatenate(parts) for parts in subjects.values()]
    means = [np.nanmean(own) for own in pooled if np.isfinite(own).any()]
    return float(np.mean(means)) if means else np.nan
