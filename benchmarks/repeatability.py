"""How much the measures of one person differ between trials of the same movement.

    python -m benchmarks.repeatability --children children50.npz --corpus cmu50.npz --bench bench_val.npz
        --real mhad_s02.npz [--constants]

Lifts the walks of the children (benchmarks/gait_lab.py, split train, height given), the walks of the CMU benchmark's
views, and the five repetitions of the actions of a real person (benchmarks/real.py), as `poselift lift --world` does.
The 2D of walks is COCO-17, or with `--feet` halpe26. Each measure of `poselift.kinematics.measure_numbers` has the
standard deviation of one trial within a person and action: over views, noise, and how differently people do the same
again. `--constants` prints the lines of `poselift/kinematics/repeatability.py`: of walks, the larger deviation of both
kinds of 2D.

Views of one walk share what people do differently the next time. So a deviation is at least that of walks which people
of the corpus (splits train and val) repeat at one speed, by their exact joints: that of the timing is larger.

Without it, each two trials of one person and action are compared by `poselift.kinematics.compare_trials`, and the share
of the verdicts is printed. With `--leave-out`, each person's are compared by the deviations of all others' walks: this
chooses `FREEDOM` on the people of split train. With `--same-view`, the two trials are of one walk of a child in one
view, lifted twice from keypoints with other noise. With `--speeds`, they are walks of one person of the corpus (split
test) in one view; rows are how much faster the one is than the other, and have the share of "changed" by measure.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.bench_views import load_worlds
from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.gait import clips
from benchmarks.gait_lab import Walk, lifted, walks
from benchmarks.real import OPTIONS, takes
from poselift.core.errors import InputError
from poselift.data.cmu_bench import CmuBench
from poselift.data.reading import load_arrays
from poselift.kinematics.comparison import TrialMeasures, compare_trials
from poselift.kinematics.measures import find_gait, measure_numbers
from poselift.kinematics.repeatability import WALKING
from poselift.lifting import lift_view, to_world
from poselift.lifting.dataset_views import camera_of
from poselift.models import Weights, load_weights
from poselift.skeleton import CMU28
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Motion

_SAME_SPEED = 1.05
"""How much faster than the slowest one walks at one speed are at most."""

_FASTER = (1.0, 1.05, 1.1, 1.2, 1.3, 1.5, np.inf)
"""How much faster one walk is than the other: the rows of `--speeds`."""

_SPEED = ("speed_m_per_s", "cadence_per_min", "stride_length_m", "stride_time_s")
"""Its columns."""

_KINDS = ("coco17", "halpe26")
"""Of the 2D: without feet and with them."""

Groups = dict[str, list[TrialMeasures]]
"""Trials by person and action."""


def child_trials(path: Path, weights: Weights, split: str, skeleton: str) -> Groups:
    """The walks of the children."""
    groups = defaultdict(list)
    for each in lifted(walks(path, split), weights, skeleton, True):
        person = each.walk.name[:6]
        groups[f"{person} {'straight' if each.walk.straight else 'turn'}"].append(_trial(person, each.world))
    return groups


def same_view_trials(
    path: Path, weights: Weights, split: str, skeleton: str
) -> Iterator[tuple[str, list[TrialMeasures]]]:
    """Two lifts of each walk of the children in each view, by the walk."""
    found = walks(path, split)
    takes_of = (lifted(found, weights, skeleton, True, take=take) for take in range(2))
    for first, second in zip(*takes_of, strict=True):
        name = f"{first.walk.name[:6]} {'straight' if first.walk.straight else 'turn'}"
        yield name, [_trial(name, each.world) for each in (first, second)]


def cmu_trials(corpus: Path, bench: Path, weights: Weights, skeleton: str) -> Groups:
    """The walks of the CMU benchmark."""
    truth, views, found = load_worlds(bench), CmuBench(corpus, bench, skeleton), clips(corpus)
    groups = defaultdict(list)
    for number, clip in enumerate(truth["clip_index"].tolist()):
        if found.get(clip, ("",))[0] == "walk":
            view = views[number]
            world = to_world([lift_view(view, weights)], camera_of(view)).motions[0]
            groups[view.subject].append(_trial(view.subject, world))
    return groups


def real_trials(path: Path, weights: Weights) -> Groups:
    """The repetitions of a real person, in the camera frame."""
    groups = defaultdict(list)
    for view in takes(path):
        groups[f"real {view.action}"].append(_trial("real", lift_view(view, weights, OPTIONS)))
    return groups


def corpus_walks(path: Path, splits: Sequence[str]) -> Iterator[tuple[str, float, Walk]]:
    """Person, speed and exact motion of the walks of a corpus that have whole strides."""
    arrays = load_arrays(path, {"subject": (None,), "split": (None,)}, "the corpus is cmu50.npz")
    for number, (kind, motion) in clips(path).items():
        if kind == "walk" and arrays["split"][number] in splits:
            person = str(arrays["subject"][number])
            trial = _trial(person, motion)
            if trial.walking and np.isfinite(speed := trial.measures.get("speed_m_per_s", np.nan)):
                above = motion.joints[:, CMU28.index("head_top"), 1] - motion.joints[:, :, 1].min(1)
                yield person, speed, Walk(f"{person} {number}", True, float(np.median(above)), motion, {}, {})


def repeated_walks(path: Path) -> Groups:
    """The exact walks of the people of splits train and val that they repeat at one speed."""
    groups: Groups = {}
    first: dict[str, float] = {}
    for person, speed, walk in sorted(corpus_walks(path, ("train", "val")), key=lambda each: each[:2]):
        if speed > _SAME_SPEED * first.get(person, 0.0):
            first[person] = speed
        groups.setdefault(f"{person} {first[person]:.2f} m/s", []).append(_trial(person, walk.motion))
    return groups


def speed_rows(path: Path, weights: Weights) -> Iterator[list[str]]:
    """Verdicts of two walks of one person in one view, by how much faster the one is."""
    speeds, found = {}, []
    for person, speed, walk in corpus_walks(path, ("test",)):
        speeds[walk.name] = person, speed
        found.append(walk)
    trials = defaultdict(list)
    for each in lifted(found, weights, "coco17", True):
        if each.world.posed.any() and (own := _trial(each.walk.name, each.world)).walking:
            person, speed = speeds[each.walk.name]
            trials[person, each.view].append((speed, replace(own, person=person)))
    counts: dict[int, Counter[tuple[str, bool]]] = defaultdict(Counter)
    for own_trials in trials.values():
        for (speed, one), (other_speed, other) in combinations(own_trials, 2):
            faster = max(speed, other_speed) / min(speed, other_speed)
            row = counts[int(np.digitize(faster, _FASTER))]
            row["pairs", True] += 1
            for change in compare_trials([one], [other]):
                for name in {"all", change.measure} & {"all", *_SPEED}:
                    row[name, change.verdict == "changed"] += 1
    for place, row in sorted(counts.items()):
        shares = (row[name, True] / max(row[name, True] + row[name, False], 1) for name in (*_SPEED, "all"))
        ends = [f"{100 * (each - 1):.0f} %" for each in _FASTER[place - 1 : place + 1] if np.isfinite(each)]
        name = " to ".join(ends) if len(ends) > 1 else f"over {ends[0]}"
        yield [name, str(row["pairs", True]), *(f"{100 * share:.0f}" for share in shares)]


def _trial(person: str, motion: Motion) -> TrialMeasures:
    return TrialMeasures(person, measure_numbers(motion), person, find_gait(motion) is not None)


def deviations(groups: Groups, walking: bool) -> Iterator[tuple[str, float, float, int]]:
    """Name of each measure without its side; standard deviation within the groups, mean, and degrees of freedom."""
    squares: defaultdict[str, list[float]] = defaultdict(list)
    means: defaultdict[str, list[float]] = defaultdict(list)
    freedom: Counter[str] = Counter()
    for trials in groups.values():
        own = [trial.measures for trial in trials if trial.walking == walking]
        for name in sorted({name for each in own for name in each}):
            values = np.array([each[name] for each in own if name in each])
            if len(values) > 1:
                kind = strip_side(name)
                squares[kind].append(float(((values - values.mean()) ** 2).sum()))
                means[kind] += values.tolist()
                freedom[kind] += len(values) - 1
    for kind, own_squares in squares.items():
        deviation = float(np.sqrt(sum(own_squares) / freedom[kind]))
        yield kind, deviation, float(np.mean(means[kind])), freedom[kind]


def scaled_deviations(groups: Groups, walking: bool) -> dict[str, float]:
    """The standard deviations in the unit of each measure, or as a share of it, by name."""
    return {
        kind: deviation if is_absolute(kind) else deviation / mean
        for kind, deviation, mean, _ in deviations(groups, walking)
    }


def verdicts(groups: Iterable[tuple[str, list[TrialMeasures]]]) -> Iterator[tuple[str, list[str]]]:
    """The verdicts of each two trials of one person and action."""
    for name, trials in groups:
        for one, other in combinations(trials, 2):
            if one.walking == other.walking:
                yield name, [each.verdict for each in compare_trials([one], [other])]


def leave_out(groups: Groups) -> Iterator[tuple[str, list[str]]]:
    """The verdicts of each person's walks by the deviations of the others'."""
    people = sorted({trials[0].person for trials in groups.values()})
    for person in people:
        own = {name: trials for name, trials in groups.items() if trials[0].person == person}
        others = {name: trials for name, trials in groups.items() if trials[0].person != person}
        constants = {kind: each for kind, each in scaled_deviations(others, True).items() if kind in WALKING}
        with patch.dict(WALKING, constants, clear=True):
            yield from verdicts(own.items())


def walking_trials(options: argparse.Namespace, weights: Weights, skeleton: str) -> Groups:
    """The walks of the children and of the CMU benchmark that the options name."""
    groups: Groups = {}
    if options.children:
        groups |= child_trials(options.children, weights, options.split, skeleton)
    if options.corpus and options.bench:
        groups |= cmu_trials(options.corpus, options.bench, weights, skeleton)
    return groups


def print_constants(options: argparse.Namespace, weights: Weights) -> None:
    """Prints the lines of `poselift/kinematics/repeatability.py`: walks, and other movements."""
    found = [scaled_deviations(walking_trials(options, weights, skeleton), True) for skeleton in _KINDS]
    least = scaled_deviations(repeated_walks(options.corpus), True) if options.corpus else {}
    for kind in sorted({kind for each in found for kind in each}):
        print(f'    "{kind}": {max(each[kind] for each in [*found, least] if kind in each):.3g},')
    print()
    if options.real:
        for kind, deviation in sorted(scaled_deviations(real_trials(options.real, weights), False).items()):
            print(f'    "{kind}": {deviation:.3g},')


def is_absolute(kind: str) -> bool:
    """Whether the deviation of a measure is in its unit, not a share of it."""
    return kind.endswith(("_deg", "_percent")) or kind == "step_width_m"


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table, or the constants."""
    parser = command_line(__doc__)
    parser.add_argument("--children", type=Path, metavar="FILE", help="children50.npz")
    parser.add_argument("--split", default="train", choices=["train", "val"], help="of the children; default train")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="cmu50.npz")
    parser.add_argument("--bench", type=Path, metavar="FILE", help="bench_val.npz or bench_test.npz")
    parser.add_argument("--real", type=Path, metavar="FILE", help="mhad_s02.npz")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    parser.add_argument("--constants", action="store_true", help="print the constants instead of verdicts")
    parser.add_argument(
        "--leave-out", action="store_true", help="compare by the deviations of the other people's walks"
    )
    parser.add_argument("--feet", action="store_true", help="walks from 2D with feet (halpe26)")
    parser.add_argument("--same-view", action="store_true", help="compare two lifts of each view of the children")
    parser.add_argument("--speeds", action="store_true", help="compare walks of different speeds of the corpus")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        if not (options.speeds or options.children or options.real or (options.corpus and options.bench)):
            raise InputError("give --children, --corpus and --bench, or --real")
        weights = load_weights(options.weights)
        if options.speeds:
            if not options.corpus:
                raise InputError("--speeds needs --corpus")
            heads = ["faster by", "pairs", *(f"{name} changed %" for name in (*_SPEED, "all"))]
            print_table(heads, speed_rows(options.corpus, weights), f"`{weights.name}`, split test")
            return
        if options.constants:
            print_constants(options, weights)
            return
        compared: Iterable[tuple[str, list[str]]]
        skeleton = _KINDS[options.feet]
        if options.same_view:
            if not options.children or options.leave_out or options.corpus or options.real:
                raise InputError("--same-view is for --children alone")
            compared = verdicts(same_view_trials(options.children, weights, options.split, skeleton))
        else:
            groups = walking_trials(options, weights, skeleton)
            if options.real:
                groups |= real_trials(options.real, weights)
            compared = leave_out(groups) if options.leave_out else verdicts(groups.items())
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for name, found in compared:
            counts[name].update(found)
            counts["all"].update(found)
        kinds = ("no change larger than", "not shown", "changed")
        rows = ([name, *(f"{100 * own[kind] / own.total():.1f}" for kind in kinds)] for name, own in counts.items())
        print_table(["person, action", *(f"{kind} %" for kind in kinds)], rows, f"`{weights.name}`")


if __name__ == "__main__":
    main()
