"""`poselift smooth`: a motion through the Butterworth filter of biomechanics."""

import argparse
from pathlib import Path
from typing import Any

from poselift.cli.values import check_out_file, local_path
from poselift.core.errors import InputError
from poselift.kinematics import butterworth
from poselift.recordings.motion_files import read_motion, write_pair
from poselift.recordings.motion_json import read_sidecar


def add_command(commands: Any) -> None:
    """Adds `smooth` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "smooth",
        description="Filters joints and root of a motion forwards and backwards with a Butterworth filter (order 4, "
        "no delay). Empty frames stay empty. Writes an npz and the JSON beside it, which states the cutoff.",
    )
    parser.add_argument(
        "npz", type=local_path, metavar="NPZ", help="a motion of poselift lift, with its JSON beside it"
    )
    parser.add_argument(
        "--cutoff", type=float, required=True, metavar="HZ", help="weakened by 3 dB, Hz; 6 is usual for walking"
    )
    parser.add_argument("--out", type=local_path, metavar="NPZ", help="default: NAME_smooth.npz beside the input")
    parser.set_defaults(run=run)


def add_smooth_option(parser: argparse._ActionsContainer) -> None:
    """Adds `--smooth`."""
    parser.add_argument(
        "--smooth",
        type=float,
        metavar="HZ",
        help="filter the motion as `poselift smooth --cutoff HZ` does; 6 is usual for walking (default: no filter)",
    )


def run(options: argparse.Namespace) -> None:
    """Writes the filtered motion.

    Raises:
        InputError: the motion cannot be read, the cutoff does not fit its frame rate, or the file cannot be written.
    """
    source: Path = options.npz
    out: Path = options.out or source.with_name(f"{source.stem}_smooth.npz")
    check_out_file(out, (".npz",))
    if out.resolve() == source.resolve():
        raise InputError(f"--out {out} is the input; choose another name")
    motion = butterworth(read_motion(source), options.cutoff)
    about = read_sidecar(source.with_suffix(".json"))
    write_pair(out, motion, {**about, "filters": motion.filters})
    print(out)
