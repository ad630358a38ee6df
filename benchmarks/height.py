"""Errors of the estimated height of people; the spread of heights, and `SIZE` of uncertainties, come from them.

    python -m benchmarks.height --corpus cmu50.npz --bench bench_val.npz [--weights NAME|FILE ...] [--windows 1024]

First table: virtual people, which are windows of the CMU corpus's train split with changed bodies, as training changes
them, seen by virtual cameras and a virtual detector. Second table: the benchmark's subjects. The true height is the
sum along the body of the true joints. The error is log(true / estimated), in percent. `within` is the share of people
whose error is below one spread, and below two. `adults`: the virtual people, weighted to be as tall as adults are.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import torch
from jaxtyping import Float
from scipy.stats import gaussian_kde, norm

from benchmarks.command import add_bench, command_line, errors_shown, table_head, table_row
from poselift.core.errors import InputError
from poselift.data.cmu import load_cmu
from poselift.data.cmu_bench import CmuBench
from poselift.data.corpus import MotionCorpus
from poselift.data.views import View
from poselift.data.virtual import VirtualSampler
from poselift.kinematics.height import SPREAD, estimate_height
from poselift.lifting.dataset_views import lift_view
from poselift.models import Weights, load_weights
from poselift.skeleton import CMU28

FRAMES = 150
"""Most frames of a virtual person."""

_BATCH = 32

_BOUNDS = (0.0, 1.45, 1.6, 1.75, 1.9, np.inf)
"""Metres between the rows of virtual people."""

_ADULTS = ((1.63, 0.065), (1.76, 0.07))
"""Mean and standard deviation of the heights of women and of men, metres; each counts as much."""

_TITLES = ("", "people", "true m", "estimated m", "mean %", "deviation %", "rms %", "within")

Heights = tuple[float, float, float]
"""True, estimated with the true camera, and estimated with the assumed field of view; metres."""


def virtual_people(corpus: MotionCorpus, count: int, seed: int = 0) -> Iterator[View]:
    """Virtual people as views; `count` is rounded up to whole batches."""
    source = VirtualSampler(corpus, FRAMES, CMU28, CMU28, {"h36m17": 0.5, "coco17": 0.5})
    generator = torch.Generator().manual_seed(seed)
    for _ in range(-(-count // _BATCH)):
        batch = source.sample(_BATCH, generator)
        for index, valid in enumerate(batch.valid):
            frames = {name: getattr(batch, name)[index][valid] for name in ("keypoints", "scores", "times", "joints")}
            root = torch.zeros(int(valid.sum()), 3)  # no height depends on it
            yield View("", "", **frames, K=batch.K[index], image_size=batch.image_size[index], root=root)


def heights_of(view: View, weights: Weights) -> Heights:
    """The heights of one person.

    Raises:
        InputError: the true or the lifted joints lack a part of the body.
    """
    true = estimate_height(view.joints.numpy(), view.skeleton).metres
    motions = (lift_view(view, weights, known_camera=known) for known in (True, False))
    known, assumed = (estimate_height(motion.joints, motion.skeleton).metres for motion in motions)
    return true, known, assumed


def as_tall_as_adults(heights: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Weights of people, with which their heights are distributed as those of `_ADULTS`."""
    wanted = np.sum([norm.pdf(heights, *each) for each in _ADULTS], axis=0)
    return np.asarray(wanted / gaussian_kde(heights)(heights))


def row(name: str, heights: Sequence[Heights], column: int = 1, weights: Float[np.ndarray, " n"] | None = None) -> str:
    """A row of a table; column 1 is with the true camera, column 2 with the assumed field of view."""
    values = np.array(heights)
    share = np.ones(len(values)) / len(values) if weights is None else weights / weights.sum()
    error = np.log(values[:, 0] / values[:, column])
    mean = share @ error
    cells = [
        str(len(values)),
        *(f"{_median(values[:, each], share):.2f}" for each in (0, column)),
        f"{100 * mean:+.1f}",
        f"{100 * np.sqrt(share @ (error - mean) ** 2):.1f}",
        f"{100 * np.sqrt(share @ error**2):.1f}",
        " and ".join(f"{100 * share @ (np.abs(error) < spreads * SPREAD):.0f} %" for spreads in (1, 2)),
    ]
    return table_row([name, *cells])


def _median(values: Float[np.ndarray, " n"], share: Float[np.ndarray, " n"]) -> float:
    order = np.argsort(values)
    return float(np.interp(0.5, np.cumsum(share[order]) - share[order] / 2, values[order]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints both tables."""
    parser = command_line(__doc__)
    add_bench(parser)
    parser.add_argument("--windows", type=int, default=1024, help="number of virtual people; default 1024")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        corpus, views = load_cmu(options.corpus, "train"), list(CmuBench(options.corpus, options.bench))
        for weights in map(load_weights, options.weights):
            _print_tables(weights, corpus, options.windows, views, options.bench.name)


def _print_tables(weights: Weights, corpus: MotionCorpus, count: int, views: Sequence[View], bench: str) -> None:
    people = []
    for view in virtual_people(corpus, count):
        try:
            people.append(heights_of(view, weights))
        except InputError:  # some clips lack the head, and some people are never in the picture
            continue
    print(f"\nVirtual people of the train split, `{weights.name}`\n\n{table_head(_TITLES)}")
    print(row("all", people))
    print(row("all, field of view assumed", people, 2))
    adults = as_tall_as_adults(np.array(people)[:, 0])
    print(row("adults", people, 1, adults))
    print(row("adults, field of view assumed", people, 2, adults))
    for low, high in pairwise(_BOUNDS):
        if some := [heights for heights in people if low <= heights[0] < high]:
            name = f"under {high:.2f} m" if low == 0 else f"{low:.2f} m and over" if high == np.inf else ""
            print(row(name or f"{low:.2f} to {high:.2f} m", some))
    found = [(view.subject, heights_of(view, weights)) for view in views]
    print(f"\nViews of {bench}, `{weights.name}`\n\n{table_head(_TITLES)}")
    print(row("all", [heights for _, heights in found]))
    print(row("all, field of view assumed", [heights for _, heights in found], 2))
    for subject in sorted({subject for subject, _ in found}):
        print(row(f"subject {subject}", [heights for own, heights in found if own == subject]))


if __name__ == "__main__":
    main()
