"""Rerun's recordings: bodies, uncertainty, camera and 2D over time. rerun-sdk writes them for its viewer (rerun.io)."""

import os
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.export_options import ExportOptions
from poselift.geometry.camera import Camera
from poselift.skeleton import Skeleton
from poselift.skeleton.hand import HANDS
from poselift.structures import Motion, Recording

_COLORS = {"left": (86, 180, 233), "right": (230, 120, 0), "middle": (160, 160, 160)}
"""The person's own sides, RGB."""

_DIM = 0.35
"""Brightness of what no keypoint shows (`Motion.guessed`); the viewer has no transparent lines."""

_TIMELINE, _FRAMES = "time", "frame"
_DIGITS = 6
"""Of a time in seconds; equal times are one frame."""

_LIMB, _JOINT = 0.012, 0.02
"""Radii in the scene, metres."""


def write_rerun(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes a recording of everybody on the timelines `time`, seconds, and `frame`.

    Entities: `world/person_<id>/skeleton`, `.../joints` with their names and `.../uncertainty` (balls that hold a joint
    in 90 % of cases), metres; with hands, `.../hands` with their joints and bones; `world/camera`, if it is given; and
    below it `image/person_<id>`, the keypoints and lines between them, pixels. `world/person_<id>` has the height, if
    it is known. Empty frames are empty. Joints and limbs that no keypoint shows are dark. Frames count those of all
    people, from 0.

    Args:
        path: the .rrd file to write.
        recording: everybody in the file. Without its one camera the keypoints are in a picture of their own.
        options: none is used.

    Raises:
        InputError: rerun-sdk is not installed, or the file cannot be written.
    """
    rr = require("rerun", "rerun")
    motions, first = recording.people, recording.people[0]
    frames = np.unique(np.concatenate([motion.timestamps for motion in motions]).round(_DIGITS))
    with atomic_path(path) as temporary:
        people = "_".join(str(motion.keypoints.person) for motion in motions)
        stream = rr.RecordingStream("poselift", recording_id=f"person_{people}_{first.frame}")
        stream.save(temporary)
        axes = rr.ViewCoordinates.RIGHT_HAND_Y_UP if first.frame == "world" else rr.ViewCoordinates.RDF
        stream.log("world", axes, static=True)
        image = "image"
        if len(recording.cameras) == 1:
            image = "world/camera/image"
            _log_camera(rr, stream, recording.camera)
        for motion in motions:
            _send_person(_Sender(rr, stream, motion, frames), motion, image)
        stream.flush()
        stream.disconnect()


def _log_camera(rr: ModuleType, recording: Any, camera: Camera) -> None:
    """The camera's pose and lens, at each time if it changes."""
    for row, time in enumerate([None] if camera.times is None else camera.times.round(_DIGITS).tolist()):
        if time is not None:
            recording.set_time(_TIMELINE, duration=time)
        parts = ((camera.K, 2), (camera.R, 2), (camera.t, 1))
        K, R, t = (each[row] if each.ndim > axes else each for each, axes in parts)
        recording.log("world/camera", rr.Transform3D(translation=t, mat3x3=R), static=time is None)
        recording.log(
            "world/camera/image", rr.Pinhole(image_from_camera=K, resolution=camera.image_size), static=time is None
        )


def _send_person(sender: "_Sender", motion: Motion, image: str) -> None:
    """All that a recording has of one person.

    Args:
        sender: of the person's motion.
        motion: likewise.
        image: entity of the picture.
    """
    rr, name = sender.rr, f"person_{motion.keypoints.person}"
    body, places = f"world/{name}", (motion.joints + motion.root[:, None]).astype(np.float32)
    if motion.height is not None:
        height = rr.AnyValues(height_m=motion.height.metres, height_origin=motion.height.origin)
        sender.recording.log(body, height, static=True)
    guessed = motion.guessed()
    sender.lines(f"{body}/skeleton", places, motion.skeleton, rr.LineStrips3D, _LIMB, guessed)
    about = {"labels": motion.skeleton.joints, "show_labels": False}
    sender.points(f"{body}/joints", places, rr.Points3D, _JOINT, guessed, **about)
    if motion.uncertainty is not None:
        sender.balls(f"{body}/uncertainty", places, motion.uncertainty)
    hands = motion.placed_hands()
    if hands is not None:
        fingers = (hands.reshape(len(motion), -1, 3) + motion.root[:, None]).astype(np.float32)
        sender.lines(f"{body}/hands/skeleton", fingers, HANDS, rr.LineStrips3D, _LIMB / 2)
        names = {"labels": HANDS.joints, "show_labels": False}
        sender.points(f"{body}/hands/joints", fingers, rr.Points3D, _JOINT / 2, None, **names)
    pixels = motion.keypoints.keypoints.astype(np.float32)
    sender.lines(f"{image}/{name}/lines", pixels, motion.keypoints.skeleton, rr.LineStrips2D, 1.0)
    sender.points(f"{image}/{name}/keypoints", pixels, rr.Points2D, 2.5)


class _Sender:
    """Sends arrays over the frames of a motion to a recording.

    Args:
        rr: the package rerun.
        recording: the recording.
        motion: gives the times.
        frames: times of all frames of the recording, seconds.
    """

    def __init__(self, rr: Any, recording: Any, motion: Motion, frames: Float[np.ndarray, " n"]) -> None:
        self.rr, self.recording = rr, recording
        self._times = [
            rr.TimeColumn(_TIMELINE, duration=motion.timestamps),
            rr.TimeColumn(_FRAMES, sequence=np.searchsorted(frames, motion.timestamps.round(_DIGITS))),
        ]

    def lines(
        self,
        entity: str,
        points: Float[np.ndarray, "t j c"],
        skeleton: Skeleton,
        kind: Any,
        radius: float,
        guessed: Bool[np.ndarray, "t j"] | None = None,
    ) -> None:
        """The bones of all frames; dark where one end is guessed."""
        bones = skeleton.bones
        ends = np.array([skeleton.indices(list(bone)) for bone in bones])
        strips = points[:, ends]
        known = np.isfinite(strips).all((2, 3))
        sides = [next((side for side in ("left", "right") if bone[1].startswith(side)), "middle") for bone in bones]
        colors = np.broadcast_to(np.array([_COLORS[side] for side in sides], float), (*known.shape, 3))
        if guessed is not None:
            colors = _dim(colors, np.atleast_2d(guessed[:, ends].any(2)))
        shades = colors[known].astype(np.uint8)
        columns = kind.columns(strips=list(strips[known]), colors=shades).partition(known.sum(1))
        self._send(entity, kind.from_fields(radii=radius), columns)

    def points(
        self,
        entity: str,
        points: Float[np.ndarray, "t j c"],
        kind: Any,
        radius: float,
        guessed: Bool[np.ndarray, "t j"] | None = None,
        **about: Any,
    ) -> None:
        """The joints of all frames; dark where they are guessed."""
        known = np.isfinite(points).all(-1)
        values = {"positions": points[known]}
        if guessed is not None:
            white = np.full((*known.shape, 3), 255.0)
            values["colors"] = _dim(white, guessed)[known].astype(np.uint8)
        columns = kind.columns(**values).partition(known.sum(1))
        self._send(entity, kind.from_fields(radii=radius, **about), columns)

    def balls(self, entity: str, places: Float[np.ndarray, "t j 3"], radii: Float[np.ndarray, "t j"]) -> None:
        """The uncertainty of all frames."""
        known = np.isfinite(places).all(-1) & (radii > 0)
        sizes = np.repeat(radii[known][:, None], 3, 1).astype(np.float32)
        columns = self.rr.Ellipsoids3D.columns(centers=places[known], half_sizes=sizes).partition(known.sum(1))
        self._send(entity, self.rr.Ellipsoids3D.from_fields(colors=[*_COLORS["middle"], 60]), columns)

    def _send(self, entity: str, static: Any, columns: Any) -> None:
        self.recording.log(entity, static, static=True)
        self.rr.send_columns(entity, self._times, columns, recording=self.recording)


def _dim(colors: Float[np.ndarray, "t n 3"], guessed: Bool[np.ndarray, "t n"]) -> Float[np.ndarray, "t n 3"]:
    """The colours, dark where something is guessed."""
    return np.where(guessed[..., None], _DIM * colors, colors)
