"""`poselift opensim`: scales OpenSim's model and solves inverse kinematics. It does so for each person."""

import argparse
from pathlib import Path
from typing import Any

from poselift.cli.formats import add_motions_argument
from poselift.cli.values import local_path
from poselift.core.files import check_writable, write_json
from poselift.core.optional import require
from poselift.core.progress_text import show
from poselift.export.opensim import SCALED, write_opensim
from poselift.export.opensim_run import MOTION, find_model, run_opensim
from poselift.recordings.reading import find_motions, read_posed

_REPORT = "opensim.json"
"""The marker errors of all people, beside their folders."""


def add_command(commands: Any) -> None:
    """Adds `opensim` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "opensim",
        description="Scales a model of OpenSim to each person, solves its inverse kinematics, and prints how far its "
        "markers are from the joints. Needs the extra opensim.",
    )
    add_motions_argument(parser)
    parser.add_argument(
        "--model",
        required=True,
        metavar="FILE|pose2sim",
        help="a model with the bodies of Rajagopal2015.osim, or that of the installed package pose2sim",
    )
    parser.add_argument(
        "--out",
        type=local_path,
        default=Path("opensim"),
        metavar="DIR",
        help="default: %(default)s; a folder in it for each person",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Writes the folders, and prints the table.

    Raises:
        InputError: the extra or the model is missing, a motion cannot be read, or OpenSim cannot use them.
    """
    model, out = find_model(options.model), options.out
    require("opensim", "opensim")
    check_writable(out)
    report = []
    lines = ["| motion | frames | markers off, mm | largest mm |", "|---|---:|---:|---:|"]
    for path, recording in read_posed(find_motions(options.motions)).items():
        name = f"{path.parent.name}_{path.stem}" if path.parent.name else path.stem
        folder = out / name
        write_opensim(folder, recording)
        errors = run_opensim(folder.resolve(), model.resolve())
        report.append(
            {
                "motion": str(path),
                "frames": errors.frames,
                "marker_error_mm": round(1000 * errors.mean, 2),
                "largest_marker_error_mm": round(1000 * errors.worst, 2),
                "model": str(folder / SCALED),
                "coordinates": str(folder / MOTION),
            }
        )
        lines.append(f"| {name} | {errors.frames} | {1000 * errors.mean:.1f} | {1000 * errors.worst:.1f} |")
    write_json(out / _REPORT, {"version": 1, "model": str(model), "motions": report})
    show("\n".join(lines))
    show(out)
