"""Many takes of several views. Each has a folder of videos."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from poselift.cli.batch.settings import find_settings
from poselift.cli.lift_request import CommandRequest
from poselift.core.endings import VIDEO_ENDINGS
from poselift.core.errors import InputError, WriteError, make_printable
from poselift.core.files import sha256, write_json
from poselift.core.progress_text import Output
from poselift.core.publishing import find_published
from poselift.core.safe_parsing import read_json
from poselift.recordings.names import CALIBRATION, SUMMARY, is_ours
from poselift.several_views.request import ViewsRequest

RECORDS = "takes.json"
"""Name of the file beside the results that says what each was made from, or why it failed."""

Join = Callable[[Sequence[tuple[Path, None]], Path, ViewsRequest], object]
"""Lifts and joins the videos of one take into a folder."""


def takes_of(arguments: argparse.Namespace) -> dict[str, list[Path]]:
    """The videos of each take of a command line's folder.

    It is empty for the views of one take.

    Raises:
        InputError: there is no take, or an option belongs to one take, or to several.
    """
    folder = arguments.videos[0] if len(arguments.videos) == 1 else None
    chosen = arguments.same_cameras
    if folder is None or not folder.is_dir():
        if chosen is not None:
            raise InputError("--same-cameras is for a folder of takes; give a folder that has a folder for each take")
        return {}
    for option in ("keypoints", "offsets"):
        if getattr(arguments, option):
            raise InputError(f"--{option} belongs to one take, and {folder} is a folder of takes; leave it out")
    if chosen is not None and arguments.calibration:
        raise InputError("--calibration has the cameras already; leave --same-cameras out")
    takes = _find_takes(folder)
    if chosen is not None and chosen not in takes:
        raise InputError(f"--same-cameras {chosen}: there is no such take; there are {', '.join(takes)}")
    if arguments.out is not None and arguments.out.resolve() == folder.resolve():
        raise InputError(f"{arguments.out} is the folder of the takes; choose another --out for the results")
    return takes


def join_takes(
    takes: Mapping[str, Sequence[Path]],
    out: Path,
    request: CommandRequest,
    views: ViewsRequest,
    calibrating: str | None,
    join: Join,
    output: Output,
    same_world: bool = False,
) -> None:
    """Joins the takes that are not done.

    Each gets a folder of its name.

    Args:
        takes: videos by name.
        out: folder of the results.
        request: what to lift and what to write.
        views: how videos become one.
        calibrating: the take whose cameras the other takes have; each finds its own cameras if None. If it fails, the
            next take that does not fail is in its place.
        join: of one take.
        output: for progress and failures.
        same_world: whether all takes lie in the world of the calibrating take.

    Raises:
        SystemExit: with code 3 or 2, some takes or all of them failed.
    """
    records = _read_records(out / RECORDS)
    failed = 0
    order = sorted(takes, key=lambda name: name != calibrating)
    source: str | None = None
    for number, name in enumerate(order, 1):
        own = views
        if source is not None:
            file = out / source / CALIBRATION
            own = replace(views, calibration=(file,), fov=None, intrinsics=None, own_world=same_world)
        record: dict[str, Any] = {"made_from": _made_from(takes[name], request, own)}
        record |= {"cameras_of": source} if source else {}
        if records.get(name) == record and find_published(out / name / SUMMARY).exists():
            output.print(f"take {number} of {len(order)}: {name} was done before")
            source = source or _take_cameras(name, calibrating)
            continue
        output.print(f"take {number} of {len(order)}: {name}")
        if records.pop(name, None) is not None:  # if this process is killed, nobody knows what the results are of
            write_json(out / RECORDS, records)
        try:
            join([(video, None) for video in takes[name]], out / name, own)
        except WriteError:
            raise
        except InputError as error:
            failed += 1
            record["failed"] = str(error)
            print(make_printable(f"failed: {name}: {error}"), file=sys.stderr)
        records[name] = record
        write_json(out / RECORDS, records)
        if "failed" not in record:
            source = source or _take_cameras(name, calibrating)
    output.print(f"{len(order) - failed} of {len(order)} takes are joined, into {out}")
    if failed:
        print(f"{failed} of {len(order)} takes failed; {out / RECORDS} has the reasons", file=sys.stderr)
        raise SystemExit(3 if failed < len(order) else 2)


def _take_cameras(name: str, calibrating: str | None) -> str | None:
    """The take whose cameras the next takes have.

    It is the first one that is joined; None if each finds its own.
    """
    if calibrating not in (None, name):
        text = f"{calibrating} failed, so the takes after {name} have the cameras of {name}"
        print(make_printable(text), file=sys.stderr)
    return None if calibrating is None else name


def _made_from(videos: Sequence[Path], request: CommandRequest, views: ViewsRequest) -> dict[str, Any]:
    """What a take's results depend on, as JSON has it."""
    stamps = [[str(video), video.stat().st_size, round(video.stat().st_mtime, 3)] for video in videos]
    files = [sha256(file) if find_published(file).is_file() else str(file) for file in views.calibration]
    own = {**asdict(views), "calibration": files}
    settings = asdict(find_settings(request))
    found: dict[str, Any] = json.loads(json.dumps({"videos": stamps, "settings": settings, "views": own}))
    return found


def _read_records(path: Path) -> dict[str, Any]:
    """What earlier runs wrote, if it can be used."""
    if not path.is_file():
        return {}
    found = read_json(path, "remove it, and all takes are joined again")
    return found if isinstance(found, dict) else {}


def _find_takes(folder: Path) -> dict[str, list[Path]]:
    """The videos of each take, by the name of its folder.

    They are in the order of their names.

    Args:
        folder: whose folders are the takes; hidden ones, and those without a video but a result's, are none.

    Raises:
        InputError: there is no take.
    """
    found = {}
    for place in sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")):
        videos = sorted(path for path in place.iterdir() if path.name.lower().endswith(VIDEO_ENDINGS))
        made = find_published(place / SUMMARY).exists()  # then overlays are no views
        videos = [path for path in videos if path.is_file() and not (made and is_ours(path.name))]
        if videos := [path for path in videos if not path.name.startswith(".")]:
            found[place.name] = videos
    if not found:
        raise InputError(
            f"{folder} has no folder with videos in it; give the videos of one take, or a folder that has a folder "
            "for each take"
        )
    return found
