"""Whether smoothing 2D keypoints before lifting makes the 3D better.

    python benchmarks/smoothing.py --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE] [--joints coco17]

Lifts the detector-like 2D of every view, as it is and smoothed in several ways, as `poselift lift` does, and prints the
errors as the protocol `cmu_bench` has them (means over subjects). The filters are the One-Euro filter
(Casiez, Roussel and Vogel 2012, https://gery.casiez.net/1euro/), which sees no future, and Savitzky-Golay's, centred.
Each joint is smoothed in the runs of frames in which it was found.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from scipy.signal import savgol_filter

from poselift.cli.calibrate import lift_view
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.models import Weights, load_weights
from poselift.reports.evaluation import ViewScore, score_view, summarise
from poselift.reports.protocols import get_protocol
from poselift.tracking.track import size_of

Filter = Callable[[Float[np.ndarray, "t 2"], float], Float[np.ndarray, "t 2"]]
"""Smooths one joint's run of frames; the second argument is the frame rate."""


def one_euro(cutoff: float, beta: float) -> Filter:
    """A low-pass filter whose cut-off frequency grows with the speed.

    Args:
        cutoff: at rest, Hz.
        beta: Hz more for each body length a second.
    """

    def smooth(run: Float[np.ndarray, "t 2"], fps: float) -> Float[np.ndarray, "t 2"]:
        def trust(frequency: np.ndarray | float) -> np.ndarray | float:
            return 1 / (1 + fps / (2 * np.pi * frequency))

        out, speed = run.copy(), np.zeros(2)
        for k in range(1, len(run)):
            speed = speed + trust(1.0) * ((run[k] - run[k - 1]) * fps - speed)
            out[k] = out[k - 1] + trust(cutoff + beta * np.abs(speed)) * (run[k] - out[k - 1])
        return out

    return smooth


def savitzky_golay(window: int, order: int) -> Filter:
    """A polynomial fitted to each window of frames; shorter runs are left as they are."""

    def smooth(run: Float[np.ndarray, "t 2"], fps: float) -> Float[np.ndarray, "t 2"]:
        return savgol_filter(run, window, order, axis=0) if len(run) >= window else run

    return smooth


FILTERS: dict[str, Filter | None] = {
    "none": None,
    "One-Euro 1.5 Hz, beta 5": one_euro(1.5, 5.0),
    "One-Euro 3 Hz, beta 10": one_euro(3.0, 10.0),
    "One-Euro 6 Hz, beta 20": one_euro(6.0, 20.0),
    "Savitzky-Golay 5 frames, order 2": savitzky_golay(5, 2),
    "Savitzky-Golay 9 frames, order 2": savitzky_golay(9, 2),
    "Savitzky-Golay 13 frames, order 2": savitzky_golay(13, 2),
    "Savitzky-Golay 13 frames, order 3": savitzky_golay(13, 3),
}


def smoothed(view: View, smooth: Filter) -> torch.Tensor:
    """The keypoints of a view, each joint's runs of frames smoothed in units of the body's median extent."""
    keypoints = view.keypoints.double().numpy()
    fps = float(1 / view.times.diff().median())
    size = float(np.median([size_of(frame) for frame in keypoints]))
    out = keypoints.copy()
    found = np.isfinite(keypoints).all(-1)
    for joint in range(keypoints.shape[1]):
        edges = np.flatnonzero(np.diff(np.pad(found[:, joint].astype(int), 1)))
        for start, stop in edges.reshape(-1, 2):
            out[start:stop, joint] = smooth(keypoints[start:stop, joint] / size, fps) * size
    return torch.from_numpy(out).float()


def score(view: View, keypoints: torch.Tensor, weights: Weights) -> ViewScore:
    """How good the lifted keypoints are."""
    motion = lift_view(replace(view, keypoints=keypoints), weights)
    return score_view(view, motion.joints, motion.skeleton, get_protocol("cmu_bench"))


def main() -> None:
    """Prints a row for each filter."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_val.npz: filters are chosen on val")
    parser.add_argument("--weights", default="small", help="shipped weights by name, or a file")
    parser.add_argument("--joints", default="coco17", help="the joint set that is seen")
    options = parser.parse_args()
    weights = load_weights(options.weights, "cpu")
    views = list(CmuBench(options.corpus, options.bench, options.joints))
    print("| 2D | MPJPE mm | P-MPJPE mm | MPJVE mm/frame |\n|---|---|---|---|")
    for name, smooth in FILTERS.items():
        scores = [score(view, view.keypoints if smooth is None else smoothed(view, smooth), weights) for view in views]
        metrics = summarise(scores, get_protocol("cmu_bench"))["metrics"]
        print(
            f"| {name} | " + " | ".join(f"{metrics[key]['mean']:.2f}" for key in ("mpjpe", "p_mpjpe", "mpjve")),
            "|",
            flush=True,
        )


if __name__ == "__main__":
    main()
