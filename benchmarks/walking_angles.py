"""Whether the uncertainty of walkers' angles is true by our own definition, and the factors of walkers.

    python -m benchmarks.walking_angles --children children50.npz --corpus cmu50.npz
        --bench bench_val.npz bench_test.npz

Twelve people: the eight children of benchmarks/gait_lab.py (both splits, height unknown) and the adults who walk in the
CMU benchmark's views, with detector-like 2D, lifted as `poselift lift` does. Angles are those of `poselift measure`;
true are the same angles of the exact joints. COCO-17, and halpe26 for the ankles. The children's spine is not known, so
pelvis tilt and the flexion of hips are of adults alone: the four, and one walk of each person of the corpus's split
train (tier A) in the four views of benchmarks/gait_lab.py. The lifter has seen those people, in other views.

One table: people; the share of the values within the 90 % interval, as a mean of the people and the standard deviation
between them; the share of the children of split val and of the adults of the last benchmark file; `factor`, the part of
the half-width of movements in general with which 90 % are within, on the mean of the people; and the share of people
left out in turn, with the factor of the others. In brackets stands the 95 % interval of a mean, by a bootstrap over the
people (4,000 draws, seed 0). `_WALKING` of poselift/kinematics/propagation.py has the factors.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from jaxtyping import Float

from benchmarks.bench_views import load_worlds
from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.gait import clips
from benchmarks.gait_lab import Walk, lifted, walks
from poselift.data.cmu_bench import CmuBench
from poselift.data.reading import load_arrays
from poselift.kinematics import add_uncertainty, measure_joint_angles, measure_segment_angles, turn_legs_to_picture
from poselift.kinematics.propagation import _WALKING
from poselift.lifting import lift_view
from poselift.lifting.dataset_views import camera_of
from poselift.models import Weights, load_weights
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Motion

_ANGLES = (
    "hip_flexion",
    "hip_adduction",
    "knee_flexion",
    "ankle_dorsiflexion",
    "pelvis_tilt",
    "pelvis_list",
    "trunk_lean_ahead",
    "trunk_lean_right",
    "thigh_lean_ahead",
    "thigh_lean_out",
    "shank_lean_ahead",
    "shank_lean_out",
    "elbow_flexion",
    "shoulder_elevation",
)

_SPINE = ("hip_flexion", "pelvis_tilt")
"""Angles that need a spine."""

_FEET = "halpe26"
"""The 2D of which the ankles are; the other angles are of COCO-17."""

_LONGEST = 400
"""Frames of a walk of the corpus that count."""

_DRAWS = 4000
"""Of people, for a bootstrap interval."""

_FACTORS = np.arange(0.2, 2.0, 0.01)
"""Factors that are tried."""

Ratios = dict[str, dict[str, list[np.ndarray]]]
"""Of each angle and person: sizes of errors over half-widths, by view."""


def ratios(true: Motion, found: Motion, skeleton: str) -> Iterator[tuple[str, Float[np.ndarray, " n"]]]:
    """Each angle's name without side, and its errors over the half-widths of walks and others alike."""
    for angles_of in (measure_joint_angles, measure_segment_angles):
        if skeleton == _FEET and angles_of is measure_segment_angles:
            continue
        truth = angles_of(true)
        with patch.dict(_WALKING, clear=True):
            own = add_uncertainty(angles_of, found)
        assert own.uncertainty is not None
        for name, values, half in zip(own.names, own.degrees.T, own.uncertainty.T, strict=True):
            if name in truth.names and (strip_side(name) == "ankle_dorsiflexion") == (skeleton == _FEET):
                errors = values - truth.of(name)
                errors -= 360 * np.round(errors / 360)
                kept = np.isfinite(errors / half)
                yield strip_side(name), np.abs(errors[kept] / half[kept])


def add_children(found: Ratios, path: Path, split: str, weights: Weights, skeleton: str) -> None:
    """Adds the children of a split."""
    for each in lifted(walks(path, split), weights, skeleton, known_height=False):
        for name, values in ratios(each.walk.motion, each.seen, skeleton):
            if name not in _SPINE:
                found[name][f"{split} {each.walk.name[:6]}"].append(values)


