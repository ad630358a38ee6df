"""Files that change together, whenever a process is killed.

Readers see all old ones or all new ones.

The new files are complete in a hidden folder. Its new name, `COMMITTED` in the folder of the files, publishes them all
in one system call. Then each file moves to its place. Until the last one has moved, `find_published` reads them through
`COMMITTED`, which needs no permission to write. After SIGKILL the next writer in the folder moves what is left.

Other programs know only the places. For them the last file, which describes the others, goes first and comes last: an
old description never stands beside a new file.
"""

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from poselift.core.errors import InputError, WriteError
from poselift.core.locks import hold_lock

COMMITTED = ".poselift_committed"
"""Name of the folder with published files on their way to their places, in the folder of the places."""

_PLAN = ".poselift_plan.json"
"""Name of the file in `COMMITTED` that names the last file, and the earlier files that go."""
_MOST_PLAN = 16 << 20
"""Largest plan that is read, bytes."""
_LOCK, _PATIENCE = ".poselift_publishing", 30.0
"""Name of the lock while files move, and seconds to wait for another process that moves some."""
_TRIES = 20
"""Readings of files that others publish meanwhile."""

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class _Plan:
    """What becomes of the files in `COMMITTED`.

    Attributes:
        last: path of the file that moves last, relative to the folder of the places.
        stale: paths of earlier files that go, relative to the folder of the places.
    """

    last: str
    stale: frozenset[str]


def find_published(path: str | os.PathLike[str]) -> Path:
    """Where a file's content is: in its place, or still in `COMMITTED`.

    The path may not exist, as that of a file that the newest publication removes.
    """
    path = Path(path)
    plan = _read_plan(path.parent)
    committed = path.parent / COMMITTED / path.name
    return committed if plan is not None and (path.name in plan.stale or os.path.lexists(committed)) else path


def list_published(folder: str | os.PathLike[str]) -> list[Path]:
    """The paths in a folder, as if published files were in place.

    They are sorted.

    Raises:
        OSError: the folder cannot be read.
    """
    folder = Path(folder)
    for _ in range(_TRIES):
        plan = _read_plan(folder)
        # First those that leave, so that none is missed between the two listings.
        moving = set() if plan is None else _list_names(folder / COMMITTED)
        names = {path.name for path in folder.iterdir()}
        if plan == _read_plan(folder):  # otherwise another process published or ended meanwhile
            break
    if plan is not None:
        names = names - plan.stale | moving
    return sorted(folder / name for name in names - {COMMITTED, _LOCK, _PLAN})


def read_whole(paths: Sequence[Path], read: Callable[[], _Value]) -> _Value:
    """What `read` gives of files that another process may publish meanwhile.

    Args:
        paths: the files.
        read: reads them; called again if they changed.

    Raises:
        InputError: as of `read`.
    """
    for _ in range(_TRIES):
        before = _describe(paths)
        try:
            value = read()
        except InputError:
            if _describe(paths) == before:
                raise
            continue
        if _describe(paths) == before:
            return value
    return read()


def publish(new: Path, folder: Path, last: str, stale: Iterable[str] = ()) -> None:
    """Publishes a folder's complete files in another one, all at once.

    Args:
        new: the folder of the files, on the same file system; it goes.
        folder: of their places; other files there stay.
        last: path of the file that describes the others, relative to `folder`.
        stale: paths of earlier files that go, relative to `folder`, with "/" between parts.

    Raises:
        WriteError: a file would replace a folder, or lie in a file, or leave `folder` by a link.
        BusyError: another process moves files in `folder`, and does not end.
    """
    names = _list_files(new)
    for name in names:
        if (folder / name).is_dir():
            raise WriteError(f"cannot write {folder / name}: it is a folder; give a file")
    going = sorted(set(stale) - set(names))
    for parent in {parent for name in names for parent in Path(name).parents} - {Path(path) for path in going}:
        if os.path.lexists(folder / parent) and not (folder / parent).is_dir():
            raise WriteError(f"cannot write to {folder / parent}: it is no folder; move it, or choose another folder")
    for name in (*names, *going):
        _check_inside(folder, name)
    (new / _PLAN).write_text(json.dumps({"last": last, "stale": going}), "utf-8")
    for name in (*names, _PLAN):
        settle(new / name)
    for place in {(new / name).parent for name in (*names, _PLAN)}:
        give_permissions(place, 0o777)
        settle_folder(place)
    with hold_lock(folder / _LOCK, _busy(folder), _PATIENCE):
        _move(folder)
        os.rename(new, folder / COMMITTED)
        settle_folder(folder)
        try:
            _move(folder)
        except (KeyboardInterrupt, SystemExit):
            _move(folder)
            raise


