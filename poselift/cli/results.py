"""The result files of `poselift lift`: three for each person, the overlay and the summary."""

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poselift.cli.formats import PAGE_FILES, plan_files
from poselift.core.bounded import read_json
from poselift.core.errors import InputError
from poselift.core.files import check_writable, write_json
from poselift.export import write_csv, write_npz, write_sidecar
from poselift.export.export_formats import FORMATS
from poselift.export.sidecar import FORMAT_VERSION
from poselift.export.zero import count_from_zero
from poselift.finding import Clip
from poselift.lifting import LiftedClip, World
from poselift.lifting.clips.clip_warnings import seen_share
from poselift.lifting.network.choose import network_name
from poselift.models import Weights
from poselift.structures import Motion

OVERLAY = "overlay.mp4"
"""Name of the video with 2D and 3D side by side."""

SUMMARY = "summary.json"
"""Name of the file that is written last: where it is, the results are complete."""
RECORD = "batch.json"
"""Name of the file in each folder of `poselift batch` that says what it was made from; it is written last."""
UNFINISHED = ".poselift_unfinished"
"""Name of the folder, in the folder of the results, that a run writes to before its results are complete."""

_FILES = ("npz", "json", "csv")
_ENDINGS = {*(f".{suffix}" for suffix in _FILES), *(form.ending for form in FORMATS.values())}
_OURS = re.compile(
    rf"person_\d+({'|'.join(map(re.escape, sorted(_ENDINGS)))})|{'|'.join(map(re.escape, (OVERLAY, *PAGE_FILES)))}"
)
"""Names of the files beside the summary."""


def check_folder(out: Path, path: Path, video: Path | None, formats: Sequence[str] = ()) -> None:
    """Checks, before the long work, that results can be written without overwriting the user's files.

    Args:
        out: the folder.
        path: the input file, a video or keypoints.
        video: the video of the keypoints, if given.
        formats: names of the formats to write.

    Raises:
        InputError: the folder is not writable, holds results of another input or files that no earlier run wrote, or
            the input itself would be overwritten.
    """
    check_writable(out)
    place = _resolve(out)
    for given in (path, video or path):
        # A link and its target: writing would replace either.
        names = (_resolve(given), _resolve(given.parent) / given.name)
        if any(name == place or (name.parent == place and is_ours(name.name)) for name in names):
            raise InputError(f"{given} would be overwritten by the new results; choose another --out")
    if (out / RECORD).exists():
        raise InputError(
            f"{out} belongs to a batch, which would take the new results for its own; choose another --out"
        )
    # The results of a run that was killed while it moved them are in two places.
    earlier = read_earlier_summary(out) or read_earlier_summary(out / UNFINISHED)
    if earlier and _resolve(Path(earlier["path"])) != _resolve(path):
        raise InputError(
            f"{out} holds the results of another input, {earlier['path']}; choose another --out, or remove the results"
        )
    accounted = [SUMMARY, *earlier["files"]] if earlier else []
    for there in sorted(out.glob("*")):
        # Files of `poselift export` may stay, unless this run writes their format.
        stem = there.name.split(".")[0]
        written = (SUMMARY, OVERLAY, *(f"{stem}.{suffix}" for suffix in _FILES), *plan_files(formats, stem))
        if is_ours(there.name) and there.name in written and there.name not in accounted:
            raise InputError(
                f"{there} does not come from an earlier run and could be overwritten; move it, or choose another --out"
            )


