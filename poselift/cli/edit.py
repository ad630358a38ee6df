"""`poselift edit`: opens a result of `poselift lift` in the browser, to correct its keypoints by hand."""

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from poselift.cli.paths import local_path
from poselift.cli.view import video_of
from poselift.cli.web import add_site_options, serve_site
from poselift.core.errors import InputError
from poselift.export import read_motion, read_sidecar
from poselift.export.motion_reading import is_person
from poselift.export.sidecar_camera import camera_of
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from poselift.viz.site import write_site


def add_command(commands: Any) -> None:
    """Adds `edit` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "edit",
        description="Opens a result of `poselift lift` in the page of `poselift web`, which lists the frames to look "
        "at first. Drag, hide or swap keypoints; the motion follows at once. The page saves a zip; unpack it, and "
        "`poselift lift --keypoints` reads the folder.",
    )
    parser.add_argument("results", type=local_path, metavar="DIR", help="folder that `poselift lift` wrote")
    parser.add_argument("--video", type=local_path, metavar="FILE", help="the video, if it is elsewhere by now")
    add_site_options(parser, 0, "a free one")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Serves the page with the result until Ctrl-C.

    Raises:
        InputError: the folder has no results that the page can take, its video is missing, or the port is taken.
    """
    with tempfile.TemporaryDirectory() as name:
        site = Path(name) / "site"
        about = result_for_page(options.results, options.video)
        write_site(site, options.ort, options.offline)
        add_result(site, *about)
        serve_site(site, options.port, options.open, "/?edit")


def result_for_page(folder: Path, video: Path | None = None) -> tuple[dict[str, Any], Path]:
    """What the page needs of a result, and its video.

    Args:
        folder: that `poselift lift` wrote.
        video: of the result; None for the one that the result names.

    Raises:
        InputError: the folder has no results that the page can take, or its video is missing.
    """
    paths = sorted(path for path in folder.glob("person_*.npz") if is_person(path))
    if not paths:
        raise InputError(f"{folder} has no person_*.npz; give a folder in which `poselift lift` found somebody")
    video = video or video_of(folder)
    if video is None or not video.is_file():
        raise InputError(f"{folder}: its video is not where it was; give it with --video FILE")
    motions, about = [read_motion(path) for path in paths], read_sidecar(paths[0].with_suffix(".json"))
    camera = camera_of(about, paths[0].with_suffix(".json"))
    for path, motion in zip(paths, motions, strict=True):
        if motion.keypoints.skeleton != COCO17:
            found = motion.keypoints.skeleton.name
            raise InputError(f"{path}: its keypoints are {found}; the page corrects {COCO17.name}, such as MoveNet's")
    if camera is None:
        raise InputError(f"{paths[0].with_suffix('.json')}: the camera's K or image_size is missing; lift again")
    if about.get("video_fps") is not None:
        raise InputError(f"{folder} was lifted with --fps, so its times are not the video's; lift it without")
    times = np.unique(np.concatenate([motion.timestamps for motion in motions]))
    result = {
        "name": video.name,
        "size": motions[0].keypoints.image_size,
        "start": 0.0,
        "duration": float(times[-1]),
        "times": times.tolist(),
        "settings": {"K": about["camera"]["K"]},
        "detector": about.get("weights", {}).get("detector"),
        "heights": {
            motion.keypoints.person: motion.height.metres
            for motion in motions
            if motion.height is not None and motion.height.origin == "given"
        },
        "tracks": [_track(motion.keypoints) for motion in motions],
    }
    return result, video


def _track(track: Keypoints2D) -> dict[str, Any]:
    """Somebody's keypoints as JSON has them: null for NaN."""
    width, height = track.image_size
    pixels = [None if np.isnan(value) else round(float(value), 3) for value in track.keypoints.ravel()]
    return {
        "person": track.person,
        "joints": track.skeleton.joints,
        "times": track.timestamps.tolist(),
        "pixels": pixels,
        "scores": np.nan_to_num(track.scores).ravel().tolist(),
        "width": width,
        "height": height,
    }


def add_result(site: Path, result: dict[str, Any], video: Path) -> None:
    """Puts a result beside the page."""
    (site / "edit.json").write_text(json.dumps(result), "utf-8")
    try:
        (site / "edit.video").symlink_to(video.resolve())  # a copy of hours of video would fill the disk
    except OSError:  # a system without links
        shutil.copy(video, site / "edit.video")
