"""Marker errors and angles of OpenSim's inverse kinematics on the walks of children.

    python -m benchmarks.opensim_walks --children children50.npz --model FILE|pose2sim [--split val]

The straight walks of benchmarks/gait_lab.py, seen from the side and at 45 degrees with detector-like 2D and feet
(halpe26), lifted as `poselift lift --world --height` does. Each goes through what `poselift opensim` runs: the model is
scaled to the person and its inverse kinematics solved. First table: frames, the root mean square over the markers
(mean of the frames) and the largest distance of a marker, mm. Second table: flexion and adduction of the model's joints
less Plug-in Gait's, and ours of the same lifts, frame by frame; mean, and standard deviation of the frames about the
means of their walk, view and side. Needs the package opensim.
"""

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.command import command_line, errors_shown, print_table
from benchmarks.gait_lab import Lifted, lifted, walks
from poselift.export.opensim import write_opensim
from poselift.export.opensim_run import MOTION, find_model, run_opensim
from poselift.kinematics import measure_joint_angles
from poselift.models import load_weights
from poselift.structures import Clock, Origin, Recording

_VIEWS = ("side", "oblique")

_COORDINATES = {"hip_flexion": "hip_flexion", "hip_adduction": "hip_adduction", "knee_flexion": "knee_angle"}
"""The model's coordinate of each of our angles, without side."""


def read_coordinates(path: Path) -> dict[str, np.ndarray]:
    """The columns of a `.mot`, by name."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = next(row for row, line in enumerate(lines) if line.strip() == "endheader") + 1
    rows = np.array([[float(cell) for cell in line.split()] for line in lines[head + 1 :] if line.strip()])
    return dict(zip(lines[head].split(), rows.T, strict=True))


def angle_errors(each: Lifted, coordinates: dict[str, np.ndarray]) -> dict[tuple[str, str], list[np.ndarray]]:
    """OpenSim's and our angles less Plug-in Gait's in known frames, degrees; by angle and whose they are."""
    found = defaultdict(list)
    own = measure_joint_angles(each.seen)
    for name, coordinate in _COORDINATES.items():
        for side in ("left", "right"):
            true = each.walk.angles[f"{side}_{name}"]
            times = each.walk.motion.timestamps
            solved = np.interp(times, coordinates["time"], coordinates[f"{coordinate}_{side[0]}"], np.nan, np.nan)
            ours = own.degrees[:, own.names.index(f"{side}_{name}")]
            for whose, values in (("OpenSim", solved), ("ours", ours)):
                errors = values - true
                found[name, whose].append(errors[np.isfinite(errors)])
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--children", type=Path, required=True, metavar="FILE", help="children50.npz")
    parser.add_argument("--model", required=True, metavar="FILE|pose2sim", help="as of `poselift opensim`")
    parser.add_argument("--split", choices=["train", "val"], default="val", help="default val")
    parser.add_argument("--weights", default="small", metavar="NAME|FILE", help="default small")
    options = parser.parse_args(arguments)
    with errors_shown(parser), tempfile.TemporaryDirectory() as folder:
        model, weights = find_model(options.model).resolve(), load_weights(options.weights)
        straight = [walk for walk in walks(options.children, options.split) if walk.straight]
        angles: dict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
        rows = []
        for each in lifted(straight, weights, "halpe26", known_height=True):
            if each.view in _VIEWS:
                name = f"{each.walk.name}, {each.view}"
                place = Path(folder) / f"{each.walk.name}_{each.view}"
                span = tuple(each.world.timestamps[[0, -1]].tolist())
                write_opensim(place, Recording((each.world,), (), Clock(None, 0, span), Origin(None)))
                errors = run_opensim(place, model)
                rows.append([name, str(errors.frames), *(f"{1000 * e:.1f}" for e in (errors.mean, errors.worst))])
                for key, values in angle_errors(each, read_coordinates(place / MOTION)).items():
                    angles[key] += values
        print_table(["walk, view", "frames", "markers off, mm", "largest mm"], rows, f"`{weights.name}`, {model.name}")
        cells = []
        for (name, whose), values in angles.items():
            within = np.concatenate([part - part.mean() for part in values if len(part)])
            cells.append([name.replace("_", " "), whose, f"{np.concatenate(values).mean():+.1f} ± {within.std():.1f}"])
        print_table(["angle", "whose", "less Plug-in Gait's °"], cells, "Angles")


if __name__ == "__main__":
    main()
