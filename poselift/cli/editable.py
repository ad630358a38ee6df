"""A result of `poselift lift` for the page's editor."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.recordings import read_motion, read_sidecar
from poselift.recordings.reading import check_video, find_people, require_camera
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D, Motion, see_from_camera


def read_result_for_page(folder: Path, video: Path | None) -> tuple[dict[str, Any], Path]:
    """What the page needs of a result, and its video.

    Args:
        folder: that `poselift lift` wrote.
        video: of the result; None if it is not where it was.

    Raises:
        InputError: the folder has no results that the page can take, or its video is missing or another one.
    """
    paths = find_people(folder)
    if video is None or not video.is_file():
        raise InputError(f"{folder}: its video is not where it was; give it with --video FILE")
    motions, about = [read_motion(path) for path in paths], read_sidecar(paths[0].with_suffix(".json"))
    camera = require_camera(about, paths[0])
    check_video(video, motions[0].keypoints.image_size)
    if camera.lens is not None:
        raise InputError(
            f"{folder} was lifted with a lens that bends the picture, which the editor does not know: straighten the "
            "video itself with the lens's numbers, and lift that"
        )
    for path, motion in zip(paths, motions, strict=True):
        if missing := [joint for joint in COCO17.joints if joint not in motion.keypoints.skeleton.joints]:
            found = motion.keypoints.skeleton.name
            raise InputError(
                f"{path}: its keypoints are {found}, without {missing[0]}; the page corrects those of {COCO17.name}"
            )
    if about.get("video_fps") is not None:
        raise InputError(f"{folder} was lifted with --fps, so its times are not the video's; lift it without")
    if about.get("mirrored") is True:
        raise InputError(
            f"{folder} was lifted with --mirrored, but the editor shows the video as it is: mirror the video itself "
            "(ffmpeg -i IN.mp4 -vf hflip OUT.mp4), and lift that"
        )
    times = np.unique(np.concatenate([motion.timestamps for motion in motions]))
    result = {
        "name": video.name,
        "size": motions[0].keypoints.image_size,
        "start": 0.0,
        "duration": float(times[-1]),
        "times": times.tolist(),
        "settings": {"K": np.median(np.array(about["camera"]["K"]).reshape(-1, 3, 3), axis=0).tolist()},
        "detector": about.get("weights", {}).get("detector"),
        "heights": {
            motion.keypoints.person: motion.height.metres
            for motion in motions
            if motion.height is not None and motion.height.origin == "given"
        },
        "tracks": [_track_with_hands(motion, camera) for motion in motions],
    }
    return result, video


def _track_with_hands(motion: Motion, camera: Camera) -> dict[str, Any]:
    """Somebody's keypoints and hands, for the page."""
    track = track_for_page(_coco_joints(motion.keypoints))
    if motion.hands is not None:
        hands = see_from_camera(motion, camera).hands
        assert hands is not None
        parts = {"pixels": hands.keypoints, "joints": hands.joints}
        track["hands"] = {name: _without_nan(values) for name, values in parts.items()}
        track["hands"]["scores"] = hands.scores.ravel().tolist()
    return track


def _without_nan(values: np.ndarray) -> list[float | None]:
    """The numbers as JSON has them: null for NaN."""
    return [None if np.isnan(value) else float(value) for value in values.ravel()]


def _coco_joints(track: Keypoints2D) -> Keypoints2D:
    """The joints that the page corrects and lifts: without feet."""
    rows = track.skeleton.indices(list(COCO17.joints))
    return replace(track, keypoints=track.keypoints[:, rows], scores=track.scores[:, rows], skeleton=COCO17)


def track_for_page(track: Keypoints2D) -> dict[str, Any]:
    """Somebody's keypoints as the page has them; null in JSON for NaN."""
    width, height = track.image_size
    return {
        "person": track.person,
        "joints": track.skeleton.joints,
        "times": track.timestamps.tolist(),
        "pixels": _without_nan(track.keypoints),
        "scores": np.nan_to_num(track.scores).ravel().tolist(),
        "width": width,
        "height": height,
    }
