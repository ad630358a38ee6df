"""The constants of `poselift/kinematics/plug_in_gait.py`: what differs from Plug-in Gait, by angle.

    python -m benchmarks.gait_lab_constants --children children50.npz

Lifts the walks of the six children of split train as benchmarks/gait_lab.py does (detector-like 2D, height unknown;
COCO-17, and halpe26 for the ankles). The constant is the mean of the children's own mean differences, where it stands
out from their spread (Student's t on the level of 5 %), else 0. `people` is how far another child is expected to be
from it. With the two factors, 90 % of the frames lie within the interval about their child's mean.
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
    means = np.array([values[:, 0].mean() for values in children])
    count, spread = len(means), float(means.std(ddof=1))
    constant = float(means.mean())
    if abs(constant) < student(float(count - 1)) * spread / np.sqrt(count):
        constant, people = 0.0, float(np.sqrt((means**2).mean()))
    else:
        people = spread * float(np.sqrt(1 + 1 / count))
    away = np.concatenate([np.abs(values[:, 0] - values[:, 0].mean()) / values[:, 1] for values in children])
    view = np.concatenate([values[:, 2] for values in children])
    front, side = (float(np.quantile(away[chosen], 0.9)) for chosen in (view == 0, view == 1))
    return Difference(round(constant, 1), round(people, 1), round(front, 2), round(side, 2))


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
