"""The formats of commands: those of a motion, and the page."""

import argparse
import contextlib
from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from poselift.cli.values import check_out_file, local_path
from poselift.core.choices import choose
from poselift.core.errors import InputError, WriteError, reason
from poselift.export.export_formats import FORMATS, Format
from poselift.recordings.names import PAGE, PAGE_FILES, person_stem
from poselift.structures import Recording

NAMES = (*FORMATS, PAGE)
"""All formats by their names on the command line."""

_ALWAYS = ("npz", "json")
"""What `poselift lift` writes of each person without being asked: such a format may be named, and changes nothing."""


def parse_formats(text: str) -> tuple[str, ...]:
    """Format names of an option such as "trc,bvh", without `_ALWAYS`.

    Raises:
        ArgumentTypeError: none is named, one is unknown, or its package is not installed.
    """
    given = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not given:
        raise ArgumentTypeError(f"name a format, any of {', '.join(NAMES)}")
    names = tuple(name for name in given if name not in _ALWAYS)
    try:
        for name in names:
            choose("format", name, dict.fromkeys(NAMES))
            if name in FORMATS:
                FORMATS[name].check()
    except InputError as error:
        raise ArgumentTypeError(str(error)) from None
    return names


def add_motions_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the motions that a command reads; see `poselift.recordings.reading.find_motions`."""
    parser.add_argument(
        "motions", type=local_path, nargs="+", metavar="NPZ|DIR", help="motions of poselift lift, or its folder"
    )


def select_motion_formats(names: Iterable[str]) -> dict[str, Format]:
    """Those of the named formats that are of motions, without the page."""
    return {name: FORMATS[name] for name in names if name in FORMATS}


def write_formats(
    folder: Path, names: Sequence[str], recording: Recording, video: Path | None
) -> tuple[list[str], list[str]]:
    """Writes motions in formats beside their npz files.

    People without a pose are on the page only.

    Args:
        folder: that of the npz files.
        names: of the formats.
        recording: the people.
        video: the one for the page.

    Returns:
        Names of the files that were written, and warnings about them and those that were not.

    Raises:
        WriteError: the disk is full, or the folder cannot be written to.
    """
    written: list[str] = []
    failed: list[str] = []
    for motion in recording.people:
        if not motion.posed.any():  # the lifter warns
            continue
        stem = person_stem(motion.keypoints.person)
        for name, format_ in select_motion_formats(names).items():
            out = folder / f"{stem}{format_.ending}"
            with note_failure(f"{name} of {stem}", failed):
                if warning := format_.write(out, replace(recording, people=(motion,))):
                    failed.append(warning)
                written.append(out.name)
    if PAGE in names and recording.people:
        from poselift.cli.view import write_page_of  # few runs write a page

        with note_failure(PAGE, failed):
            written += [path.name for path in write_page_of(recording, folder / PAGE_FILES[0], video, folder=folder)]
    return written, failed


def check_rerun(path: Path) -> None:
    """Checks, before the work, that a recording of Rerun can be written.

    Raises:
        InputError: rerun-sdk is not installed, or the path is no name of a recording or cannot be written.
    """
    check_out_file(path, (FORMATS["rerun"].ending,), "--rerun")
    FORMATS["rerun"].check()


@contextlib.contextmanager
def note_failure(what: str, failed: list[str]) -> Iterator[None]:
    """Adds a block's failure to a list, so that others go on.

    Args:
        what: the format and the file.
        failed: gets a line.

    Raises:
        OSError, WriteError: the disk, which concerns the other files too.
    """
    try:
        yield
    except (OSError, WriteError):
        raise
    except Exception as error:  # a writer of another library can raise any exception
        failed.append(f"{what}: {error if isinstance(error, InputError) else reason(error)}")
