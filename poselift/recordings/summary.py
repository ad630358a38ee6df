"""summary.json: the people of a run, its input, times and warnings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.files import write_json
from poselift.core.safe_parsing import read_json
from poselift.recordings.motion_json import FORMAT_VERSION
from poselift.recordings.names import SUMMARY
from poselift.structures import Keypoints2D, Motion, Recording


def write_summary(folder: Path, recording: Recording, files: Sequence[str]) -> None:
    """Writes summary.json.

    Args:
        folder: of the result.
        recording: people, clock, warnings.
        files: names of the files beside it.
    """
    clock, origin = recording.clock, recording.origin
    width, height = recording.cameras[0].image_size
    write_json(
        folder / SUMMARY,
        {
            "format_version": FORMAT_VERSION,
            **describe_inputs(recording),
            "path": "" if origin.path is None else str(origin.path.absolute()),
            "width": width,
            "height": height,
            "fps": round(clock.fps, 3) if clock.fps else None,
            "frames": clock.frames,
            "start_s": round(clock.span[0], 4),
            "end_s": round(clock.span[1], 4),
            **({"camera": dict(recording.camera_report)} if recording.camera_report else {}),
            "people": [_describe_person(motion, clock.frames) for motion in recording.people],
            "seconds": {stage: round(value, 3) for stage, value in recording.seconds.items()},
            "warnings": list(recording.warnings),
            "weights": describe_weights(recording),
            "network": origin.network,
            "files": list(files),
        },
    )


def describe_inputs(recording: Recording) -> dict[str, Any]:
    """The input files' names and the video's corrections.

    A true rate if the time stamps have another, and whether it is mirrored.
    """
    origin = recording.origin
    keypoints = None if origin.path is None or origin.path == origin.video else origin.path.name
    video = None if origin.video is None else origin.video.name
    known: dict[str, Any] = {"keypoints_file": keypoints, "video": video, "video_fps": recording.clock.video_fps}
    known["mirrored"] = origin.mirrored or None
    return {key: value for key, value in known.items() if value is not None}


def describe_weights(recording: Recording) -> dict[str, Any]:
    """What tells lifter and detector from others."""
    origin = recording.origin
    detector = {"name": origin.detector, "sha256": dict(origin.detector_weights)}
    return {"lifter": dict(origin.lifter), "detector": detector}


def _describe_person(motion: Motion, frames: int) -> dict[str, Any]:
    """A person's entry in the summary of a clip."""
    return {
        "id": motion.keypoints.person,
        "start_s": round(float(motion.timestamps[0]), 4),
        "end_s": round(float(motion.timestamps[-1]), 4),
        "seen_share": round(seen_share(motion.keypoints, frames), 3),
        "frames": len(motion),
        "frames_interpolated": int(motion.interpolated.sum()),
        "frames_empty": int(np.isnan(motion.joints).any((1, 2)).sum()),
        "uncertainty_m": _mean_uncertainty(motion),
    }


def _mean_uncertainty(motion: Motion) -> float | None:
    """Mean uncertainty of all joints but the root, metres, or None."""
    if motion.uncertainty is None:
        return None
    uncertainty = motion.uncertainty[motion.uncertainty > 0]
    return round(float(uncertainty.mean()), 4) if len(uncertainty) else None


def seen_share(keypoints: Keypoints2D, frames: int) -> float:
    """Share of a clip's frames with a person, 0 to 1.

    Frames between two detections count.

    Args:
        keypoints: of the person.
        frames: of the clip.
    """
    return float(keypoints.bridge().seen.sum()) / frames


def read_summary(folder: Path) -> dict[str, Any]:
    """The content of summary.json; empty if absent or unreadable."""
    try:
        content = read_json(folder / SUMMARY)
    except InputError:
        return {}
    return content if isinstance(content, dict) else {}


def read_earlier_summary(out: Path) -> dict[str, Any]:
    """The summary of an earlier run here; empty without one."""
    summary = read_summary(out)
    kinds: Mapping[str, type] = {"path": str, "people": list, "weights": dict, "files": list}
    ours = all(isinstance(summary.get(key), kind) for key, kind in kinds.items())
    return summary if ours else {}