@dataclass(frozen=True)
class Results:
    """Writes the result files of one clip.

    Attributes:
        out: the folder.
        clip: the input.
        weights: the lifter.
        video: the input, or the video of the keypoints; None for keypoints alone.
        csv: whether each person gets a CSV.
    """

    out: Path
    clip: Clip
    weights: Weights
    video: Path | None
    csv: bool = True

    def write_person(
        self, motion: Motion, lifted: LiftedClip, world: World | None, filters: Sequence[dict[str, Any]] = ()
    ) -> list[str]:
        """Writes one person's files; returns their names.

        Args:
            motion: the person's motion.
            lifted: the camera.
            world: the pose of the world frame; None for a motion in the camera frame.
            filters: what the motion went through.
        """
        stem, start = f"person_{motion.keypoints.person}", lifted.span[0]
        write_npz(self.out / f"{stem}.npz", motion)
        if self.csv:
            write_csv(self.out / f"{stem}.csv", count_from_zero([motion], start)[0])
        camera: dict[str, Any] = {
            "K": lifted.camera.K.tolist(),
            "image_size": list(lifted.camera.image_size),
            "field_of_view": lifted.camera.origin,
            "fov_degrees": round(lifted.camera.fov, 3),
        }
        if world is not None:
            camera |= {"R": world.R, "t": world.t}
            camera["up_uncertainty_degrees"] = round(math.degrees(world.uncertainty), 2)
        write_sidecar(
            self.out / f"{stem}.json",
            motion,
            camera=camera,
            weights=self._describe_weights(),
            extra={**self._describe_inputs(), "start_s": start, **({"filters": filters} if filters else {})},
        )
        return [f"{stem}.{suffix}" for suffix in _FILES if self.csv or suffix != "csv"]

    def write_summary(self, lifted: LiftedClip, seconds: dict[str, float], files: list[str]) -> None:
        """Writes summary.json.

        Args:
            lifted: the motions, camera and warnings.
            seconds: time of each stage.
            files: names of the files beside it.
        """
        width, height = self.clip.image_size
        write_json(
            self.out / SUMMARY,
            {
                "format_version": FORMAT_VERSION,
                **self._describe_inputs(),
                "path": str(self.clip.path.absolute()),
                "width": width,
                "height": height,
                "fps": round(lifted.fps, 3) if lifted.fps else None,
                "frames": lifted.frames,
                "start_s": round(lifted.span[0], 4),
                "end_s": round(lifted.span[1], 4),
                "people": [_describe_person(motion, lifted.frames) for motion in lifted.motions],
                "seconds": {stage: round(value, 3) for stage, value in seconds.items()},
                "warnings": lifted.warnings,
                "weights": self._describe_weights(),
                "network": network_name(self.weights),
                "files": files,
            },
        )

    def _describe_inputs(self) -> dict[str, Any]:
        """The input files' names, and the true rate of a video whose time stamps have another."""
        keypoints = None if self.clip.path == self.video else self.clip.path.name
        video = None if self.video is None else self.video.name
        known = {"keypoints_file": keypoints, "video": video, "video_fps": self.clip.video_fps}
        return {key: value for key, value in known.items() if value is not None}

    def _describe_weights(self) -> dict[str, Any]:
        """What tells lifter and detector from others; window and factor are not part of the checksum."""
        lifter = {
            "name": self.weights.name,
            "sha256": self.weights.sha256,
            "window": self.weights.window,
            "uncertainty_factor": self.weights.uncertainty_factor,
        }
        return {"lifter": lifter, "detector": {"name": self.clip.detector_name, "sha256": self.clip.detector_weights}}


def _describe_person(motion: Motion, frames: int) -> dict[str, Any]:
    """A person's entry in the summary of a clip with this many frames."""
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
    """The mean uncertainty of all joints but the root, metres; None without any."""
    if motion.uncertainty is None:
        return None
    radii = motion.uncertainty[motion.uncertainty > 0]
    return round(float(radii.mean()), 4) if len(radii) else None


def _resolve(path: Path) -> Path:
    """The path without links and dots; `Path.resolve` raises for circular links."""
    return Path(os.path.realpath(path))


def is_ours(name: str) -> bool:
    """Whether the command writes files with this name."""
    return name == SUMMARY or _OURS.fullmatch(name) is not None


def read_earlier_summary(out: Path) -> dict[str, Any]:
    """The summary of an earlier run in a folder; empty if there is none."""
    try:
        summary = read_json(out / SUMMARY)
        kinds = {"path": str, "people": list, "weights": dict, "files": list}
        ours = all(isinstance(summary[key], kind) for key, kind in kinds.items())
    except (InputError, KeyError, TypeError):
        return {}
    return summary if ours else {}
