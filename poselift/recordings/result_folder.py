"""The folder of `poselift lift`, always with complete results of one run."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from poselift.core.errors import InputError
from poselift.core.files import check_writable, named_in_errors, publish_folder
from poselift.core.locks import write_alone
from poselift.core.publishing import finish_publishing, list_published
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
    there = list_published(out) if out.is_dir() else []
    if out / RECORD in there:
        raise InputError(
            f"{out} belongs to a batch, which would take the new results for its own; choose another --out"
        )
    earlier = read_earlier_summary(out)
    if earlier and (path is None or _resolve(Path(earlier["path"])) != _resolve(path)):
        raise InputError(
            f"{out} holds the results of another input, {earlier['path']}; choose another --out, or remove the results"
        )
    accounted = [SUMMARY, *earlier["files"]] if earlier else []
    for name in (path.name for path in there):
        # Files of `poselift export` may stay, unless this run writes their format.
        stem = name.split(".")[0]
        written = (
            SUMMARY,
            OVERLAY,
            *(f"{stem}.{suffix}" for suffix in OWN_ENDINGS),
            *plan_files(formats, stem),
        )
        if is_ours(name) and name in written and name not in accounted:
            raise InputError(
                f"{out / name} does not come from an earlier run and could be overwritten; move it, or choose another "
                "--out"
            )


@contextlib.contextmanager
def open_results(out: Path, path: Path | None, video: Path | None, formats: Sequence[str] = ()) -> Iterator[Path]:
    """An empty folder, published to `out` if the block succeeds.

    Its files replace those of the previous run, all at once. Until then, the results of the previous run stay as they
    are. What a killed run left is removed, or finished if it was published.

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
        finish_publishing(out)
        unfinished = out / UNFINISHED
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        try:
            with named_in_errors(out, unfinished):
                yield unfinished
            written = {path.name for path in unfinished.iterdir()}
            earlier = [name for name in read_earlier_summary(out).get("files", []) if isinstance(name, str)]
            stale = [path for name in earlier if name not in written and is_ours(name) for path in _list_own(out, name)]
            publish_folder(unfinished, out, SUMMARY, stale)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise


def _list_own(out: Path, name: str) -> list[str]:
    """A file's path, or those of our files in an OpenSim folder. The user's model and results in it stay."""
    return [f"{name}/{own}" for own in opensim_files(Path(name).stem)] if (out / name).is_dir() else [name]


def _resolve(path: Path) -> Path:
    """The path without links and dots; `Path.resolve` raises for circular links."""
    return Path(os.path.realpath(path))
