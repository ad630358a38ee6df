"""The folder of `poselift lift`: complete results of one run at a time, whenever a run is stopped."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from poselift.cli.results import SUMMARY, UNFINISHED, check_folder, is_ours, read_earlier_summary
from poselift.core.files import move_files
from poselift.core.locks import write_alone
from poselift.export.opensim import opensim_files


@contextlib.contextmanager
def open_results(out: Path, path: Path, video: Path | None, formats: Sequence[str] = ()) -> Iterator[Path]:
    """An empty folder; if the block succeeds, its files replace those of the previous run in `out`.

    Until then, the results of the previous run stay as they are. What a killed run left is removed, or finished if
    all of its files were written.

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
            yield unfinished
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        _publish(unfinished, out)


def _publish(new: Path, out: Path) -> None:
    """Moves complete results to their place, the summary last: without one, the next run does this again."""
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
    """Moves a file, or the files of a folder of OpenSim, in which the user's model and results stay."""
    if path.is_dir():
        move_files(path, place)
    else:
        os.replace(path, place)


def _remove(path: Path) -> None:
    """Removes a file, if it is there; of a folder of OpenSim only our files."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for name in opensim_files(path.stem):
        (path / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # it has files of the user
        path.rmdir()
