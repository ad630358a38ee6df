"""Reads results of `poselift lift`: recordings, people, start, camera, video."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.core.progress_text import show
from poselift.core.publishing import find_published, list_published, read_whole
from poselift.core.safe_parsing import read_json, real_number
from poselift.geometry.camera import Camera
from poselift.numerics.times import check_rate, median_interval
from poselift.recordings.camera_json import cameras_from_json
from poselift.recordings.motion_files import read_motion
from poselift.recordings.motion_json import read_sidecar
from poselift.recordings.names import CALIBRATION_REPORT, SUMMARY, is_person
from poselift.recordings.summary import read_summary
from poselift.structures import Clock, Motion, Origin, Recording
from poselift.video import VideoReader


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """The recording in a result folder, or of one person's npz.

    Raises:
        InputError: there is no such folder or file, it has nobody, or a file is missing or damaged.
    """
    place = Path(path)
    found = find_people(place) if place.is_dir() else [place]
    files = [found[0].parent / SUMMARY, *(path.with_suffix(end) for path in found for end in (".npz", ".json"))]
    return read_whole(files, lambda: _read(find_people(place) if place.is_dir() else [place]))


def _read(found: Sequence[Path]) -> Recording:
    motions = tuple(read_motion(npz) for npz in found)
    about = read_sidecar(found[0].with_suffix(".json"))
    summary = read_summary(found[0].parent)
    cameras = cameras_from_json(about, found[0].with_suffix(".json"))
    return Recording(
        motions,
        cameras,
        _read_clock(motions, summary, about, found),
        _read_origin(about, summary),
        _read_warnings(summary),
        {},
        _read_up(about),
    )


def _read_clock(
    motions: Sequence[Motion], summary: Mapping[str, Any], about: Mapping[str, Any], found: Sequence[Path]
) -> Clock:
    """The summary's clock, or the people's where it is missing."""
    first, last = (pick(motion.timestamps[end] for motion in motions) for pick, end in ((min, 0), (max, -1)))
    start = find_start(found)
    ends = summary.get("end_s")
    end = float(ends) if isinstance(ends, int | float) and not isinstance(ends, bool) else float(last)
    frames = summary.get("frames")
    longest = max(motions, key=len)
    interval = median_interval(longest.timestamps)
    return Clock(
        1 / interval if interval else None,
        frames if isinstance(frames, int) and not isinstance(frames, bool) else len(longest),
        (float(first) if start is None else start, max(end, float(last))),
        read_video_rate(about, found[0]),
    )


def _read_origin(about: Mapping[str, Any], summary: Mapping[str, Any]) -> Origin:
    """The input that the files name, without damaged entries."""
    weights = about.get("weights")
    lifter, detector = (
        part if isinstance(weights, Mapping) and isinstance(part := weights.get(name), Mapping) else {}
        for name in ("lifter", "detector")
    )
    given, video = summary.get("path"), about.get("video")
    path = Path(given) if isinstance(given, str) and given else None
    seen = None
    if isinstance(video, str) and video:
        seen = path if path is not None and path.name == video else Path(video)
    hashes = detector.get("sha256")
    return Origin(
        path,
        seen,
        str(detector.get("name", "")),
        dict(hashes) if isinstance(hashes, Mapping) else {},
        dict(lifter),
        str(summary.get("network", "")),
        about.get("mirrored") is True,
    )


def _read_warnings(summary: Mapping[str, Any]) -> tuple[Caution, ...]:
    """The warnings of the summary, whose kinds are not in it."""
    lines = summary.get("warnings")
    return tuple(Caution(line, "input") for line in lines if isinstance(line, str)) if isinstance(lines, list) else ()


def _read_up(about: Mapping[str, Any]) -> float | None:
    camera = about.get("camera")
    degrees = camera.get("up_uncertainty_degrees") if isinstance(camera, Mapping) else None
    number = isinstance(degrees, int | float) and not isinstance(degrees, bool) and math.isfinite(degrees)
    return math.radians(degrees) if number and degrees is not None else None


def find_people(folder: Path) -> list[Path]:
    """The npz files of a result folder, by the people's numbers.

    Raises:
        InputError: it is no folder, or has nobody.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give one that `poselift lift` wrote")
    found = sorted(filter(is_person, list_published(folder)), key=lambda path: (len(path.name), path.name))
    if not found:
        raise InputError(f"{folder} has no person_*.npz; give a folder in which `poselift lift` found somebody")
    return found


