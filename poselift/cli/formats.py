"""The formats that commands write: those of a motion, and the page of a folder."""

import contextlib
import math
from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from poselift.core.choices import choose
from poselift.core.errors import InputError, WriteError, reason
from poselift.export import read_sidecar
from poselift.export.export_formats import FORMATS, Format
from poselift.export.motion_reading import is_person
from poselift.export.sidecar_camera import SidecarCamera, camera_of
from poselift.structures import Motion

PAGE = "html"
"""Name of the page among the formats."""

NAMES = (*FORMATS, PAGE)
"""All formats by their names on the command line."""

PAGE_FILES = ("page.html", "page_video.mp4")
"""The page of a folder, and its video if that is too large for it."""


def parse_formats(text: str) -> tuple[str, ...]:
    """Names of formats in an option's value, such as "trc,bvh".

    Raises:
        ArgumentTypeError: none is named, one is unknown, or its package is not installed.
    """
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise ArgumentTypeError(f"name a format, any of {', '.join(NAMES)}")
    try:
        for name in names:
            choose("format", name, dict.fromkeys(NAMES))
            if name in FORMATS:
                FORMATS[name].check()
    except InputError as error:
        raise ArgumentTypeError(str(error)) from None
    return names


def person_files(given: Iterable[Path]) -> list[Path]:
    """The motions that a command line names; a folder of `poselift lift` stands for the people in it.

    Raises:
        InputError: a folder has nobody.
    """
    return [path for each in given for path in (_people_in(each) if each.is_dir() else [each])]


def _people_in(folder: Path) -> list[Path]:
    found = sorted((path for path in folder.iterdir() if is_person(path)), key=lambda path: (len(path.name), path.name))
    if not found:
        raise InputError(f"{folder} has no person_*.npz; give a folder in which `poselift lift` found somebody")
    return found


def motion_formats(names: Iterable[str]) -> dict[str, Format]:
    """Those of the named formats that are of motions, without the page."""
    return {name: FORMATS[name] for name in names if name in FORMATS}


def plan_files(names: Sequence[str], stems: Iterable[str]) -> list[str]:
    """Names of the files that `write_formats` may write.

    Args:
        names: of the formats.
        stems: names of the motions' files, without their ending.
    """
    endings = [format_.ending for format_ in motion_formats(names).values()]
    return [f"{stem}{ending}" for stem in stems for ending in endings] + list(PAGE_FILES if PAGE in names else ())


def sidecar_camera(format_: Format, npz: Path) -> SidecarCamera | None:
    """The camera of a motion's sidecar, if the format has room for one.

    Raises:
        InputError: the sidecar is damaged.
    """
    sidecar = npz.with_suffix(".json")
    return camera_of(read_sidecar(sidecar), sidecar) if format_.camera else None


def find_start(people: Iterable[Path]) -> float | None:
    """Time of the first frame of the run, or of the first of several runs, seconds; None if no sidecar has it.

    Args:
        people: the npz files of the motions.

    Raises:
        InputError: a sidecar is damaged.
    """
    starts = []
    for sidecar in (npz.with_suffix(".json") for npz in people):
        start = read_sidecar(sidecar).get("start_s")
        if start is not None:
            if isinstance(start, bool) or not isinstance(start, int | float) or not math.isfinite(start):
                raise InputError(f"{sidecar}: start_s {start!r:.40} is no time; take the JSON that poselift wrote")
            starts.append(float(start))
    return min(starts, default=None)


def write_formats(
    folder: Path,
    names: Sequence[str],
    motions: dict[str, Motion],
    video: Path | None,
    span: tuple[float, float],
) -> tuple[list[str], list[str]]:
    """Writes motions in formats beside their npz files; people without a pose are on the page only.

    Args:
        folder: that of the npz files.
        names: of the formats.
        motions: by the names of their files, without ending.
        video: the one for the page.
        span: first and last time of the clip, seconds.

    Returns:
        Names of the files that were written, and warnings about them and those that were not.

    Raises:
        WriteError: the disk is full, or the folder cannot be written to.
    """
    written: list[str] = []
    failed: list[str] = []
    for stem, motion in motions.items():
        if not motion.posed.any():  # the lifter warns
            continue
        for name, format_ in motion_formats(names).items():
            out = folder / f"{stem}{format_.ending}"
            with note_failure(f"{name} of {stem}", failed):
                camera = sidecar_camera(format_, folder / f"{stem}.npz")
                if warning := format_.write(out, [motion], camera=camera, start=span[0]):
                    failed.append(warning)
                written.append(out.name)
    if PAGE in names and motions:
        from poselift.cli.view import page_of_people  # few runs write a page

        with note_failure(PAGE, failed):
            found = [folder / f"{stem}.npz" for stem in motions]
            written += [path.name for path in page_of_people(found, folder / PAGE_FILES[0], video, span)]
    return written, failed


@contextlib.contextmanager
def note_failure(what: str, failed: list[str]) -> Iterator[None]:
    """Adds the failure of a block to a list, so that other files are still written.

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
