"""The folder of `poselift lift`, always with complete results of one run."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from poselift.core.errors import InputError
from poselift.core.files import check_writable, move_files, named_in_errors
from poselift.core.locks import write_alone
from poselift.export.opensim import opensim_files
from poselift.recordings.names import OVERLAY, OWN_ENDINGS, RECORD, SUMMARY, UNFINISHED, is_ours, plan_files
from poselift.recordings.summary import read_earlier_summary


def check_folder(out: Path, path: Path | None, video: Path | None, formats: Sequence[str] = ()) -> None:
    """Checks, before the work, that no file of the user is overwritten.

    Args:
        out: the folder.
        path: the input file, a video or keypoints; None for values in memory.
        video: the video of the keypoints, if given.
        formats: names of the formats to write.

    Raises:
        InputError: the folder is not writable, holds results of another input or files that no earlier run wrote, or
            the input itself would be overwritten.
    """
    check_writable(out)
    place = _resolve(out)
    for given in filter(None, (path, video)):
        # A link and its target: writing would replace either.
        names = (_resolve(given), _resolve(given.parent) / given.name)
        if any(name == place or (name.parent == place and is_ours(name.name)) for name in names):
            raise InputError(f"{given} would be overwritten by the new results; choose another --out")
    if (out / RECORD).exists():
        raise InputError(
            f"{out} belongs to a batch, which would take the new results for its own; choose another --out"
        )
    # The results of a run that was killed while it moved them are in two places.
    earlier = read_earlier_summary(out) or read_earlier_summary(out / UNFINISHED)
    if earlier and (path is None or _resolve(Path(earlier["path"])) != _resolve(path)):
        raise InputError(
            f"{out} holds the results of another input, {earlier['path']}; choose another --out, or remove the results"
        )
    accounted = [SUMMARY, *earlier["files"]] if earlier else []
    for there in sorted(out.glob("*")):
        # Files of `poselift export` may stay, unless this run writes their format.
        stem = there.name.split(".")[0]
        written = (
            SUMMARY,
            OVERLAY,
            *(f"{stem}.{suffix}" for suffix in OWN_ENDINGS),
            *plan_files(formats, stem),
        )
        if is_ours(there.name) and there.name in written and there.name not in accounted:
            raise InputError(
                f"{there} does not come from an earlier run and could be overwritten; move it, or choose another --out"
            )


@contextlib.contextmanager
def open_results(out: Path, path: Path | None, video: Path | None, formats: Sequence[str] = ()) -> Iterator[Path]:
    """An empty folder, published to `out` if the block succeeds.

    Its files replace those of the previous run. Until then, the results of the previous run stay as they are. What a
    killed run left is removed, or finished if all of its files were written.

    Args:
        out: the folder of the results.
        path: the input file; see `check_folder`.
        video: the video of the keypoints, if given.
        formats: names of the formats to write.

    Raises:
        InputError: another run is writing to the folder, or the folder cannot be used.
    """
    with write_alone(out, "--out"):
        check_folder(out, path, video, formats)
        unfinished = out / UNFINISHED
        if read_earlier_summary(unfinished):
            _publish(unfinished, out)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        try:
            with named_in_errors(out, unfinished):
                yield unfinished
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        _publish(unfinished, out)


def _publish(new: Path, out: Path) -> None:
    """Moves complete results to their place, the summary last. Without a summary, the next run does this again."""
    written = sorted(path for path in new.iterdir() if path.name != SUMMARY)
    names = [path.name for path in written]
    for name in read_earlier_summary(out).get("files", []):
        if name not in names and isinstance(name, str) and is_ours(name):
            _remove(out / name)
    (out / SUMMARY).unlink(missing_ok=True)
    for path in [*written, new / SUMMARY]:
        _move(path, out / path.name)
    new.rmdir()


def _move(path: Path, place: Path) -> None:
    """Moves a file, or our files of an OpenSim folder. The user's model and results in such a folder stay."""
    if path.is_dir():
        move_files(path, place)
    else:
        os.replace(path, place)


def _remove(path: Path) -> None:
    """Removes a file, or our files of an OpenSim folder."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for name in opensim_files(path.stem):
        (path / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # it has files of the user
        path.rmdir()


def _resolve(path: Path) -> Path:
    """The path without links and dots; `Path.resolve` raises for circular links."""
    return Path(os.path.realpath(path))