def has_people(folder: Path) -> bool:
    """Whether a folder has files of people."""
    return any(map(is_person, list_published(folder)))


def find_results(folder: Path) -> list[Path]:
    """The folders with people in a folder, sorted. Hidden ones have what a run has not ended."""
    inner = (path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    return sorted(path for path in inner if has_people(path))


def find_motions(given: Iterable[Path]) -> list[Path]:
    """The motions that a command line names.

    A folder of `poselift lift` stands for the people in it.

    Raises:
        InputError: a folder has nobody.
    """
    return [path for each in given for path in (find_people(each) if each.is_dir() else [each])]


def find_all_motions(given: Iterable[Path]) -> list[Path]:
    """The motions that a command line names, batches included.

    A folder of `poselift batch` stands for the people of all its results.

    Raises:
        InputError: a folder has nobody.
    """
    folders: list[Path] = []
    for each in given:
        inner = find_results(each) if each.is_dir() and not has_people(each) else []
        folders += inner or [each]
    return find_motions(folders)


def read_posed(paths: Iterable[Path]) -> dict[Path, Recording]:
    """The recordings with a pose, by file; prints the other files.

    Raises:
        InputError: a file cannot be read, or no motion has a pose.
    """
    motions = {path: read_recording(path) for path in paths}
    posed = {path: found for path, found in motions.items() if found.people[0].posed.any()}
    if not posed:
        raise InputError(f"{', '.join(map(str, motions))}: no frame has a pose; choose another person")
    for path in (path for path in motions if path not in posed):
        show(f"{path} is left out: no frame has a pose")
    return posed


def find_start(people: Iterable[Path]) -> float | None:
    """Start of the run, or of the first of several, seconds.

    None if no sidecar has it.

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
    cameras = cameras_from_json(about, sidecar)
    if not cameras:
        raise InputError(f"{sidecar}: the camera's K or image_size is missing; lift again")
    return cameras[0]


def read_video_rate(about: Mapping[str, Any], npz: Path) -> float | None:
    """The video's true rate by a sidecar, frames per second.

    None if that of its time stamps is true.

    Raises:
        InputError: it is no frame rate.
    """
    rate = about.get("video_fps")
    return None if rate is None else check_rate(rate, f"{npz.with_suffix('.json')}: video_fps")


def find_video(folder: Path) -> Path | None:
    """The video of the results, or None. It is where it was, or beside the folder by its name."""
    summary = read_summary(folder)
    name = summary.get("video")
    if not isinstance(name, str) or not name:
        return None
    # With keypoints, the path is theirs.
    return _find_file(folder, Path(str(summary.get("path", name))), Path(name).name)


def find_view_videos(folder: Path) -> list[tuple[Path | None, float, float]]:
    """Video, offset (seconds) and drift of each view of a result.

    It is empty for a result of a single video. A time x of the video is (1 + drift) x + offset of the result. A video
    that is neither where it was nor beside the folder is None.
    """
    file = folder / CALIBRATION_REPORT
    if not find_published(file).is_file():
        return []
    report = read_json(file, "calibration.json of poselift multiview")
    clocks = report.get("clocks") if isinstance(report, dict) else None
    found: list[tuple[Path | None, float, float]] = []
    for clock in clocks if isinstance(clocks, list) else []:
        about = clock if isinstance(clock, dict) else {}
        path = Path(str(about.get("path", "")))
        offset, drift = (real_number(about.get(key)) for key in ("offset_s", "drift"))
        if not path.name or offset is None or drift is None or not math.isfinite(offset) or not abs(drift) < 0.5:
            found.append((None, 0.0, 0.0))
        else:
            found.append((_find_file(folder, path, path.name), offset, drift))
    return found


def _find_file(folder: Path, path: Path, name: str) -> Path | None:
    """A file where it was, or by its name near the folder. The folder itself and the one around it are searched."""
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
