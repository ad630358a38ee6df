"""Reads for OpenSim: FILE.trc OUT, FILE.mot MODEL OUT, or FOLDER.opensim MODEL OUT, which it scales and tracks."""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import opensim
from found import save

VERSION = opensim.GetVersion().split("-")[0]
_ROTATION = 1
"""MotionType of a coordinate that is an angle."""


def read_trc(path: Path) -> tuple[list[str], np.ndarray, float]:
    """Markers by name, metres, and the rate."""
    table = opensim.TimeSeriesTableVec3(str(path))
    assert table.getTableMetaDataString("Units") == "mm"
    flat = table.flatten(opensim.StdVectorString(["_x", "_y", "_z"]))  # kept: the matrix is only a view of it
    values = flat.getMatrix().to_numpy()
    rate = float(table.getTableMetaDataString("DataRate"))
    return list(table.getColumnLabels()), values.reshape(len(values), -1, 3) / 1000, rate


def read_mot(path: Path, model: opensim.Model) -> tuple[dict[str, np.ndarray], float]:
    """Coordinates by name, degrees and metres, and the rate; every one is of the model."""
    table = opensim.TimeSeriesTable(str(path))
    assert table.getTableMetaDataString("inDegrees") == "yes"
    labels, values = list(table.getColumnLabels()), table.getMatrix().to_numpy()
    known = {model.getCoordinateSet().get(k).getName() for k in range(model.getCoordinateSet().getSize())}
    assert set(labels) <= known, set(labels) - known
    times = np.array(table.getIndependentColumn())
    return dict(zip(labels, values.T, strict=True)), 1 / float(np.median(np.diff(times)))


def played(model: opensim.Model, motion: dict[str, np.ndarray], names: list[str]) -> np.ndarray:
    """Places of the model's markers while it plays a motion, metres; (t, marker, 3)."""
    state, frames = model.initSystem(), len(next(iter(motion.values())))
    coordinates = {name: model.getCoordinateSet().get(name) for name in motion}
    out = np.empty((frames, len(names), 3))
    for frame in range(frames):
        for name, coordinate in coordinates.items():
            turns = coordinate.getMotionType() == _ROTATION
            value = float(np.radians(motion[name][frame]) if turns else motion[name][frame])
            coordinate.setValue(state, value, False)
        model.realizePosition(state)
        for row, name in enumerate(names):
            place = model.getMarkerSet().get(name).getLocationInGround(state)
            out[frame, row] = place[0], place[1], place[2]
    return out


def tracked(folder: Path, model_file: str) -> str:
    """Scales the model and tracks the markers with the folder's setups; what came out, as text."""
    shutil.copy(model_file, folder / "Rajagopal2015.osim")
    os.chdir(folder)
    assert opensim.ScaleTool("scale.xml").run()
    assert opensim.InverseKinematicsTool("inverse_kinematics.xml").run()
    errors = opensim.TimeSeriesTable(f"{folder.stem}_ik_marker_errors.sto")
    table = dict(zip(errors.getColumnLabels(), 1000 * errors.getMatrix().to_numpy().T, strict=True))
    model = opensim.Model("scaled.osim")
    model.initSystem()
    (ours, _), (theirs, _) = (read_mot(Path(name), model) for name in (f"{folder.stem}.mot", "inverse_kinematics.mot"))
    away = {
        name: float(np.median(np.abs(ours[f"{name}_l"] - theirs[f"{name}_l"])))
        for name in ("knee_angle", "hip_flexion")
    }
    names, markers, _ = read_trc(Path(f"{folder.stem}.trc"))
    limbs = [name for name in names if name.endswith(("hip", "knee", "ankle", "shoulder", "elbow", "wrist"))]
    distance = np.linalg.norm(played(model, ours, limbs) - markers[:, [names.index(name) for name in limbs]], axis=-1)
    return (
        f"scaled; inverse kinematics: marker error {table['marker_error_RMS'].mean():.1f} mm (RMS, mean of frames), "
        f"at most {table['marker_error_max'].max():.0f} mm; our .mot on the scaled model: joints of the limbs "
        f"{1000 * distance.mean():.0f} mm from the markers, knee and hip flexion {away['knee_angle']:.1f} and "
        f"{away['hip_flexion']:.1f} degrees from the inverse kinematics (median)"
    )


def main() -> None:
    """Reads what the command line names."""
    opensim.Logger.setLevelString("Error")
    path = Path(sys.argv[1]).resolve()
    sys.argv[-1] = str(Path(sys.argv[-1]).resolve())  # `tracked` changes the folder
    if path.suffix == ".trc":
        names, positions, rate = read_trc(path)
        save(VERSION, names, positions, rate, "mm")
    elif path.suffix == ".mot":
        model = opensim.Model(sys.argv[2])
        motion, rate = read_mot(path, model)
        frames = len(next(iter(motion.values())))
        save(VERSION, rate=rate, note=f"{len(motion)} coordinates, all of the model; {frames} frames")
    else:
        save(VERSION, note=tracked(path, str(Path(sys.argv[2]).resolve())))


main()
