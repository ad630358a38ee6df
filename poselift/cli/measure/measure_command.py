"""`poselift measure`: ranges of motion, gait, and angles over the gait cycle."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from poselift.cli.formats import add_motions_argument
from poselift.cli.measure.floor_angle import find_floor_angles
from poselift.cli.measure.measure_files import MEASUREMENTS, NAMES, write_files
from poselift.cli.measure.measure_tables import caveats, gait_tables, ranges_table, trials_table
from poselift.cli.measure.movements import FILE, MOVEMENTS, measure_movement, movement_table, write_movements
from poselift.cli.measure.page import PAGE, write_page
from poselift.cli.measure.report import write_reports
from poselift.cli.measure.trial import measure_trial
from poselift.cli.values import local_path, number_where
from poselift.core.errors import InputError
from poselift.core.files import atomic_folder, check_writable, remove_partial_of
from poselift.core.progress_text import show
from poselift.export.zero import count_from_zero
from poselift.kinematics import legs_as_seen
from poselift.kinematics.gait import NO_BELT, is_belt
from poselift.kinematics.measures import explain_hidden_feet
from poselift.kinematics.movements import hips_as_seen
from poselift.recordings.reading import find_all_motions, read_posed
from poselift.structures import Motion, Recording


def add_command(commands: Any) -> None:
    """Adds `measure` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "measure",
        description="Prints the range of each joint and segment angle with its uncertainty, and for motions of "
        "`poselift lift --world` the gait: steps, phases, strides. --out writes them as CSV, JSON and a page, with "
        "the angles over the gait cycle.",
    )
    add_motions_argument(parser)
    parser.add_argument(
        "--belt",
        type=number_where(is_belt, NO_BELT),
        metavar="SPEED",
        help="speed of a treadmill's belt, m/s, for the length of its strides",
    )
    parser.add_argument(
        "--movement", choices=[*MOVEMENTS], help="measure this movement instead of gait and ranges of angles"
    )
    parser.add_argument(
        "--plug-in-gait",
        action="store_true",
        help="angles as a gait laboratory has them by Plug-in Gait, to read beside its reports and normal bands: "
        "without what differs by definition, and with the doubt of that; no other angles",
    )
    parser.add_argument("--reports", action="store_true", help="write a page to print about each person too")
    parser.add_argument("--out", type=local_path, metavar="DIR", help=f"folder for {', '.join(NAMES)} and {PAGE}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Writes the files, and prints the tables.

    Raises:
        InputError: a motion cannot be read, none has a pose, or a file cannot be written.
    """
    if options.out is not None:
        check_writable(options.out)
    if options.reports and options.out is None:
        raise InputError("--reports needs --out DIR, the folder for the pages")
    recordings = read_posed(find_all_motions(options.motions))
    motions = {path: _from_zero(recording) for path, recording in recordings.items()}
    if options.movement is not None:
        if options.plug_in_gait:
            raise InputError("--plug-in-gait is for the angles of a walk; leave it out with --movement")
        if options.movement in ("jumps", "repetitions"):
            motions = {path: _from_zero(hips_as_seen(recording)) for path, recording in recordings.items()}
        _measure_movement(options.movement, motions, options.out)
        return
    trials = []
    for path, motion in motions.items():
        recording = recordings[path]
        floors, views = find_floor_angles(recording), max(1, len(recording.cameras))
        if options.plug_in_gait and views > 1:
            raise InputError(
                f"{path}: {views} cameras saw it, and --plug-in-gait takes off what one camera errs by; leave the "
                "option out"
            )
        seen = _from_zero(legs_as_seen(recording))
        trials.append(measure_trial(path, motion, options.belt, floors, views, seen, options.plug_in_gait))
    if options.out is not None:  # before anything is printed, to a reader who may leave
        remove_partial_of(options.out)
        with atomic_folder(options.out, last=MEASUREMENTS) as folder:
            write_files(folder, trials)
            write_page(folder, trials)
            if options.reports:
                cameras = [recording.cameras[0] if recording.cameras else None for recording in recordings.values()]
                write_reports(folder, trials, cameras)
    for path, trial in zip(motions, trials, strict=True):
        show(f"## {path}\n\n{gait_tables(trial)}\n")
        for floor in trial.floors:
            show(f"{floor.text()}\n")
        for title, angles in (("Joint angles", trial.joints), ("Segments in space", trial.segments)):
            show(f"{title}:\n\n{ranges_table(angles)}\n")
    if overview := trials_table(trials):
        show(f"## All trials\n\n{overview}\n")
    show("\n".join(caveats(trials)))
    if options.out is not None:
        show(options.out / PAGE)


def _from_zero(recording: Recording) -> Motion:
    """The person of a recording, with times from its start."""
    return count_from_zero(recording.people, recording.clock.span[0])[0]


def _measure_movement(kind: str, motions: Mapping[Path, Motion], out: Path | None) -> None:
    """Prints the table of a movement for each motion, and writes `FILE`."""
    found = measure_movement(kind, {str(path): motion for path, motion in motions.items()})
    if out is not None:
        write_movements(out / FILE, kind, found)
    for (path, motion), rows in zip(motions.items(), found.values(), strict=True):
        show(f"## {path}: {kind}\n\n{movement_table(rows)}\n")
        if kind == "jumps" and (hidden := explain_hidden_feet(motion)):
            show(f"Jumps show by the feet, and {hidden}.\n")
    show(MOVEMENTS[kind][1])
    if out is not None:
        show(out / FILE)