def finish_publishing(folder: Path) -> None:
    """Moves what a killed process published to its place.

    Every writer begins with this.

    Raises:
        BusyError: another process moves files in the folder, and does not end.
    """
    if os.path.isdir(folder / COMMITTED):
        with hold_lock(folder / _LOCK, _busy(folder), _PATIENCE):
            _move(folder)


def settle(path: Path) -> None:
    """Flushes a file to the disk: a power cut leaves no half. It gets the permissions of a plain open()."""
    give_permissions(path, 0o666)
    with open(path, "r+b") as file:
        os.fsync(file.fileno())


def settle_folder(folder: Path) -> None:
    """Flushes a folder's names to the disk, where the system can."""
    with contextlib.suppress(OSError):  # Windows opens no folder, and not all file systems take this
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def give_permissions(path: Path, mode: int) -> None:
    """Gives a temporary file or folder, private at first, its permissions."""
    umask = os.umask(0)
    os.umask(umask)
    path.chmod(mode & ~umask)


def _move(folder: Path) -> None:
    """Moves all files of `COMMITTED` to their places. It can begin anywhere in the middle."""
    committed = folder / COMMITTED
    plan = _read_plan(folder)
    if plan is not None:
        for name in sorted(plan.stale):
            _remove(folder, name)
        _check_inside(folder, plan.last)
        (folder / plan.last).unlink(missing_ok=True)
        names = [name for name in _list_files(committed) if name not in (plan.last, _PLAN)]
        for name in (*names, plan.last):
            _check_inside(folder, name)
            (folder / name).parent.mkdir(exist_ok=True, parents=True)
            os.replace(committed / name, folder / name)
        for place in {(folder / name).parent for name in (*names, plan.last)}:
            settle_folder(place)
    if not committed.is_symlink():
        shutil.rmtree(committed, ignore_errors=True)


def _remove(folder: Path, name: str) -> None:
    """Removes an earlier file, and its folders if they become empty."""
    _check_inside(folder, name)
    (folder / name).unlink(missing_ok=True)
    for parent in (folder / name).parents:
        if parent == folder:
            break
        with contextlib.suppress(OSError):  # it has files of the user
            parent.rmdir()


def _check_inside(folder: Path, name: str) -> None:
    """Refuses a path that leaves the folder. A folder from elsewhere may hold any plan."""
    parts = Path(name).parts
    inside = os.path.realpath((folder / name).parent)
    base = os.path.realpath(folder)
    if not parts or ".." in parts or Path(name).is_absolute() or os.path.commonpath([base, inside]) != base:
        raise WriteError(f"cannot write {folder / name}: it is outside of {folder}; remove the link, or {COMMITTED}")


def _list_names(folder: Path) -> set[str]:
    """Names in a folder; none if it has gone."""
    with contextlib.suppress(FileNotFoundError):
        return {path.name for path in folder.iterdir()}
    return set()


def _list_files(folder: Path) -> list[str]:
    """Relative paths of all files in a folder, sorted."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    )


def _read_plan(folder: Path) -> _Plan | None:
    """The plan of files that still move; None without such files."""
    committed = folder / COMMITTED
    try:
        if not stat.S_ISDIR(os.lstat(committed).st_mode):
            return None
        status = os.lstat(committed / _PLAN)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_PLAN:
            return None
        plan = json.loads((committed / _PLAN).read_text("utf-8"))
        last, stale = plan["last"], plan["stale"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(stale, list) or not all(isinstance(name, str) and "\0" not in name for name in (last, *stale)):
        return None
    # The last file has left only if all others have.
    inside = bool(Path(last).parts) and ".." not in Path(last).parts and not Path(last).is_absolute()
    return _Plan(last, frozenset(stale)) if inside and os.path.lexists(committed / last) else None


def _describe(paths: Sequence[Path]) -> list[tuple[int, int, int] | None]:
    """What changes when a file is replaced."""
    found: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            status = os.stat(find_published(path))
        except (OSError, ValueError):
            found.append(None)
        else:
            found.append((status.st_ino, status.st_mtime_ns, status.st_size))
    return found


def _busy(folder: Path) -> str:
    return f"another process moves files in {folder}; wait for its end"
