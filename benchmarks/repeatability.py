"""How much the measures of one person differ between trials of the same movement.

    python -m benchmarks.repeatability --children children50.npz --corpus cmu50.npz --bench bench_val.npz
        --real mhad_s02.npz [--constants]

Lifts the walks of the children (benchmarks/gait_lab.py, split train, COCO-17, height given), the walks of the CMU
benchmark's views, and the five repetitions of the actions of a real person (benchmarks/real.py), as `poselift lift
--world` does. Each measure of `poselift.kinematics.measure_numbers` has the standard deviation of one trial within a
person and action: over views, noise, and how differently people do the same again. `--constants` prints the lines of
`poselift/kinematics/repeatability.py`.

Without it, each two trials of one person and action are compared by `poselift.kinematics.compare_trials`, and the share
of the verdicts is printed. With `--leave-out`, each person's are compared by the deviations of all others' walks: this
chooses `FREEDOM` on the people of split train. With `--same-view`, the two trials are of one walk of a child in one
view, lifted twice from keypoints with other noise.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.bench_views import load_worlds
from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.gait import clips
from benchmarks.gait_lab import lifted, walks
from benchmarks.real import OPTIONS, takes
from poselift.core.errors import InputError
from poselift.data.cmu_bench import CmuBench
from poselift.kinematics.comparison import TrialMeasures, compare_trials
from poselift.kinematics.measures import find_gait, measure_numbers
from poselift.kinematics.repeatability import WALKING
from poselift.lifting import lift_view, to_world
from poselift.lifting.dataset_views import camera_of
from poselift.models import Weights, load_weights
from poselift.skeleton import H36M17
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Motion

Groups = dict[str, list[TrialMeasures]]
"""Trials by person and action."""


def child_trials(path: Path, weights: Weights, split: str) -> Groups:
    """The walks of the children."""
    groups = defaultdict(list)
    for each in lifted(walks(path, split), weights, "coco17", True):
        person = each.walk.name[:6]
        groups[f"{person} {'straight' if each.walk.straight else 'turn'}"].append(_trial(person, each.world))
    return groups


def same_view_trials(path: Path, weights: Weights, split: str) -> Iterator[tuple[str, list[TrialMeasures]]]:
    """Two lifts of each walk of the children in each view, by the walk."""
    found = walks(path, split)
    takes_of = (lifted(found, weights, "coco17", True, take=take) for take in range(2))
    for first, second in zip(*takes_of, strict=True):
        name = f"{first.walk.name[:6]} {'straight' if first.walk.straight else 'turn'}"
        yield name, [_trial(name, each.world) for each in (first, second)]


def cmu_trials(corpus: Path, bench: Path, weights: Weights) -> Groups:
    """The walks of the CMU benchmark."""
    truth, views, found = load_worlds(bench), CmuBench(corpus, bench, "coco17"), clips(corpus)
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


def _trial(person: str, motion: Motion) -> TrialMeasures:
    own = motion.restrict(H36M17)
    return TrialMeasures(person, measure_numbers(own), person, find_gait(own) is not None)


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
        constants = {
            kind: deviation if is_absolute(kind) else deviation / mean
            for kind, deviation, mean, _ in deviations(others, True)
            if kind in WALKING
        }
        with patch.dict(WALKING, constants, clear=True):
            yield from verdicts(own.items())


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
    parser.add_argument("--same-view", action="store_true", help="compare two lifts of each view of the children")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        weights = load_weights(options.weights)
        groups: Groups = {}
        if options.children and not options.same_view:
            groups |= child_trials(options.children, weights, options.split)
        if options.corpus and options.bench:
            groups |= cmu_trials(options.corpus, options.bench, weights)
        if options.real:
            groups |= real_trials(options.real, weights)
        chosen: Iterable[tuple[str, list[TrialMeasures]]] = groups.items()
        if options.same_view:
            if not options.children or options.constants or options.leave_out or groups:
                raise InputError("--same-view is for --children alone")
            chosen = same_view_trials(options.children, weights, options.split)
        elif not groups:
            raise InputError("give --children, --corpus and --bench, or --real")
        if options.constants:
            for walking in (True, False):
                for kind, deviation, mean, _ in sorted(deviations(groups, walking)):
                    print(f'    "{kind}": {deviation if is_absolute(kind) else deviation / mean:.3g},')
                print()
            return
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for name, found in leave_out(groups) if options.leave_out else verdicts(chosen):
            counts[name].update(found)
            counts["all"].update(found)
        kinds = ("no change larger than", "not shown", "changed")
        rows = ([name, *(f"{100 * own[kind] / own.total():.1f}" for kind in kinds)] for name, own in counts.items())
        print_table(["person, action", *(f"{kind} %" for kind in kinds)], rows, f"`{weights.name}`")


if __name__ == "__main__":
    main()
