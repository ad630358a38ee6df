"""The files that `poselift lift` writes for each person, and its summary."""

import json
import math
import os
import re
from argparse import ArgumentTypeError
from dataclasses import asdict
from pathlib import Path
from typing import Any

from poselift.core.errors import InputError
from poselift.core.files import check_writable, write_json
from poselift.export import write_csv, write_npz, write_sidecar
from poselift.lifting import DetectionStream, LiftedVideo, World
from poselift.models import Weights
from poselift.structures import Motion

OVERLAY = "overlay.mp4"
"""The video with the 2D beside the 3D."""

_SUMMARY = "summary.json"
_FILES = ("npz", "json", "csv")
_OURS = re.compile(r"person_\d+\.(npz|json|csv)|overlay\.mp4")
"""Names of the files that the command writes beside its summary."""


def folder(text: str) -> Path:
    """The folder that an option names.

    Raises:
        ArgumentTypeError: it names none, as where a script's variable is not set.
    """
    if not text:
        raise ArgumentTypeError("'' names no folder")
    return Path(text)


def check_folder(out: Path, source: Path, video: Path | None) -> None:
    """Makes sure, before the long work, that results can be written and that nothing of the user's is lost.

    Args:
        out: the folder.
        source: what is lifted, a video or keypoints.
        video: what is drawn on, where it is something else.

    Raises:
        InputError: the folder cannot be written to, what is lifted would be overwritten, or the folder holds the
            results of something else, or a file with a name of ours that no summary of ours accounts for.
    """
    check_writable(out)
    place = _real(out)
    for given in (source, video or source):
        # As a link, and what it points to: either would be replaced.
        names = (_real(given), _real(given.parent) / given.name)
        if any(name == place or (name.parent == place and _is_ours(name.name)) for name in names):
            raise InputError(f"{given} would be overwritten by the new results; choose another --out")
    earlier = _earlier_summary(out)
    if earlier and _real(Path(earlier["path"])) != _real(source):
        raise InputError(
            f"{out} holds results of something else, {earlier['path']}; choose another --out, or remove the results"
        )
    accounted = [_SUMMARY, *earlier["files"]] if earlier else []
    for path in sorted(out.glob("*")):
        if _is_ours(path.name) and path.name not in accounted:
            raise InputError(
                f"{path} is not known to come from an earlier run and could be overwritten; move it, or choose "
                "another --out"
            )


def person_files(motion: Motion) -> list[str]:
    """Names of the files that `write_person` writes."""
    return [f"person_{motion.keypoints.person}.{suffix}" for suffix in _FILES]


def write_person(
    out: Path,
    motion: Motion,
    lifted: LiftedVideo,
    weights: Weights,
    stream: DetectionStream,
    origin: dict[str, str],
    world: World | None = None,
) -> None:
    """Writes one person's files.

    Args:
        out: the folder.
        motion: the person's.
        lifted: the clip that it is from.
        weights: the lifter.
        stream: who found the keypoints.
        origin: names of the "video" and the "keypoints_file", of what there is.
        world: that the motion is in; None for the camera frame.
    """
    stem = f"person_{motion.keypoints.person}"
    write_npz(out / f"{stem}.npz", motion)
    write_csv(out / f"{stem}.csv", motion)
    camera = lifted.camera
    height = lifted.heights.get(motion.keypoints.person)
    pose = {} if world is None else _camera_pose(world)
    write_sidecar(
        out / f"{stem}.json",
        motion,
        camera={
            "K": camera.K.tolist(),
            "image_size": list(camera.image_size),
            "field_of_view": camera.source,
            "fov_degrees": round(camera.fov, 3),
            **pose,
        },
        weights=_weights(weights, stream),
        extra=origin if height is None else {**origin, "height": asdict(height)},
    )


def _camera_pose(world: World) -> dict[str, Any]:
    """What takes the camera frame to the world, and how sure it is of which way is up."""
    return {"R": world.R, "t": world.t, "up_uncertainty_degrees": round(math.degrees(world.uncertainty), 2)}


def write_summary(
    out: Path,
    lifted: LiftedVideo,
    seconds: dict[str, float],
    files: list[str],
    weights: Weights,
    stream: DetectionStream,
    origin: dict[str, str],
) -> None:
    """Writes summary.json, and takes away the files that an earlier summary in the same folder names and this does not.

    Args:
        out: the folder.
        lifted: what became of the clip.
        seconds: spent in each stage.
        files: names of those that the run writes.
        weights: the lifter.
        stream: who found the keypoints.
        origin: as for `write_person`.
    """
    # Before the new summary is there: it does not name them, and if the run were stopped here they would be nobody's.
    for name in _earlier_summary(out).get("files", []):
        if name not in files and isinstance(name, str) and _OURS.fullmatch(name):
            (out / name).unlink(missing_ok=True)
    width, height = stream.image_size
    people = [
        {
            "id": motion.keypoints.person,
            "start_s": round(float(motion.timestamps[0]), 4),
            "end_s": round(float(motion.timestamps[-1]), 4),
            "frames": len(motion),
            "frames_interpolated": int(motion.interpolated.sum()),
            "frames_empty": int((motion.joints != motion.joints).any(-1).any(-1).sum()),
        }
        for motion in lifted.motions
    ]
    write_json(
        out / _SUMMARY,
        {
            **origin,
            "path": str(stream.path.absolute()),
            "width": width,
            "height": height,
            "fps": round(lifted.fps, 3) if lifted.fps else None,
            "frames": lifted.frames,
            "start_s": round(lifted.span[0], 4),
            "end_s": round(lifted.span[1], 4),
            "people": people,
            "seconds": {stage: round(value, 3) for stage, value in seconds.items()},
            "warnings": lifted.warnings,
            "weights": _weights(weights, stream),
            "files": files,
        },
    )


def _weights(weights: Weights, stream: DetectionStream) -> dict[str, Any]:
    # The sum is the safetensors file's; the other two, in the JSON beside it, change what the same lifter gives.
    lifter = {"sha256": weights.sha256, "window": weights.window, "uncertainty_factor": weights.uncertainty_factor}
    return {
        "lifter": {"name": weights.name, **lifter},
        "detector": {"name": stream.name, "sha256": stream.weights},
    }


def _real(path: Path) -> Path:
    """The path without links and dots; `Path.resolve` raises where links go round in circles."""
    return Path(os.path.realpath(path))


def _is_ours(name: str) -> bool:
    """Whether the command may write a file of that name."""
    return name == _SUMMARY or _OURS.fullmatch(name) is not None


def _earlier_summary(out: Path) -> dict[str, Any]:
    """What an earlier run wrote in the folder; empty where there is none that is ours."""
    try:
        summary = json.loads((out / _SUMMARY).read_text(encoding="utf-8"))
        kinds = {"path": str, "people": list, "weights": dict, "files": list}
        ours = all(isinstance(summary[key], kind) for key, kind in kinds.items())
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return summary if ours else {}
