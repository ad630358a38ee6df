"""`poselift smooth`: a motion through the filters of biomechanics."""

import argparse
from pathlib import Path
from typing import Any

from poselift.cli.values import check_out_file, local_path
from poselift.core.errors import InputError
from poselift.kinematics import butterworth, hampel
from poselift.recordings.motion_files import read_motion, write_pair
from poselift.recordings.motion_json import read_sidecar


def add_command(commands: Any) -> None:
    """Adds `smooth` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "smooth",
        description="Filters joints and root of a motion: --hampel takes out single frames that jump away, --cutoff "
        "runs a Butterworth filter forwards and backwards (order 4, no delay) after it. Empty frames stay empty. "
        "Writes an npz and the JSON beside it, which states the filters.",
    )
    parser.add_argument(
        "npz", type=local_path, metavar="NPZ", help="a motion of poselift lift, with its JSON beside it"
    )
    parser.add_argument("--cutoff", type=float, metavar="HZ", help="weakened by 3 dB, Hz; 6 is usual for walking")
    parser.add_argument(
        "--hampel",
        type=float,
        nargs="?",
        const=0.1,
        metavar="SECONDS",
        help="set joints that jump away to the median of so many seconds before and after (default: 0.1)",
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
        InputError: the motion cannot be read, a filter does not fit its frame rate, or the file cannot be written.
    """
    source: Path = options.npz
    out: Path = options.out or source.with_name(f"{source.stem}_smooth.npz")
    check_out_file(out, (".npz",))
    if out.resolve() == source.resolve():
        raise InputError(f"--out {out} is the input; choose another name")
    if options.cutoff is None and options.hampel is None:
        raise InputError("nothing to filter: give --cutoff HZ, --hampel, or both")
    motion = read_motion(source)
    if options.hampel is not None:
        motion = hampel(motion, options.hampel)
    if options.cutoff is not None:
        motion = butterworth(motion, options.cutoff)
    about = read_sidecar(source.with_suffix(".json"))
    write_pair(out, motion, {**about, "filters": motion.filters})
    print(out)
