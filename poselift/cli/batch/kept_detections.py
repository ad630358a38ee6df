"""Detections kept in a file.

A video is lifted again, with other weights or options, without looking at its pictures.

The file is a compressed npz without pickled objects:

| array | dtype, shape | meaning |
|---|---|---|
| `facts` | text | JSON: picture size, span, field of view, skeleton, detector, warnings, key of the detections |
| `timestamps` | float64 (t,) | seconds, of each frame |
| `people` | int32 (t,) | number of people in each frame; -1 where no detector looked |
| `boxes` | (n, 4) | pixels, of all people in the order of the frames |
| `box_scores` | (n,) | 0 to 1 |
| `keypoints` | (n, j, 2) | pixels; NaN for undetected joints |
| `scores` | (n, j) | 0 to 1 |
"""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.camera_path.found_camera import CameraMode, FoundCamera, find_camera
from poselift.core.caution import Caution
from poselift.core.errors import InputError, reason
from poselift.core.files import atomic_path
from poselift.core.npz import npz_arrays
from poselift.core.safe_parsing import parse_json
from poselift.core.stopwatch import Stopwatch
from poselift.detection import Detector
from poselift.finding.qualities import DEFAULT_QUALITY
from poselift.finding.video_clip import ReadShare, VideoClip
from poselift.geometry.camera import Camera
from poselift.recordings.motion_json import skeleton_from_json, skeleton_to_json
from poselift.skeleton import Skeleton
from poselift.structures import Detections, Hands, Keypoints2D
from poselift.tracking import Tracker
from poselift.video import Frame, VideoReader

DETECTION_VERSION = 4
"""Raised when the same detector gives other people, because places are looked at or poses are merged in another way."""
_FIELDS = ("boxes", "box_scores", "keypoints", "scores")


class KeepingClip(VideoClip):
    """A video that saves its detections when complete; see `VideoClip`.

    Args:
        path: the video.
        detector: finds people and their keypoints.
        kept: the file to write.
        key: stands for the content of the video and all settings of the detection.
        start: first second of the span; the beginning if None.
        end: end of the span in seconds, exclusive; the end of the video if None.
        quality: how often the detector looks.
        fps: true frames per second, for slow motion; see `VideoClip`.
        mirrored: whether the video shows a mirror image.
    """

    def __init__(
        self,
        path: Path,
        detector: Detector,
        kept: Path,
        key: str,
        start: float | None = None,
        end: float | None = None,
        quality: str = DEFAULT_QUALITY,
        fps: float | None = None,
        mirrored: bool = False,
    ) -> None:
        super().__init__(path, detector, start, end, quality, fps, mirrored)
        self._kept, self._key = kept, key

    def people(
        self, watch: Stopwatch | None = None, progress: ReadShare | None = None
    ) -> Iterator[tuple[Detections | None, float]]:
        """The people in each frame."""
        detected = []
        for frame in super().people(watch, progress):
            detected.append(frame)
            yield frame
        facts = {
            "key": self._key,
            "image_size": self.image_size,
            "fps": self.fps,
            "video_fps": self.video_fps,
            "mirrored": self.mirrored,
            "duration": self.duration,
            "span": [self.span[0], None if math.isinf(self.span[1]) else self.span[1]],
            "skeleton": skeleton_to_json(self._detector.skeleton),
            "fov": self.fov,
            "detector": self.detector_name,
            "weights": self.detector_weights,
            "warnings": self.warnings,
            "warning_kinds": [warning.kind for warning in self.warnings],
        }
        counts = [-1 if people is None else len(people) for people, _ in detected]
        # Empty frames are left out, because their arrays may have another dtype.
        seen = [people for people, _ in detected if people]
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(people, name) for people in seen]) for name in _FIELDS if seen
        }
        arrays |= {"timestamps": np.array([time for _, time in detected]), "people": np.array(counts, np.int32)}
        with atomic_path(self._kept) as temporary:
            np.savez_compressed(temporary, facts=np.array(json.dumps(facts)), **arrays)


class KeptClip:
    """A video with a `KeepingClip`'s detections; lifting gives the same bytes.

    Args:
        path: the video; only `frames` reads it.
        kept: the file of the detections.

    Attributes:
        key: that of the `KeepingClip`.
        warnings: those of the video when its people were detected.

    The other attributes are those of `poselift.finding.Clip`.

    Raises:
        InputError: the file is missing or damaged.
    """

    def __init__(self, path: Path, kept: Path) -> None:
        try:
            arrays = npz_arrays(kept)
            facts = parse_json(str(arrays["facts"]), str(kept))
            self._detected = list(_read_detected(arrays, skeleton_from_json(facts["skeleton"])))
            self.key: str = facts["key"]
            self.image_size = (int(facts["image_size"][0]), int(facts["image_size"][1]))
            self.fps: float | None = facts["fps"]
            self.video_fps: float | None = facts["video_fps"]
            self.mirrored = bool(facts.get("mirrored", False))
            self.duration: float | None = facts["duration"]
            self._start, self._end = facts["span"]
            self.span: tuple[float, float] = (self._start, math.inf if self._end is None else self._end)
            self.fov: float | None = facts["fov"]
            self.detector_name: str = facts["detector"]
            self.detector_weights: dict[str, str] = facts["weights"]
            kinds = facts.get("warning_kinds", ["input"] * len(facts["warnings"]))
            self.warnings = [Caution(text, kind) for text, kind in zip(facts["warnings"], kinds, strict=True)]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise InputError(
                f"{kept}: not readable as kept detections ({reason(error)}); remove it, and detect again"
            ) from error
        self.path = path
        self.video: Path | None = path

    def frames(self) -> Iterator[Frame]:
        """The frames of the span, read when the first is taken."""
        yield from VideoReader(self.path, self._start, self._end, self.video_fps, self.mirrored)

    def people(
        self, watch: Stopwatch | None = None, progress: ReadShare | None = None
    ) -> Iterator[tuple[Detections | None, float]]:
        """The people in each frame; the frames are not read."""
        return (watch or Stopwatch()).timed("detect", self._detected)

    def tracker(self) -> Tracker:
        """A tracker that compares poses, as for any video."""
        return Tracker(self.image_size)

    def find_camera(
        self, span: tuple[float, float], tracks: Sequence[Keypoints2D], lens: Camera, mode: CameraMode
    ) -> FoundCamera:
        """What the camera does, from the background of the pictures."""
        return find_camera(self.frames, span, tracks, lens, mode)

    def hands_of(self, track: Keypoints2D) -> Hands | None:
        """None: detectors find bodies only."""
        return None


def _read_detected(arrays: dict[str, np.ndarray], skeleton: Skeleton) -> Iterator[tuple[Detections | None, float]]:
    """The people in each frame, and its timestamp."""
    counts, joints = arrays["people"].tolist(), len(skeleton)
    sizes = {"boxes": (4,), "box_scores": (), "keypoints": (joints, 2), "scores": (joints,)}
    none = {name: np.zeros((0, *size)) for name, size in sizes.items()}
    fields = {name: arrays.get(name, empty) for name, empty in none.items()}
    total = sum(max(count, 0) for count in counts)
    for name, size in sizes.items():
        if fields[name].shape != (total, *size):
            raise ValueError(f"{name} has the shape {fields[name].shape}, not {(total, *size)}")
    first = 0
    for count, time in zip(counts, arrays["timestamps"].tolist(), strict=True):
        rows = slice(first, first + max(count, 0))
        first = rows.stop
        people = none if count == 0 else {name: field[rows] for name, field in fields.items()}
        yield None if count < 0 else Detections(**people, skeleton=skeleton), time
