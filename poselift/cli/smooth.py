"""`poselift smooth`: motions through the filters of biomechanics."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from poselift.cli.formats import add_motions_argument
from poselift.cli.values import check_out_file, local_path
from poselift.core.errors import InputError
from poselift.core.files import remove_partial_of
from poselift.core.progress_text import show
from poselift.kinematics import butterworth, hampel
from poselift.recordings.motion_files import read_motion, write_pair
from poselift.recordings.motion_json import read_sidecar
from poselift.recordings.reading import find_motions


def add_command(commands: Any) -> None:
    """Adds `smooth` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "smooth",
        description="Filters joints and root of motions: --hampel takes out single frames that jump away, --cutoff "
        "runs a Butterworth filter forwards and backwards (order 4, no delay) after it. Empty frames stay empty. "
        "Writes of each an npz and the JSON beside it, which states the filters.",
    )
    add_motions_argument(parser)
    parser.add_argument("--cutoff", type=float, metavar="HZ", help="weakened by 3 dB, Hz; 6 is usual for walking")
    parser.add_argument(
        "--hampel",
        type=float,
        nargs="?",
        const=0.1,
        metavar="SECONDS",
        help="set joints that jump away to the median of so many seconds before and after (default: 0.1)",
    )
    parser.add_argument(
        "--out",
        type=local_path,
        metavar="NPZ|DIR",
        help="the file of one motion, or a folder, where names stay (default: NAME_smooth.npz beside each input)",
    )
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
    """Writes the filtered motions.

    Raises:
        InputError: a motion cannot be read, a filter does not fit its frame rate, or a file cannot be written.
    """
    if options.cutoff is None and options.hampel is None:
        raise InputError("nothing to filter: give --cutoff HZ, --hampel, or both")
    sources = find_motions(options.motions)
    for source, out in zip(sources, _plan(sources, options.out), strict=True):
        motion = read_motion(source)
        if options.hampel is not None:
            motion = hampel(motion, options.hampel)
        if options.cutoff is not None:
            motion = butterworth(motion, options.cutoff)
        about = read_sidecar(source.with_suffix(".json"))
        write_pair(out, motion, {**about, "filters": motion.filters})
        show(out)


def _plan(sources: Sequence[Path], out: Path | None) -> list[Path]:
    """The file of each filtered motion.

    Raises:
        InputError: one would replace an input or another one, or cannot be written there.
    """
    if out is None:
        planned = [source.with_name(f"{source.stem}_smooth.npz") for source in sources]
    elif out.is_dir() or not out.suffix:
        planned = [out / source.name for source in sources]
    elif len(sources) > 1:
        raise InputError(f"--out {out} is one file for {len(sources)} motions; give a folder")
    else:
        planned = [out]
    inputs = {source.resolve() for source in sources}
    for number, place in enumerate(planned):
        if place.resolve() in inputs:
            raise InputError(f"--out {out}: {place} is the input; choose another name")
        if place in planned[:number]:
            raise InputError(f"--out {out}: two of the motions are called {place.name}; smooth one folder at a time")
        check_out_file(place, (".npz",))
        remove_partial_of(place.with_suffix(".json"))
    return planned