def add_adults(found: Ratios, corpus: Path, bench: Path, weights: Weights, skeleton: str) -> None:
    """Adds the people who walk in the views of a benchmark file."""
    kinds = clips(corpus)
    views = CmuBench(corpus, bench, skeleton)
    for number, clip in enumerate(load_worlds(bench)["clip_index"].tolist()):
        if kinds.get(clip, ("",))[0] == "walk":
            view = views[number]
            motion = turn_legs_to_picture(lift_view(view, weights), camera_of(view))
            joints = view.joints[:, view.skeleton.indices(motion.skeleton.joints)].double().numpy()
            true = replace(motion, joints=joints, root=view.root.double().numpy(), uncertainty=None)
            for name, values in ratios(true, motion, skeleton):
                found[name][f"{bench.stem} {view.subject}"].append(values)


def add_seen_adults(found: Ratios, corpus: Path, weights: Weights) -> None:
    """Adds the angles that need a spine of the people whom the lifter has seen."""
    shapes: dict[str, tuple[int | None, ...]] = {"subject": (None,), "split": (None,), "tier": (None,)}
    arrays = load_arrays(corpus, shapes, "the corpus is cmu50.npz")
    first: dict[str, Walk] = {}
    for number, (kind, motion) in clips(corpus).items():
        person = f"train {arrays['subject'][number]}"
        if (kind, arrays["split"][number], arrays["tier"][number]) == ("walk", "train", "A") and person not in first:
            first[person] = Walk(person, True, np.nan, motion[:_LONGEST], {}, {})
    for each in lifted([*first.values()], weights, "coco17", known_height=False):
        for name, values in ratios(each.walk.motion, each.seen, "coco17"):
            if name in _SPINE:
                found[name][each.walk.name].append(values)


def describe_mean(shares: Sequence[float]) -> str:
    """The mean of people's shares, the standard deviation between them, and the mean's 95 % interval; all in percent.

    The interval is a bootstrap's over the people.
    """
    values = 100 * np.asarray(shares)
    drawn = np.random.default_rng(0).choice(values, (_DRAWS, len(values))).mean(1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return f"{values.mean():.0f} ± {values.std(ddof=1):.0f} [{low:.0f}, {high:.0f}]"


def fit_factor(people: Sequence[Float[np.ndarray, " n"]]) -> float:
    """The least factor of the half-widths that holds 90 % of the values, on the mean of the people."""
    shares = np.array([np.mean([(values <= factor).mean() for values in people]) for factor in _FACTORS])
    return float(_FACTORS[np.argmax(shares >= 0.9)])


def angle_rows(found: Ratios, last: str) -> Iterator[list[str]]:
    """The cells of each angle."""
    for name in _ANGLES:
        people = {person: np.concatenate(parts) for person, parts in found[name].items() if any(map(len, parts))}
        own, shipped = list(people.values()), _WALKING.get(name, 1.0)
        within = {person: float((values <= shipped).mean()) for person, values in people.items()}
        out = []
        for row, values in enumerate(own):
            out.append(float((values <= fit_factor([*own[:row], *own[row + 1 :]])).mean()))
        reported = [
            ", ".join(f"{100 * share:.0f}" for person, share in within.items() if person.startswith(of)) or "-"
            for of in ("val", last)
        ]
        inside, left_out = describe_mean([*within.values()]), describe_mean(out)
        yield [name.replace("_", " "), str(len(people)), inside, *reported, f"{fit_factor(own):.2f}", left_out]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--children", type=Path, required=True, metavar="FILE", help="children50.npz")
    parser.add_argument("--corpus", type=Path, required=True, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--bench", type=Path, nargs="+", required=True, metavar="FILE", help="bench_val.npz, ...")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        weights = load_weights(options.weights)
        found: Ratios = defaultdict(lambda: defaultdict(list))
        for skeleton in ("coco17", _FEET):
            for split in ("train", "val"):
                add_children(found, options.children, split, weights, skeleton)
            for bench in options.bench:
                add_adults(found, options.corpus, bench, weights, skeleton)
        add_seen_adults(found, options.corpus, weights)
        last = options.bench[-1].stem
        heads = ["angle", "people", "within %", "children of val %", f"{last} %", "factor", "left out: within %"]
        print_table(heads, angle_rows(found, last), f"`{weights.name}`, walkers")


if __name__ == "__main__":
    main()
