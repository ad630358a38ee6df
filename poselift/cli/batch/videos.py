"""The videos of a batch: a folder's, a glob's or a manifest's. A manifest has options for each video."""

import argparse
import hashlib
import os
import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, NoReturn

from fsspec import AbstractFileSystem

from poselift.cli.batch.manifest import MANIFESTS, read_manifest
from poselift.cli.lift_options import add_video_options
from poselift.cli.lift_request import CommandRequest
from poselift.cli.request_fields import set_fields
from poselift.cli.values import explain_value
from poselift.core.choices import did_you_mean
from poselift.core.endings import PICTURE_ENDINGS, VIDEO_ENDINGS
from poselift.core.errors import InputError
from poselift.core.storage import file_system, find_address, is_local, read_stamp
from poselift.several_views.one_camera import LENS, take_calibration

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
        request: what to lift of it, and how.
    """

    path: str
    name: str
    folder: str
    stamp: dict[str, Any] | None
    request: CommandRequest


def find_videos(source: str, out: str, request: CommandRequest) -> list[Video]:
    """The videos of a source, in the order of names or rows.

    Args:
        source: a folder, a glob, or a manifest (.csv, .parquet).
        out: the folder of the results, in which no video is looked for.
        request: for all videos; a manifest may change it.

    Raises:
        InputError: there are no videos, or the manifest cannot be used.
    """
    files, root = file_system(source)
    if source.lower().endswith(MANIFESTS) and files.isfile(root):
        rows = read_manifest(files, root)
        base = root.rpartition("/")[0]
        return _check(
            [_video(_resolve(files, base, row["path"]), base, request, row, where) for where, row in rows], source
        )
    results = file_system(out)[1].rstrip("/")
    if files.isdir(root):
        base = root.rstrip("/")
        paths = [path for path in files.find(base) if path.lower().endswith(VIDEO_ENDINGS)]
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
        if any(path.lower().endswith(PICTURE_ENDINGS) for path in (files.find(root) if files.isdir(root) else ())):
            raise InputError(f"{source} holds pictures and no video; to take them as one video: poselift lift {source}")
        raise InputError(f"{source}: there is no video in it; videos end in {', '.join(VIDEO_ENDINGS)}")
    return _check([_video(find_address(files, path), base, request) for path in chosen], source)


def _video(path: str, base: str, request: CommandRequest, row: dict[str, str] | None = None, where: str = "") -> Video:
    """A source's video, with its request and its folder's name.

    The video is in `base`; a row of a manifest may change the request.
    """
    files, place = file_system(path)
    name = os.path.relpath(place, base).replace(os.sep, "/")
    own = request if row is None else _read_request(row, request, where)
    # Two spans of one video are two entries.
    span = "" if row is None else f"{row.get('start', '')}|{row.get('end', '')}".strip("|")
    digits = hashlib.sha256(f"{name}|{span}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    stem = re.sub(r"[^\w .()+,=@~-]", "_", PurePosixPath(name).stem).strip(". ") or "video"
    stem = stem.encode()[:_LONGEST].decode(errors="ignore")
    return Video(path, name, f"{stem}-{digits}", read_stamp(files, place), own)


def _check(videos: list[Video], source: str) -> list[Video]:
    """The videos, if each has a folder of its own."""
    first: dict[str, Video] = {}
    for video in videos:
        if first.setdefault(video.folder, video) is not video:
            raise InputError(f"{source}: {video.name} is in it twice; give each video once, or another span")
    return videos


def _resolve(files: AbstractFileSystem, base: str, path: str) -> str:
    """The path or URL of a manifest in the folder `base`."""
    if "://" in path:
        return path
    return find_address(files, os.path.normpath(os.path.join(base, path)) if is_local(files) else f"{base}/{path}")


class _Row(argparse.ArgumentParser):
    """Raises an InputError where argparse would end the command."""

    def error(self, message: str) -> NoReturn:
        raise InputError(explain_value(message))


def _read_request(row: dict[str, str], request: CommandRequest, where: str) -> CommandRequest:
    """One video's request: that of all, with a row's values."""
    parser = _Row(add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    add_video_options(parser)
    columns = {option.removeprefix("--"): action for action in parser._actions for option in action.option_strings}
    tokens, given = [], {}
    for column, value in row.items():
        name = column.replace("_", "-")
        if name == "path":
            continue
        if name not in columns:
            hints = [did_you_mean(name, ("path", *columns)), f"there are {', '.join(columns)}"]
            raise InputError(f"{where}: there is no column {column!r}; {' '.join(filter(None, hints))}")
        action = columns[name]
        if not value:
            continue
        if action.nargs != 0:
            tokens.append(f"--{name}={value}")
        elif value.lower() in (*_YES, *_NO):
            given[action.dest] = action.const if value.lower() in _YES else not action.const
        else:
            raise InputError(f"{where}: {column} is {value!r}; write true or false")
    try:
        given |= take_calibration(vars(parser.parse_args(tokens)))
        if set(LENS) & set(given):  # a row's camera replaces that for all videos
            request = replace(request, fov=None, intrinsics=None, distortion=None, fisheye=None, lens_size=None)
        return set_fields(request, given)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def take_shard(videos: list[Video], shard: tuple[int, int] | None) -> list[Video]:
    """Every n-th video from the i-th on, for a shard (i, n). Without a shard, it takes all videos."""
    return videos if shard is None else videos[shard[0] - 1 :: shard[1]]
