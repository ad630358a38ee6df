"""The folders of a batch, one a video, each complete or absent."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from poselift.core.files import named_in_errors, publish_folder
from poselift.core.locks import BusyError, hold_lock
from poselift.core.publishing import finish_publishing
from poselift.core.storage import explain_storage_errors, file_system, is_local
from poselift.recordings.names import RECORD

KEPT = "keypoints.npz"
"""Name of the file in the folder of each video that has its detections."""

_PATIENCE = 10.0
"""Seconds to wait for another process that lifts a video: the worker of a killed run holds it for a moment more."""


@contextlib.contextmanager
def open_folder(out: str, name: str) -> Iterator[Path]:
    """An empty folder, published as `name` in `out` if complete.

    That is, if the block succeeds and wrote `RECORD`. It has `KEPT`, if the earlier folder or a stopped run has one. If
    the block fails, `KEPT` stays for the next run.

    Args:
        out: path or URL of the folder of the batch.
        name: of the folder of a video.

    Raises:
        BusyError: another process lifts this video.
    """
    files, root = file_system(out)
    if is_local(files):
        place = Path(root) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        busy = f"another run lifts it into {out}; wait for the end of that run"
        with hold_lock(place.with_name(f".{place.name}.lock"), busy, _PATIENCE):
            yield from _local(place)
        return
    with tempfile.TemporaryDirectory(prefix="poselift_") as temporary:
        folder = Path(temporary)
        with explain_storage_errors(out), contextlib.suppress(FileNotFoundError):
            files.get_file(f"{root}/{name}/{KEPT}", str(folder / KEPT))
        with named_in_errors(f"{out}/{name}", folder):
            yield folder
        if not (folder / RECORD).exists():
            return
        with explain_storage_errors(out):
            with contextlib.suppress(FileNotFoundError):
                files.rm(f"{root}/{name}", recursive=True)
            # There is no renaming of folders: the record comes last.
            written = [path for path in folder.rglob("*") if path.is_file()]
            for path in sorted(written, key=lambda path: path.name == RECORD):
                files.put_file(str(path), f"{root}/{name}/{path.relative_to(folder).as_posix()}")


def tidy_stopped(out: str, name: str) -> None:
    """Removes a stopped worker's files of a video, but for its detections. The next run uses those."""
    files, root = file_system(out)
    if not is_local(files):
        return
    place = Path(root) / name
    with contextlib.suppress(BusyError, OSError), hold_lock(place.with_name(f".{place.name}.lock"), "", _PATIENCE):
        unfinished = place.with_name(f".{place.name}.unfinished")
        if not (unfinished / KEPT).exists():
            shutil.rmtree(unfinished, ignore_errors=True)
            return
        for left in unfinished.iterdir():
            if left.name != KEPT:
                shutil.rmtree(left) if left.is_dir() else left.unlink()


def remove_leftovers(out: str, names: Collection[str]) -> None:
    """Removes what killed runs left of videos that need no more work.

    Args:
        out: path or URL of the folder of the batch.
        names: of the folders of these videos.
    """
    files, root = file_system(out)
    if not is_local(files) or not os.path.isdir(root):
        return
    done = {Path(root) / name for name in names}
    for place in done:
        finish_publishing(place)
    for parent in {place.parent for place in done}:
        for path in parent.iterdir() if parent.is_dir() else ():
            name = path.name.removeprefix(".").removesuffix(".unfinished").removesuffix(".lock")
            if path.name != name and parent / name in done:
                with contextlib.suppress(BusyError), hold_lock(path.with_name(f".{name}.lock"), ""):
                    shutil.rmtree(path, ignore_errors=True)


def _local(place: Path) -> Iterator[Path]:
    """The new folder beside its place. It takes all that is there out of the place."""
    unfinished = place.with_name(f".{place.name}.unfinished")
    finish_publishing(place)
    unfinished.mkdir(exist_ok=True)
    for left in unfinished.iterdir():
        if left.name != KEPT:
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    if (place / KEPT).exists() and not (unfinished / KEPT).exists():
        shutil.copyfile(place / KEPT, unfinished / KEPT)
    try:
        with named_in_errors(place, unfinished):
            yield unfinished
    except BaseException:
        if not (unfinished / KEPT).exists():
            shutil.rmtree(unfinished)
        raise
    if not (unfinished / RECORD).exists():  # there was nothing to do
        shutil.rmtree(unfinished)
        return
    earlier = [path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_symlink() or path.is_file()]
    publish_folder(unfinished, place, RECORD, earlier)
