"""The constants of `poselift/kinematics/plug_in_gait.py`: what differs from Plug-in Gait, by angle.

    python -m benchmarks.gait_lab_constants --children children50.npz

Lifts the walks of the six children of split train as benchmarks/gait_lab.py does (detector-like 2D, height unknown;
COCO-17, and halpe26 for the ankles). The constants from the front or back and from the side are means of the children's
own mean differences, where both stand out from their spread (Student's t on the level of 5 %), else 0. With the two
factors, 90 % of the frames lie within the interval about their child's mean. `people` is how far another child is
expected to be from the constants: each child is left out in turn, the others give constants, factors and spread, and
`people` is so large that the interval holds 90 % of the frames of the child left out, on the mean of the children.

Then a table: that share of the children left out, of each child of split val, whom nothing here has seen, and of all
eight; means with the standard deviation between the children, and their 95 % interval by a bootstrap over the children.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.gait_lab import angle_errors, lifted, uncertain_angles, walks
from benchmarks.walking_angles import describe_mean
from poselift.kinematics.comparison import student
from poselift.kinematics.plug_in_gait import Difference
from poselift.kinematics.whole_body import TO_90
from poselift.models import Weights, load_weights

_ANKLE = "ankle_dorsiflexion"


_COVERED = 0.9
"""Share of the frames of another child that an interval shall hold."""

_WIDER = np.arange(0.5, 3.001, 0.05)
"""Factors of the spread between people that are tried."""

Errors = dict[str, dict[str, np.ndarray]]
"""Of each angle and child: errors, half-widths and views, (n, 3)."""


def fit_difference(children: Sequence[np.ndarray]) -> Difference:
    """What differs, from each child's errors, half-widths and views; (n, 3) each.

    The spread between people is so wide that it holds `_COVERED` of children left out.
    """
    fitted, others = _fit(children), fit_without_each(children)
    wider = next((each for each in _WIDER if np.mean(covered_left_out(others, each)) >= _COVERED), _WIDER[-1])
    return replace(fitted, people=round(float(wider) * fitted.people, 1))


def fit_without_each(children: Sequence[np.ndarray]) -> list[tuple[Difference, np.ndarray]]:
    """What differs by all children but one, and that one."""
    return [(_fit([*children[:row], *children[row + 1 :]]), out) for row, out in enumerate(children)]


def covered_left_out(others: Sequence[tuple[Difference, np.ndarray]], wider: float) -> list[float]:
    """The share of each child's frames in the intervals of the others, the spread between people times a factor."""
    return [covered(replace(fitted, people=wider * fitted.people), out) for fitted, out in others]


def covered(difference: Difference, child: np.ndarray) -> float:
    """The share of a child's frames that lie in the interval."""
    constants, factors = (np.interp(child[:, 2], (0, 1), pair) for pair in (difference.constants, difference.factors))
    half = np.hypot(factors * child[:, 1], TO_90 * difference.people)
    return float((np.abs(child[:, 0] - constants) <= half).mean())


def _fit(children: Sequence[np.ndarray]) -> Difference:
    """The same with the spread that the children show."""
    constants = tuple(_find_constant([values[values[:, 2] == view, 0] for values in children]) for view in (0, 1))
    if not all(constants):
        constants = (0.0, 0.0)
    left = [values[:, 0] - np.interp(values[:, 2], (0, 1), constants) for values in children]
    means = np.array([own.mean() for own in left])
    fitted = len(means) - (1 if any(constants) else 0)
    people = float(np.sqrt((means**2).sum() / fitted * (1 + 1 / len(means))))
    away = np.concatenate([np.abs(own - own.mean()) / values[:, 1] for own, values in zip(left, children, strict=True)])
    view = np.concatenate([values[:, 2] for values in children])
    front, side = (float(np.quantile(away[chosen], 0.9)) for chosen in (view == 0, view == 1))
    return Difference((constants[0], constants[1]), people, (round(front, 2), round(side, 2)))


def _find_constant(errors: Sequence[np.ndarray]) -> float:
    """The mean of the children's means, if it stands out from their spread."""
    means = np.array([own.mean() for own in errors if len(own)])
    doubt = student(float(len(means) - 1)) * float(means.std(ddof=1)) / np.sqrt(len(means))
    return round(float(means.mean()), 1) if abs(means.mean()) > doubt else 0.0


def child_errors(path: Path, split: str, weights: Weights) -> Errors:
    """The errors of the children of a split; the ankle's from 2D with feet."""
    errors: dict[str, dict[str, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    found = walks(path, split)
    for skeleton in ("coco17", "halpe26"):
        for each in lifted(found, weights, skeleton, known_height=False):
            for name, values in angle_errors(each.walk, each.seen, uncertain_angles(each.seen)):
                if (name == _ANKLE) == (skeleton == "halpe26"):
                    errors[name][each.walk.name[:6]].append(values[np.isfinite(values).all(1)])
    return {
        name: {child: np.concatenate(parts) for child, parts in children.items()} for name, children in errors.items()
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the lines of the table, and what they cover."""
    parser = command_line(__doc__)
    parser.add_argument("--children", type=Path, required=True, metavar="FILE", help="children50.npz")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        weights = load_weights(options.weights)
        chosen, reported = (child_errors(options.children, split, weights) for split in ("train", "val"))
        rows = []
        for name, children in chosen.items():
            own = list(children.values())
            fitted = fit_difference(own)
            print(f'    "{name}": {fitted},')
            shares = covered_left_out(fit_without_each(own), fitted.people / _fit(own).people)
            others = [f"{100 * covered(fitted, child):.0f}" for child in reported[name].values()]
            every = [*shares, *(covered(fitted, child) for child in reported[name].values())]
            rows.append([name.replace("_", " "), describe_mean(shares), ", ".join(others), describe_mean(every)])
        heads = ["angle", "left out: inside %", "each of val: inside %", "all of these %"]
        print_table(heads, rows, "Coverage of the 90 % interval")


if __name__ == "__main__":
    main()
