"""What a clip's camera does: its path, doubts, and words."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from poselift.camera_path.camera_motion import CameraMotion, camera_motion
from poselift.camera_path.camera_path import CameraPath, ShotKind, ShotPath, find_camera_path, unseen_path
from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.geometry import Camera
from poselift.structures import Keypoints2D
from poselift.video import Frame

CameraMode = Literal["auto", "still", "turning", "moving"]
"""What a user says that the camera does; "auto" finds it."""


@dataclass(frozen=True)
class FoundCamera:
    """What the camera of a clip does.

    Attributes:
        mode: what was asked for.
        path: of the camera; None for a still one.
        motion: of the background, where the camera counts as still; None if it was not measured.
    """

    mode: CameraMode
    path: CameraPath | None
    motion: CameraMotion | None = None

    @property
    def kinds(self) -> tuple[ShotKind, ...]:
        """What it does, shot by shot."""
        return ("still",) if self.path is None else tuple(shot.kind for shot in self.path.shots)

    def describe(self) -> str:
        """What it does, in a line."""
        if self.path is None:
            return "the camera stands still"
        said = [_describe(shot) for shot in self.path.shots]
        if len(said) == 1:
            return said[0]
        times = self.path.times
        parts = [f"{times[shot.first]:.1f} s: {text}" for shot, text in zip(self.path.shots, said, strict=True)]
        return f"{len(said)} shots. " + "; ".join(parts)

    def cautions(self) -> list[Caution]:
        """Warnings for users: cuts, lost backgrounds, and an unexpected camera.

        The last is a camera that does something else than asked for.
        """
        return [Caution(text, "camera") for text in self._doubts()]

    def _doubts(self) -> list[str]:
        """A line for each."""
        if self.path is None:
            if self.mode == "moving":
                return ["--camera moving: the background stands still, so the camera counts as still"]
            if self.motion is None or self.motion.still:
                return []
            return [f"{self.motion.describe()}: with --camera still, the world frame is only right for a still camera"]
        found = []
        for shot in self.path.shots:
            at = f"{self.path.times[shot.first]:.2f} s"
            if shot.first:
                what = f"the background is lost before {at}" if shot.lost else f"the picture is cut at {at}"
                found.append(f"{what}: each shot has people and a world of its own")
            if self.mode == "moving" and shot.kind in ("still", "turning"):
                what = "no path through space is seen in the background"
                found.append(f"from {at} on: --camera moving, and {what}; {_describe(shot)}")
            if shot.doubtful:
                what = f"a camera that turns leaves errors of {shot.error:.1f} pixels in the background"
                why = "its place changes too, the picture is stabilised, or the shutter rolls, which is not corrected"
                found.append(f"from {at} on: {what}: {why}; people may seem to drift")
        return found

    def report(self) -> dict[str, object]:
        """The camera's report for the summary.

        What was asked for, what was found, a line for people, and the shots of what changes.
        """
        if self.path is None:
            return {"mode": self.mode, "found": "still", "text": self.describe()}
        times = self.path.times
        shots = [
            {
                "start": float(times[shot.first]),
                "end": float(times[shot.end - 1]),
                "found": shot.kind,
                "turns_deg": round(shot.degrees, 2),
                "zoom": round(shot.zoom, 3),
                "error_px": round(shot.error, 2),
            }
            for shot in self.path.shots
        ]
        kinds = list(dict.fromkeys(self.kinds))
        return {"mode": self.mode, "found": ", ".join(kinds), "text": self.describe(), "shots": shots}


def _describe(shot: ShotPath) -> str:
    if shot.kind == "still":
        return "the camera stands still"
    if shot.kind == "unknown":
        return "too little background is seen to tell what the camera does"
    zoom = f", and zooms by {shot.zoom:.2f}" if shot.zoom > 1.012 else ""
    if shot.kind == "moving":
        return f"the camera moves through space, and turns by {shot.degrees:.1f} degrees"
    return f"the camera turns by {shot.degrees:.1f} degrees{zoom}"


def check_camera_mode(mode: object) -> None:
    """Checks what a user says that the camera does.

    Raises:
        InputError: nobody knows this mode.
    """
    if mode not in get_args(CameraMode):
        raise InputError(f"camera is {mode!r:.40}; give one of {', '.join(get_args(CameraMode))}")


def find_camera(
    frames: Callable[[], Iterable[Frame]],
    span: tuple[float, float],
    tracks: Sequence[Keypoints2D],
    camera: Camera,
    mode: CameraMode = "auto",
) -> FoundCamera:
    """What the camera does, from the background of the pictures.

    A camera that stands still is known from nine pictures. Only otherwise all pictures are read again.

    Args:
        frames: reads the pictures of the clip, in order.
        span: timestamps of the first and the last frame, seconds.
        tracks: the people.
        camera: its lens; of the widest frame, if it zooms.
        mode: what the camera does; "auto" finds it.

    Raises:
        InputError: nobody knows this mode.
    """
    check_camera_mode(mode)
    if mode in ("auto", "still"):
        motion = camera_motion(frames(), span, tracks, camera)
        if mode == "still" or (motion is not None and motion.still) or (motion is None and _is_blank(frames())):
            return FoundCamera(mode, None, motion)
    force = mode if mode in ("turning", "moving") else None
    path = find_camera_path(frames(), tracks, camera.K, camera.lens, camera.origin == "assumed", force)
    return FoundCamera(mode, None if path.still else path)


def _is_blank(frames: Iterable[Frame]) -> bool:
    """Whether no picture shows anything.

    As without pictures, the camera then counts as still.
    """
    return all(int(np.ptp(frame.image)) == 0 for frame in frames)


def camera_without_pictures(times: Iterable[float], mode: CameraMode = "auto") -> FoundCamera:
    """What the camera of a clip without pictures does. It counts as still, unless somebody says that it moves.

    Args:
        times: of all frames, seconds.
        mode: what the camera does.

    Raises:
        InputError: nobody knows this mode.
    """
    check_camera_mode(mode)
    return FoundCamera(mode, None if mode in ("auto", "still") else unseen_path(times))
