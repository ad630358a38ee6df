"""The constants of `poselift/kinematics/plug_in_gait.py`: what differs from Plug-in Gait, by angle.

    python -m benchmarks.gait_lab_constants --children children50.npz

Lifts the walks of the six children of split train as benchmarks/gait_lab.py does (detector-like 2D, height unknown;
COCO-17, and halpe26 for the ankles). The constants from the front or back and from the side are means of the children's
own mean differences, where both stand out from their spread (Student's t on the level of 5 %), else 0. `people` is how
far another child is expected to be from them. With the two factors, 90 % of the frames lie within the interval about
their child's mean.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, errors_shown
from benchmarks.gait_lab import angle_errors, lifted, uncertain_angles, walks
from poselift.kinematics.comparison import student
from poselift.kinematics.plug_in_gait import Difference
from poselift.models import load_weights

_ANKLE = "ankle_dorsiflexion"


def fit_difference(children: Sequence[np.ndarray]) -> Difference:
    """What differs, from each child's errors, half-widths and views; (n, 3) each."""
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
    return Difference((constants[0], constants[1]), round(people, 1), (round(front, 2), round(side, 2)))


def _find_constant(errors: Sequence[np.ndarray]) -> float:
    """The mean of the children's means, if it stands out from their spread."""
    means = np.array([own.mean() for own in errors if len(own)])
    doubt = student(float(len(means) - 1)) * float(means.std(ddof=1)) / np.sqrt(len(means))
    return round(float(means.mean()), 1) if abs(means.mean()) > doubt else 0.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the lines of the table."""
    parser = command_line(__doc__)
    parser.add_argument("--children", type=Path, required=True, metavar="FILE", help="children50.npz")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    with errors_shown(parser):
        found, weights = walks(options.children, "train"), load_weights(options.weights)
        errors: dict[str, dict[str, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
        for skeleton in ("coco17", "halpe26"):
            for each in lifted(found, weights, skeleton, known_height=False):
                for name, values in angle_errors(each.walk, each.seen, uncertain_angles(each.seen)):
                    if (name == _ANKLE) == (skeleton == "halpe26"):
                        errors[name][each.walk.name[:6]].append(values[np.isfinite(values).all(1)])
        for name, children in errors.items():
            fitted = fit_difference([np.concatenate(parts) for parts in children.values()])
            print(f'    "{name}": {fitted},')


if __name__ == "__main__":
    main()
