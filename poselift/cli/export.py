"""`poselift export`: motions in the formats of other programs."""

import argparse
from pathlib import Path
from typing import Any, get_args

from poselift.cli.formats import NAMES, PAGE, PAGE_FILES, chosen_formats, motion_formats, sidecar_camera
from poselift.cli.smooth import add_smooth_option
from poselift.cli.view import page_of_people
from poselift.core.errors import InputError
from poselift.core.files import check_writable, remove_partial_of
from poselift.export import read_motion
from poselift.export.character import OWN, Rest, Rigging, rig_names
from poselift.export.formats import FORMATS, Format
from poselift.export.markers import markers
from poselift.kinematics import at_rate, butterworth
from poselift.structures import Motion

_TOGETHER = "people"
"""Name of a file of several people, without its ending."""


def add_command(commands: Any) -> None:
    """Adds `export` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "export",
        description="Writes each motion in the formats of OpenSim, Visual3D, Blender and other programs.",
    )
    parser.add_argument("motions", type=Path, nargs="+", metavar="NPZ", help="motions of poselift lift")
    # `poselift lift` calls them --formats.
    parser.add_argument("--to", "--formats", required=True, metavar="FORMAT,...", help=f"any of {', '.join(NAMES)}")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the files (default: beside each motion)")
    parser.add_argument(
        "--together", action="store_true", help=f"one file of everybody, {_TOGETHER}.ENDING, instead of one per person"
    )
    parser.add_argument(
        "--up", choices=["y", "z"], default="y", help="the axis that points up, in trc, c3d and bvh (default: y)"
    )
    parser.add_argument(
        "--fps",
        type=float,
        metavar="RATE",
        help="whole frames at this rate, such as 24, 25, 30 or 60 (default: as lifted)",
    )
    add_smooth_option(parser)
    bones = parser.add_argument_group("characters: bvh, glb and vrma")
    bones.add_argument(
        "--rig", default=OWN, metavar="NAME", help=f"the bones, any of {', '.join(rig_names())} (default: {OWN})"
    )
    bones.add_argument(
        "--rest",
        choices=get_args(Rest),
        help="the rest pose: arms level, arms 45 degrees down, or the first frame (default: that of the rig)",
    )
    bones.add_argument(
        "--lock-feet", action="store_true", help="feet on the ground stand still; for animation, not for measuring"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Writes the files.

    Raises:
        InputError: a format is unknown or cannot do what the options want, a motion cannot be read, none has a
            pose, or a file cannot be written.
    """
    names = chosen_formats(options.to, "--to")
    formats = motion_formats(names)
    if options.up == "z":
        _check_all(formats, "turns", "--up z: Z cannot point up in")
    rigging = Rigging(options.rig, options.rest, options.lock_feet)
    if rigging != Rigging():
        given = [f"--{name.replace('_', '-')}" for name in ("rig", "rest", "lock_feet") if getattr(options, name)]
        _check_all(formats, "bones", f"{' and '.join(given)}: there are no bones in")
    if options.together:
        _check_all(formats, "several", "--together: a file of several people is not possible in")
    motions = with_poses({source: read_motion(source) for source in options.motions})
    if options.smooth is not None:
        motions = {source: butterworth(motion, options.smooth) for source, motion in motions.items()}
    if options.fps is not None:
        motions = {source: at_rate(motion, options.fps) for source, motion in motions.items()}
    planned = _planned(options, list(motions), formats)
    page = _page(options, list(motions)) if PAGE in names else None
    for out in [*(out for _, out, _ in planned), *([page] if page else [])]:
        check_writable(out.parent)
    if {"trc", "c3d", "opensim"} & set(formats):
        _report_uneven(motions)
    for format_, out, sources in planned:
        remove_partial_of(out)
        camera = sidecar_camera(format_, sources[0])
        format_.write(out, [motions[source] for source in sources], options.up, camera, rigging)
        print(out)
    if page:
        for out in page_of_people(list(motions), page):
            print(out)


def with_poses(motions: dict[Path, Motion]) -> dict[Path, Motion]:
    """The motions that have a pose; prints the files of the others.

    Raises:
        InputError: none has one.
    """
    posed = {source: motion for source, motion in motions.items() if motion.posed.any()}
    empty = [source for source in motions if source not in posed]
    if not posed:
        raise InputError(f"{', '.join(map(str, empty))}: no frame has a pose; choose another person")
    for source in empty:
        print(f"{source} is left out: no frame has a pose")
    return posed


def _check_all(formats: dict[str, Format], field: str, problem: str) -> None:
    """Raises an error for formats that lack what an option needs."""
    if lacking := [name for name, format_ in formats.items() if not getattr(format_, field)]:
        able = [name for name, format_ in FORMATS.items() if getattr(format_, field)]
        raise InputError(f"{problem} {', '.join(lacking)}; choose from {', '.join(able)}")


def _planned(
    options: argparse.Namespace, sources: list[Path], formats: dict[str, Format]
) -> list[tuple[Format, Path, list[Path]]]:
    """Format, file and motions of each file to write."""
    groups = [(_TOGETHER, sources)] if options.together else [(source.stem, [source]) for source in sources]
    planned: dict[Path, tuple[Format, Path, list[Path]]] = {}
    for stem, group in groups:
        for format_ in formats.values():
            out = (options.out or group[0].parent) / f"{stem}{format_.ending}"
            if out in planned:
                first = planned[out][2][0]
                raise InputError(f"{first} and {group[0]} would both become {out}; export them to two folders")
            planned[out] = format_, out, group
    return list(planned.values())


def _page(options: argparse.Namespace, sources: list[Path]) -> Path:
    """The page to write."""
    folders = {source.parent.resolve() for source in sources}
    if len(folders) > 1:
        raise InputError(
            f"{PAGE}: the motions are in {len(folders)} folders; a page is of one, so export them one by one"
        )
    return Path(options.out or sources[0].parent) / PAGE_FILES[0]


def _report_uneven(motions: dict[Path, Motion]) -> None:
    """Says which motions are interpolated."""
    for source, motion in motions.items():
        found = markers([motion])
        if found.resampled:
            print(f"{source}: frames at uneven times; markers are at an even {found.rate:.6g} frames a second")
