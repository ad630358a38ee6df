"""The formats that commands write: those of a motion, and the page of a folder."""

import contextlib
from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from poselift.cli.read_results import find_start
from poselift.cli.values import check_out_file
from poselift.core.choices import choose
from poselift.core.errors import InputError, WriteError, reason
from poselift.core.files import remove_partial_of
from poselift.export import read_motion, read_sidecar
from poselift.export.export_formats import FORMATS, Format
from poselift.export.sidecar_camera import camera_of
from poselift.geometry.camera import Camera
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


def select_motion_formats(names: Iterable[str]) -> dict[str, Format]:
    """Those of the named formats that are of motions, without the page."""
    return {name: FORMATS[name] for name in names if name in FORMATS}


def plan_files(names: Sequence[str], stem: str) -> list[str]:
    """Names of the files that `write_formats` may write for a motion of this name, and of those for all motions."""
    own = [f"{stem}{format_.ending}" for format_ in select_motion_formats(names).values()]
    return own + list(PAGE_FILES if PAGE in names else ())


def sidecar_camera(format_: Format, npz: Path) -> Camera | None:
    """The camera of a motion's sidecar, if the format has room for one.

    Raises:
        InputError: the sidecar is damaged.
    """
    sidecar = npz.with_suffix(".json")
    return camera_of(read_sidecar(sidecar), sidecar) if "camera" in format_.takes else None


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
        for name, format_ in select_motion_formats(names).items():
            out = folder / f"{stem}{format_.ending}"
            with note_failure(f"{name} of {stem}", failed):
                camera = sidecar_camera(format_, folder / f"{stem}.npz")
                if warning := format_.write(out, [motion], camera=camera, start=span[0]):
                    failed.append(warning)
                written.append(out.name)
    if PAGE in names and motions:
        from poselift.cli.view import write_page_of_people  # few runs write a page

        with note_failure(PAGE, failed):
            found = [folder / f"{stem}.npz" for stem in motions]
            written += [path.name for path in write_page_of_people(found, folder / PAGE_FILES[0], video, span)]
    return written, failed


def check_recording(path: Path) -> None:
    """Checks, before the long work, that a recording of Rerun can be written.

    Raises:
        InputError: rerun-sdk is not installed, or the path is no name of a recording or cannot be written.
    """
    check_out_file(path, (FORMATS["rerun"].ending,), "--rerun")
    FORMATS["rerun"].check()


def write_recording(path: Path, people: Sequence[Path]) -> None:
    """Writes the recording of people of one clip: that of `poselift export --to rerun --together`, under any name.

    Args:
        path: the recording.
        people: npz files of everybody, each with a pose.

    Raises:
        InputError: a file cannot be read or written.
    """
    remove_partial_of(path)
    camera = sidecar_camera(FORMATS["rerun"], people[0])
    FORMATS["rerun"].write(path, [read_motion(npz) for npz in people], camera=camera, start=find_start(people))


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
