"""Whether lifters know how far off they are: of the joints, how many are within the radius that is given with them.

    python benchmarks/uncertainty.py --corpus cmu50.npz --bench bench_test.npz [--weights NAME|FILE ...] [--out DIR]

Each view is lifted as `poselift lift` lifts it. The joints of Human3.6M-17 but the root, which is the origin, count:
the benchmark's faces and heels are of average proportions, not measured. Writes DIR/uncertainty.md, and a plot as
DIR/uncertainty.png and .pdf: for each joint set and each kind of 2D the share within the uncertainty, by subject; the same
for joints that were not seen, and in frames in which nothing was; and by how large the radius is.

A second table has the mean error of ankles and of big toes, mm, which are measured too, and how many of the toes are
within their uncertainty: only Halpe-26 has toes to see, with the others they are what the lifter makes of the leg.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter
from rich.progress import track

from poselift.cli.calibrate import MEASURED, SKELETONS_IN, SOURCES, lift_view
from poselift.core.files import write_text
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.models import Weights, load_weights
from poselift.structures import Motion
from poselift.viz.plots.style import save_plot, styled

_TENTHS = 10

_FEET = {"ankles": ("left_ankle", "right_ankle"), "big toes": ("left_big_toe", "right_big_toe")}


def main() -> None:
    """Measures, writes the table and draws the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_test.npz or bench_val.npz")
    parser.add_argument("--weights", nargs="+", default=["small"], help="shipped weights by name, or files")
    parser.add_argument("--joints", nargs="+", default=list(SKELETONS_IN), help="joint sets that are seen")
    parser.add_argument("--source", nargs="+", default=list(SOURCES), help="det: detector-like 2D; gt: exact")
    parser.add_argument("--out", type=Path, default=Path("outputs/uncertainty"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows, feet, lines = [], [], {}
    for name in options.weights:
        weights = load_weights(name)
        for joints in options.joints:
            for source in options.source:
                views = CmuBench(options.corpus, options.bench, joints, source)
                found = _measure(views, weights, f"{weights.name} {joints} {source}")
                rows.append(f"| {weights.name} | {joints} | {source} | {_cells(found)} |")
                feet.append(f"| {weights.name} | {joints} | {source} | {_feet(found['feet'])} |")
                if joints == options.joints[0]:
                    lines[f"{weights.name}, {source}"] = found["uncertainty"]
    head = ["lifter", "joints in", "2D", "within, mean of subjects", "by subject", "joints not seen", "frames not seen"]
    text = "\n".join([f"| {' | '.join(head)} | median radius |", "|" + "---|" * 8, *rows]) + "\n\n"
    toes = ["| lifter | joints in | 2D | ankles | big toes | toes within |", "|---|---|---|---:|---:|---:|", *feet]
    text += "\n".join(toes) + "\n"
    write_text(options.out / "uncertainty.md", text)
    save_plot(_plot(lines), options.out / "uncertainty")
    print(text)


def _measure(views: CmuBench, weights: Weights, title: str) -> dict[str, dict[str, np.ndarray]]:
    """Errors and radii, mm, of the joints that count."""
    parts: dict[str, list[np.ndarray]] = defaultdict(list)
    for view in track(views, title):
        motion = lift_view(view, weights)
        for key, mask in _cases(view, motion).items():
            parts[key].append(_pairs(view, motion, mask))
        for name, joints in _FEET.items():
            mask = np.broadcast_to(np.isin(motion.skeleton.joints, joints), motion.joints.shape[:2])
            parts[f"feet {view.subject} {name}"].append(_pairs(view, motion, mask))
    pooled = {key: np.concatenate(own) for key, own in parts.items()}
    return {
        "subject": {key.removeprefix("subject "): value for key, value in pooled.items() if key.startswith("subject ")},
        "case": {key: value for key, value in pooled.items() if key.endswith(" not seen")},
        "feet": {key: value for key, value in pooled.items() if key.startswith("feet ")},
        "uncertainty": {"all": np.concatenate([value for key, value in pooled.items() if key.startswith("subject ")])},
    }


def _cases(view: View, motion: Motion) -> dict[str, np.ndarray]:
    """Which joints of the motion count for which row."""
    counted = np.broadcast_to(np.isin(motion.skeleton.joints, MEASURED), motion.joints.shape[:2])
    scores = view.converted(motion.skeleton, view.skeleton).scores.numpy()
    given = (scores > 0).any(0)  # joints that the joint set has at all
    return {
        f"subject {view.subject}": counted,
        "joints not seen": counted & (scores == 0) & given & ~motion.interpolated[:, None],
        "frames not seen": counted & motion.interpolated[:, None],
    }


def _pairs(view: View, motion: Motion, mask: np.ndarray) -> np.ndarray:
    """Error and radius side by side, mm."""
    assert motion.uncertainty is not None, "lift_view's weights give radii"
    truth = view.converted(view.keypoint_skeleton, motion.skeleton).joints.numpy()
    error = np.linalg.norm(motion.joints - truth, axis=-1)
    known = mask & np.isfinite(error) & (motion.uncertainty > 0)
    return 1000 * np.stack([error[known], motion.uncertainty[known]], -1)


def _share(pairs: np.ndarray) -> float:
    return 100 * float(np.mean(pairs[:, 0] <= pairs[:, 1]))


def _cells(found: dict[str, dict[str, np.ndarray]]) -> str:
    shares = {subject: _share(pairs) for subject, pairs in found["subject"].items()}
    by_subject = ", ".join(f"{subject}: {share:.1f}" for subject, share in sorted(shares.items()))
    cases = [
        f"{_share(pairs):.1f} ({np.median(pairs[:, 1]):.0f} mm)" if len(pairs) else "-"
        for pairs in (found["case"]["joints not seen"], found["case"]["frames not seen"])
    ]
    median = np.median(found["uncertainty"]["all"][:, 1])
    return f"{np.mean(list(shares.values())):.1f} | {by_subject} | {' | '.join(cases)} | {median:.0f} mm"


def _feet(found: dict[str, np.ndarray]) -> str:
    """Means over subjects."""
    of = {name: [pairs for key, pairs in found.items() if key.endswith(name)] for name in _FEET}
    errors = [f"{np.mean([pairs[:, 0].mean() for pairs in parts if len(pairs)]):.1f}" for parts in of.values()]
    return f"{' | '.join(errors)} | {np.mean([_share(pairs) for pairs in of['big toes'] if len(pairs)]):.1f}"


@styled
def _plot(lines: dict[str, dict[str, np.ndarray]]) -> Figure:
    """The share within the radius in each tenth of the joints, by how large the radius is."""
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    for name, pooled in lines.items():
        pairs = pooled["all"][pooled["all"][:, 1].argsort()]
        tenths = np.array_split(pairs, _TENTHS)
        axes.plot([np.median(part[:, 1]) for part in tenths], [_share(part) for part in tenths], "o-", label=name)
    axes.axhspan(88, 92, color="0.9", zorder=0)
    axes.set(
        xscale="log", xlabel="uncertainty given, mm (medians of tenths)", ylabel="joints within it, %", ylim=(70, 100)
    )
    axes.xaxis.set_major_locator(FixedLocator([20, 50, 100, 200, 500]))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_locator(NullLocator())
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
