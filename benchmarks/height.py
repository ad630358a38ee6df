"""How well the height of a person is told, which is where `poselift.lifting.height.SPREAD` is from.

    python -m benchmarks.height --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE] [--windows 1024]

First on virtual people: windows of the CMU corpus's train split with bodies changed as training changes them, seen by
virtual cameras and a virtual detector, at most `FRAMES` frames each. Then on the benchmark's subjects, whom the corpus
has few of. True heights are those that the true joints show, by the same sum along the body. The error is log(true /
estimated), in percent; the column `within` is how often it is below one and below two of the stated spreads.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.cmu import load_cmu
from poselift.data.cmu_bench import CmuBench
from poselift.data.virtual import VirtualSampler
from poselift.lifting.camera import CameraModel, camera_for
from poselift.lifting.height import SPREAD, estimate_height
from poselift.lifting.track import lift_track
from poselift.models import Weights, load_weights
from poselift.skeleton import CMU28, Skeleton
from poselift.structures import Keypoints2D

FRAMES = 150

_BATCH = 32

_BOUNDS = (0.0, 1.45, 1.6, 1.75, 1.9, np.inf)
"""Metres, between which virtual people are looked at together."""

Heights = tuple[float, float, float]
"""True, estimated with the true camera, and with the assumed field of view; metres."""


def virtual_people(corpus: Path, weights: Weights, count: int, seed: int = 0) -> Iterator[Heights]:
    """The heights of virtual people, of those in whom anything can be seen."""
    source = VirtualSampler(load_cmu(corpus, "train"), FRAMES, CMU28, CMU28, {"h36m17": 0.5, "coco17": 0.5})
    generator = torch.Generator().manual_seed(seed)
    for _ in range(-(-count // _BATCH)):
        batch = source.sample(_BATCH, generator)
        for index in range(_BATCH):
            frames = batch.valid[index]
            width, height = (int(size) for size in batch.image_size[index])
            keypoints = Keypoints2D(
                batch.keypoints[index][frames].double().numpy(),
                batch.scores[index][frames].double().numpy(),
                batch.times[index][frames].double().numpy(),
                CMU28,
                (width, height),
            )
            try:
                yield _heights(batch.joints[index][frames].numpy(), CMU28, keypoints, batch.K[index], weights)
            except InputError:  # the head is not known in some clips, and some people are never in the picture
                continue


def bench_subjects(bench: CmuBench, weights: Weights) -> Iterator[tuple[str, Heights]]:
    """The subject and the heights of each view."""
    for view in bench:
        width, height = (int(size) for size in view.image_size)
        keypoints = Keypoints2D(
            view.keypoints.double().numpy(),
            view.scores.double().numpy(),
            view.times.double().numpy(),
            view.keypoint_skeleton,
            (width, height),
        )
        yield view.subject, _heights(view.joints.numpy(), view.skeleton, keypoints, view.K, weights)


def _heights(
    joints: Float[np.ndarray, "t j 3"], skeleton: Skeleton, keypoints: Keypoints2D, K: torch.Tensor, weights: Weights
) -> Heights:
    cameras = (CameraModel(K, keypoints.image_size, "given"), camera_for(keypoints.image_size))
    true = estimate_height(joints, skeleton).metres
    motions = (lift_track(keypoints, weights, camera) for camera in cameras)
    known, assumed = (estimate_height(motion.joints, motion.skeleton).metres for motion in motions)
    return true, known, assumed


def row(name: str, heights: list[Heights], column: int) -> str:
    """A line of the table; `column` is 1 with the true camera and 2 with the assumed field of view."""
    values = np.array(heights)
    off = np.log(values[:, 0] / values[:, column])
    within = " and ".join(f"{100 * np.mean(np.abs(off) < k * SPREAD):.0f} %" for k in (1, 2))
    cells = [
        str(len(values)),
        f"{np.median(values[:, 0]):.2f}",
        f"{np.median(values[:, column]):.2f}",
        f"{100 * off.mean():+.1f}",
        f"{100 * off.std():.1f}",
        f"{100 * np.sqrt(np.mean(off**2)):.1f}",
        within,
    ]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_val.npz or bench_test.npz")
    parser.add_argument("--weights", default="small", help="shipped weights by name, or a file")
    parser.add_argument("--windows", type=int, default=1024, help="of virtual people")
    options = parser.parse_args()
    torch.set_num_threads(1)
    weights = load_weights(options.weights)
    head = "| | people | true m | estimated m | mean % | deviation % | rms % | within |\n|---|" + "---:|" * 7
    people = list(virtual_people(options.corpus, weights, options.windows))
    print(f"Virtual people of the train split\n\n{head}")
    print(row("all", people, 1))
    print(row("all, field of view assumed", people, 2))
    for low, high in pairwise(_BOUNDS):
        some = [heights for heights in people if low <= heights[0] < high]
        if some:
            name = f"{low:.2f} to {high:.2f} m"
            if low == 0 or high == np.inf:
                name = f"under {high:.2f} m" if low == 0 else f"{low:.2f} m and over"
            print(row(name, some, 1))
    print(f"\nViews of {options.bench.name}\n\n{head.replace('people', 'views')}")
    views = list(bench_subjects(CmuBench(options.corpus, options.bench), weights))
    print(row("all", [heights for _, heights in views], 1))
    print(row("all, field of view assumed", [heights for _, heights in views], 2))
    for subject in sorted({subject for subject, _ in views}):
        print(row(f"subject {subject}", [heights for own, heights in views if own == subject], 1))


if __name__ == "__main__":
    main()
