"""What commands read of the results of `poselift lift`: people, start, camera and video."""

import argparse
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from poselift.cli.values import local_path
from poselift.core.bounded import read_json
from poselift.core.errors import InputError
from poselift.core.times import check_rate
from poselift.export import read_motion, read_sidecar
from poselift.export.motion_reading import is_person
from poselift.export.sidecar_camera import camera_of
from poselift.geometry.camera import Camera
from poselift.structures import Motion
from poselift.video import VideoReader


def find_people(folder: Path) -> list[Path]:
    """The npz files of a folder that `poselift lift` wrote, by the people's numbers.

    Raises:
        InputError: it is no folder, or has nobody.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give one that `poselift lift` wrote")
    found = sorted((path for path in folder.iterdir() if is_person(path)), key=lambda path: (len(path.name), path.name))
    if not found:
        raise InputError(f"{folder} has no person_*.npz; give a folder in which `poselift lift` found somebody")
    return found


def add_motions_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the motions that a command reads; see `find_motions`."""
    parser.add_argument(
        "motions", type=local_path, nargs="+", metavar="NPZ|DIR", help="motions of poselift lift, or its folder"
    )


def find_motions(given: Iterable[Path]) -> list[Path]:
    """The motions that a command line names; a folder of `poselift lift` stands for the people in it.

    Raises:
        InputError: a folder has nobody.
    """
    return [path for each in given for path in (find_people(each) if each.is_dir() else [each])]


def read_posed(paths: Iterable[Path]) -> dict[Path, Motion]:
    """The motions that have a pose, by their files; prints the files of the others.

    Raises:
        InputError: a file cannot be read, or no motion has a pose.
    """
    motions = {path: read_motion(path) for path in paths}
    posed = {path: motion for path, motion in motions.items() if motion.posed.any()}
    if not posed:
        raise InputError(f"{', '.join(map(str, motions))}: no frame has a pose; choose another person")
    for path in (path for path in motions if path not in posed):
        print(f"{path} is left out: no frame has a pose")
    return posed


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


def require_camera(about: Mapping[str, Any], npz: Path) -> Camera:
    """The camera in the sidecar of a motion.

    Raises:
        InputError: it is missing or damaged.
    """
    sidecar = npz.with_suffix(".json")
    camera = camera_of(about, sidecar)
    if camera is None:
        raise InputError(f"{sidecar}: the camera's K or image_size is missing; lift again")
    return camera


def read_video_rate(about: Mapping[str, Any], npz: Path) -> float | None:
    """True frames per second of the video by a sidecar; None if those of its time stamps are true.

    Raises:
        InputError: it is no frame rate.
    """
    rate = about.get("video_fps")
    return None if rate is None else check_rate(rate, f"{npz.with_suffix('.json')}: video_fps")


def find_video(folder: Path) -> Path | None:
    """The video of the results: where it was, or beside the folder by its name; None if it is not there."""
    summary = read_summary(folder)
    name = summary.get("video")
    if not isinstance(name, str) or not name:
        return None
    path = Path(str(summary.get("path", name)))
    # With keypoints, the path is theirs.
    name = Path(name).name
    try:
        places = [path.with_name(name), folder / name, folder.absolute().with_name(name)]
    except ValueError:  # it is no name of a file
        return None
    return next((place for place in places if place.is_file()), None)


def check_video(video: Path, size: Sequence[float | int], scaled: bool = False) -> None:
    """Checks that a video can be that of a result.

    Args:
        video: the video.
        size: (width, height) of the result's pictures.
        scaled: whether a copy of another size will do: the aspect ratio may differ by 1 %.

    Raises:
        InputError: it cannot be read, or its pictures have another size, or aspect ratio if `scaled`.
    """
    info = VideoReader(video).info
    same_shape = math.isclose(info.width * size[1], info.height * size[0], rel_tol=0.01)
    if (info.width, info.height) != tuple(size) and not (scaled and same_shape):
        wanted = "x".join(map(str, size))
        raise InputError(
            f"{video} has pictures of {info.width}x{info.height}, not {wanted}; give the video that was lifted"
        )


def read_summary(folder: Path) -> dict[str, Any]:
    """The content of summary.json; empty if it is not there or not readable."""
    try:
        content = read_json(folder / "summary.json")
    except InputError:
        return {}
    return content if isinstance(content, dict) else {}
