"""Whether the uncertainty of walkers' angles is true by our own definition, and the factors of walkers.

    python -m benchmarks.walking_angles --children children50.npz --corpus cmu50.npz extra50.npz

The eight children of benchmarks/gait_lab.py, and one walk of each person of the corpora, in the four views of that
benchmark, with detector-like 2D and height unknown, lifted as `poselift lift --world` does. Angles are those of
`poselift measure`; true are the same angles of the exact joints. COCO-17, and halpe26 for the ankles. The spine of the
children and of ACCAD's people is not known, so hip flexion and pelvis tilt are of CMU's people alone. The lifter has
seen the adults of split train, in other views; it has seen no child, and nobody of splits val and test.

A lifter may know people better whom it has seen. So a factor is the part of the half-width of movements in general
with which 90 % of the values are within, on the mean of the people, and not less than that of the people whom the
lifter has not seen, where they are five or more.

One table. `train`: the people of split train, and their factor. `others`: the people of splits val and test, whom this
factor has not seen, the share of their values within it, and the lowest and highest one's. `all`: everybody's factor
(`_WALKING` of poselift/kinematics/propagation.py), and the share of everybody whom the lifter has not seen, each left
out in turn; of hip flexion and pelvis tilt, of everybody. Shares are means of the people with the standard deviation
between them, and in brackets the 95 % interval of the mean by a bootstrap over the people (4,000 draws, seed 0).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from jaxtyping import Float

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.gait import clips
from benchmarks.gait_lab import Walk, lifted, walks
from poselift.data.reading import load_arrays
from poselift.kinematics import add_uncertainty, measure_joint_angles, measure_segment_angles
from poselift.kinematics.propagation import _WALKING
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

_NO_SPINE = "accad"
"""Beginning of the names of adults whose spine is placed by average proportions."""

_FEET = "halpe26"
"""The 2D of which the ankles are; the other angles are of COCO-17."""

_SHORTEST, _LONGEST = 100, 160
"""Least frames of a walk of the corpora, and the frames amid it that count."""

_CHILD = "child"
"""In the name of a child: the lifter has seen none."""

_FEWEST = 5
"""People whom the lifter has not seen, from which on they set a factor by themselves."""

_DRAWS = 4000
"""Of people, for a bootstrap interval."""

_FACTORS = np.arange(0.2, 2.0, 0.01)
"""Factors that are tried."""

People = dict[str, Float[np.ndarray, " n"]]
"""Of each person: sizes of errors over half-widths."""

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


def add_people(found: Ratios, people: Sequence[Walk], weights: Weights, spine: bool) -> None:
    """Adds people who walk, with the angles that need a spine or without.

    The name of a walk is the split and the person.
    """
    for skeleton in ("coco17", _FEET):
        for each in lifted(people, weights, skeleton, known_height=False):
            for name, values in ratios(each.walk.motion, each.seen, skeleton):
                if spine or name not in _SPINE:
                    found[name][each.walk.name].append(values)


def adults(corpus: Path) -> Iterator[Walk]:
    """A walk of each person of a corpus."""
    shapes: dict[str, tuple[int | None, ...]] = {"subject": (None,), "split": (None,)}
    arrays = load_arrays(corpus, shapes, "a corpus is cmu50.npz or extra50.npz")
    known = set()
    for number, (kind, motion) in clips(corpus).items():
        person = f"{arrays['split'][number]} {arrays['subject'][number]}"
        if kind == "walk" and len(motion) >= _SHORTEST and person not in known:
            known.add(person)
            start = max(0, (len(motion) - _LONGEST) // 2)
            yield Walk(person, True, np.nan, motion[start : start + _LONGEST], {}, {})


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


def unseen(person: str) -> bool:
    """Whether the lifter has not seen a person."""
    return not person.startswith("train") or _CHILD in person


def choose_factor(people: People) -> float:
    """The factor of people, and at least that of those whom the lifter has not seen."""
    new = [values for person, values in people.items() if unseen(person)]
    factor = fit_factor(list(people.values()))
    return max(factor, fit_factor(new)) if len(new) >= _FEWEST else factor


def leave_out(people: People) -> list[float]:
    """The share of each person's values that are within the factor of the others.

    Of the people whom the lifter has not seen, if they are enough.
    """
    new = [person for person in people if unseen(person)]
    shares = []
    for person in new if len(new) >= _FEWEST else people:
        factor = choose_factor({other: values for other, values in people.items() if other != person})
        shares.append(float((people[person] <= factor).mean()))
    return shares


def angle_rows(found: Ratios) -> Iterator[list[str]]:
    """The cells of each angle."""
    for name in _ANGLES:
        people = {person: np.concatenate(parts) for person, parts in found[name].items() if any(map(len, parts))}
        train = {person: values for person, values in people.items() if person.startswith("train")}
        chosen = choose_factor(train)
        shares = [float((values <= chosen).mean()) for person, values in people.items() if person not in train]
        ends = f"{100 * min(shares):.0f} to {100 * max(shares):.0f}"
        cells = [str(len(train)), f"{chosen:.2f}", str(len(shares)), describe_mean(shares), ends]
        yield [name.replace("_", " "), *cells, f"{choose_factor(people):.2f}", describe_mean(leave_out(people))]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = command_line(__doc__)
    parser.add_argument("--children", type=Path, required=True, metavar="FILE", help="children50.npz")
    parser.add_argument("--corpus", type=Path, nargs="+", required=True, metavar="FILE", help="cmu50.npz extra50.npz")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        weights = load_weights(options.weights)
        found: Ratios = defaultdict(lambda: defaultdict(list))
        for split in ("train", "val"):
            children = [
                replace(walk, name=f"{split} {_CHILD} {walk.name[:6]}") for walk in walks(options.children, split)
            ]
            add_people(found, children, weights, spine=False)
        for corpus in options.corpus:
            people = list(adults(corpus))
            for spine in (False, True):
                own = [walk for walk in people if walk.name.split()[1].startswith(_NO_SPINE) != spine]
                add_people(found, own, weights, spine)
        heads = ["angle", "train", "factor", "others", "within %", "each one %", "factor of all", "left out: within %"]
        print_table(heads, angle_rows(found), f"`{weights.name}`, walkers")


if __name__ == "__main__":
    main()
