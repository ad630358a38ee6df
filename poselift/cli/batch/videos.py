"""The videos of a batch: those of a folder, of a glob, or of a manifest with options for each video."""

import argparse
import copy
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NoReturn

from fsspec import AbstractFileSystem

from poselift.cli.batch.manifest import MANIFESTS, read_manifest
from poselift.cli.batch.storage import address, file_system, is_local, stamp
from poselift.cli.formats import given_formats
from poselift.cli.lift_options import add_lift_options
from poselift.core.choices import did_you_mean
from poselift.core.errors import InputError

ENDINGS = (".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".mts", ".m2ts", ".wmv", ".flv")
"""Names of the videos that a folder is searched for; case does not count."""

_VALUES = (
    "start",
    "end",
    "fps",
    "person",
    "height",
    "fov",
    "intrinsics",
    "skeleton",
    "threshold",
    "quality",
    "formats",
)
_FLAGS = ("world", "no-flip", "no-constant-bones")
"""Columns of a manifest: options of `poselift lift` with a value, and without one."""
_YES, _NO = ("1", "true", "yes"), ("0", "false", "no")
_LONGEST = 150
"""Bytes of a video's name in the name of its folder: file systems take 255, and hidden names beside it are longer."""


@dataclass(frozen=True)
class Video:
    """A video of a batch.

    Attributes:
        path: absolute path, or URL.
        name: path relative to the source, for tables and messages.
        folder: name of the folder of its results.
        stamp: tells it from another version of itself; None if there is no such file.
        options: of `poselift lift`.
    """

    path: str
    name: str
    folder: str
    stamp: dict[str, Any] | None
    options: argparse.Namespace


def find_videos(source: str, out: str, options: argparse.Namespace) -> list[Video]:
    """The videos of a source, in the order of their names, or of the rows of a manifest.

    Args:
        source: a folder, a glob, or a manifest (.csv, .parquet).
        out: the folder of the results, in which no video is looked for.
        options: of `poselift lift`, for all videos; a manifest may change them.

    Raises:
        InputError: there are no videos, or the manifest cannot be used.
    """
    files, root = file_system(source)
    if source.lower().endswith(MANIFESTS) and files.isfile(root):
        rows = read_manifest(files, root)
        base = root.rpartition("/")[0]
        return _checked(
            [_video(_beside(files, base, row["path"]), base, options, row, where) for where, row in rows], source
        )
    results = file_system(out)[1].rstrip("/")
    if files.isdir(root):
        base = root.rstrip("/")
        paths = [path for path in files.find(base) if path.lower().endswith(ENDINGS)]
    elif files.isfile(root):
        raise InputError(f"{source} is one file; use poselift lift, or give a folder, a glob or a manifest")
    elif any(character in root for character in "*?["):
        base = re.split(r"[*?\[]", root, maxsplit=1)[0].rpartition("/")[0]
        paths = [path for path in files.glob(root) if files.isfile(path)]
    else:
        raise InputError(f"{source}: there is no such folder or manifest; check the path")
    hidden = [path for path in paths if "/." in path[len(base) :] or path.startswith(f"{results}/")]
    chosen = sorted(set(paths) - set(hidden))
    if not chosen:
        raise InputError(f"{source}: there is no video in it; videos end in {', '.join(ENDINGS)}")
    return _checked([_video(address(files, path), base, options) for path in chosen], source)


def _video(
    path: str, base: str, defaults: argparse.Namespace, row: dict[str, str] | None = None, where: str = ""
) -> Video:
    """A video with its options and the name of its folder.

    Args:
        path: absolute path, or URL.
        base: path of the source on its file system.
        defaults: options for all videos.
        row: of a manifest.
        where: the row in messages.
    """
    files, place = file_system(path)
    name = os.path.relpath(place, base).replace(os.sep, "/")
    options = defaults if row is None else _options_of(row, defaults, where)
    # Two spans of one video are two entries.
    span = "" if row is None else f"{row.get('start', '')}|{row.get('end', '')}".strip("|")
    digits = hashlib.sha256(f"{name}|{span}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    stem = re.sub(r"[^\w .()+,=@~-]", "_", PurePosixPath(name).stem).strip(". ") or "video"
    stem = stem.encode()[:_LONGEST].decode(errors="ignore")
    return Video(path, name, f"{stem}-{digits}", stamp(files, place), options)


def _checked(videos: list[Video], source: str) -> list[Video]:
    """The videos, if each has a folder of its own."""
    first: dict[str, Video] = {}
    for video in videos:
        if first.setdefault(video.folder, video) is not video:
            raise InputError(f"{source}: {video.name} is in it twice; give each video once, or another span")
    return videos


def _beside(files: AbstractFileSystem, base: str, path: str) -> str:
    """The path or URL in a manifest, which lies in the folder `base`."""
    if "://" in path:
        return path
    return address(files, os.path.normpath(os.path.join(base, path)) if is_local(files) else f"{base}/{path}")


class _Row(argparse.ArgumentParser):
    """Raises an InputError where argparse would end the command."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message)


def _options_of(row: dict[str, str], defaults: argparse.Namespace, where: str) -> argparse.Namespace:
    """The options of one video.

    Raises:
        InputError: a column is unknown, or a value makes no sense.
    """
    tokens = []
    for column, value in row.items():
        option = column.replace("_", "-")
        if option == "path":
            continue
        if option not in (*_VALUES, *_FLAGS):
            known = ("path", *_VALUES, *_FLAGS)
            hint = did_you_mean(option, known)
            raise InputError(f"{where}: there is no column {column!r}; {hint} columns are {', '.join(known)}")
        if not value:
            continue
        if option in _VALUES:
            tokens.append(f"--{option}={value}")
        elif value.lower() in _YES:
            tokens.append(f"--{option}")
        elif value.lower() not in _NO:
            raise InputError(f"{where}: {column} is {value!r}; write true or false")
    options = copy.copy(defaults)
    # A camera of the row replaces that for all videos.
    if row.get("fov") or row.get("intrinsics"):
        options.fov = options.intrinsics = None
    for flag in _FLAGS:
        if (row.get(flag) or row.get(flag.replace("-", "_")) or "").lower() in _NO:
            setattr(options, flag.replace("-", "_"), False)
    parser = _Row(add_help=False, allow_abbrev=False)
    add_lift_options(parser)
    try:
        parsed = parser.parse_args(tokens, options)
        given_formats(parsed)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return parsed


def shard_of(videos: list[Video], shard: tuple[int, int] | None) -> list[Video]:
    """Every n-th video from the i-th on, for a shard (i, n); all without one."""
    return videos if shard is None else videos[shard[0] - 1 :: shard[1]]
