"""`poselift export`: motions in the formats of other programs."""

import argparse
from pathlib import Path
from typing import Any

from poselift.core.choices import choose
from poselift.core.errors import InputError
from poselift.core.files import check_writable
from poselift.export import read_motion, read_sidecar
from poselift.export.formats import FORMATS
from poselift.export.markers import markers


def add_command(commands: Any) -> None:
    """Adds `export` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "export",
        help="write motions in the formats of other programs",
        description="Writes each motion in the formats of OpenSim, Visual3D, Blender and other programs.",
    )
    parser.add_argument("motions", type=Path, nargs="+", metavar="NPZ", help="motions of poselift lift")
    parser.add_argument("--to", required=True, metavar="FORMAT,...", help=f"any of {', '.join(FORMATS)}")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the files (default: beside each motion)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Writes the files.

    Raises:
        InputError: a format is unknown, a motion cannot be read or has no pose, or a file cannot be written.
    """
    names = [name for name in options.to.split(",") if name]
    formats = {name: choose("format", name, FORMATS) for name in names}
    if not formats:
        raise InputError(f"--to: name a format, any of {', '.join(FORMATS)}")
    taken: dict[Path, Path] = {}
    for source in options.motions:
        motion = read_motion(source)
        if {"trc", "c3d"} & set(formats):
            found = markers(motion)
            if found.resampled:
                print(f"{source}: frames at uneven times; trc and c3d are at an even {found.rate:.6g} frames a second")
        for format_ in formats.values():
            out = (options.out or source.parent) / f"{source.stem}{format_.ending}"
            if out in taken:
                raise InputError(f"{taken[out]} and {source} would both become {out}; export them to two folders")
            taken[out] = source
            check_writable(out.parent)
            out.parent.mkdir(parents=True, exist_ok=True)
            if format_.write_seen:
                format_.write_seen(out, motion, read_sidecar(source.with_suffix(".json")).get("camera", {}))
            else:
                format_.write(out, motion)
            print(out)
