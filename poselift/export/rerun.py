"""Rerun's recordings: bodies, uncertainty, camera and 2D over time, for its viewer (rerun.io), written by rerun-sdk."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.skeleton import Skeleton
from poselift.structures import Motion

_COLORS = {"left": (86, 180, 233), "right": (230, 120, 0), "middle": (160, 160, 160)}
"""The person's own sides, RGB."""

_TIMELINE = "video_time"
_LIMB, _JOINT = 0.012, 0.02
"""Radii in the scene, metres."""


def write_rerun(path: str | os.PathLike[str], motion: Motion, camera: Mapping[str, Any] | None = None) -> None:
    """Writes a recording on the timeline `video_time`, in seconds of the video.

    Entities: `world/person_<id>/skeleton`, `.../joints` and `.../uncertainty` (balls that hold a joint in 90 % of
    cases), metres; `world/camera`, if it is given; and below it `image/person_<id>`, the keypoints and lines between
    them, pixels. Empty frames are empty.

    Args:
        path: the .rrd file to write.
        motion: one person's motion.
        camera: of the sidecar: `K`, `image_size`, and `R` and `t` for the world frame. Without it the keypoints are in
            a picture of their own.

    Raises:
        InputError: rerun-sdk is not installed, the file cannot be written, or no frame has a pose.
    """
    if np.isnan(motion.joints).all():
        raise InputError("the motion has no frame with a pose; lift the person again")
    rr = require("rerun", "rerun")
    name = f"person_{motion.keypoints.person}"
    places = (motion.joints + motion.root[:, None]).astype(np.float32)
    with atomic_path(path) as temporary:
        recording = rr.RecordingStream("poselift", recording_id=f"{name}_{motion.frame}")
        recording.save(temporary)
        axes = rr.ViewCoordinates.RIGHT_HAND_Y_UP if motion.frame == "world" else rr.ViewCoordinates.RDF
        recording.log("world", axes, static=True)
        body = f"world/{name}"
        _send_lines(rr, recording, motion, f"{body}/skeleton", places, motion.skeleton, rr.LineStrips3D, _LIMB)
        _send_points(rr, recording, motion, f"{body}/joints", places, rr.Points3D, _JOINT)
        if motion.uncertainty is not None:
            _send_balls(rr, recording, motion, f"{body}/uncertainty", places)
        image = "image"
        if camera is not None and {"K", "image_size"} <= set(camera):
            image = "world/camera/image"
            R, t = (camera.get(key, usual) for key, usual in (("R", np.eye(3)), ("t", np.zeros(3))))
            recording.log("world/camera", rr.Transform3D(translation=t, mat3x3=R), static=True)
            lens = rr.Pinhole(image_from_camera=camera["K"], resolution=camera["image_size"])
            recording.log(image, lens, static=True)
        pixels = motion.keypoints.keypoints.astype(np.float32)
        skeleton = motion.keypoints.skeleton
        _send_lines(rr, recording, motion, f"{image}/{name}/lines", pixels, skeleton, rr.LineStrips2D, 1.0)
        _send_points(rr, recording, motion, f"{image}/{name}/keypoints", pixels, rr.Points2D, 2.5)
        recording.flush()
        recording.disconnect()


def _send_lines(
    rr: Any,
    recording: Any,
    motion: Motion,
    entity: str,
    points: Float[np.ndarray, "t j c"],
    skeleton: Skeleton,
    kind: Any,
    radius: float,
) -> None:
    """The bones of all frames."""
    bones = skeleton.bones
    rows = np.array([skeleton.indices(list(bone)) for bone in bones])
    strips = points[:, rows]
    known = np.isfinite(strips).all((2, 3))
    sides = [next((side for side in ("left", "right") if bone[1].startswith(side)), "middle") for bone in bones]
    colors = np.broadcast_to(np.array([_COLORS[side] for side in sides], np.uint8), (*known.shape, 3))[known]
    columns = kind.columns(strips=list(strips[known]), colors=colors).partition(known.sum(1))
    recording.log(entity, kind.from_fields(radii=radius), static=True)
    rr.send_columns(entity, _times(rr, motion), columns, recording=recording)


def _send_points(
    rr: Any, recording: Any, motion: Motion, entity: str, points: Float[np.ndarray, "t j c"], kind: Any, radius: float
) -> None:
    """The joints of all frames."""
    known = np.isfinite(points).all(-1)
    columns = kind.columns(positions=points[known]).partition(known.sum(1))
    recording.log(entity, kind.from_fields(radii=radius), static=True)
    rr.send_columns(entity, _times(rr, motion), columns, recording=recording)


def _send_balls(rr: Any, recording: Any, motion: Motion, entity: str, places: Float[np.ndarray, "t j 3"]) -> None:
    """The uncertainty of all frames."""
    radii = motion.uncertainty
    assert radii is not None
    known = np.isfinite(places).all(-1) & (radii > 0)
    sizes = np.repeat(radii[known][:, None], 3, 1).astype(np.float32)
    columns = rr.Ellipsoids3D.columns(centers=places[known], half_sizes=sizes).partition(known.sum(1))
    recording.log(entity, rr.Ellipsoids3D.from_fields(colors=[*_COLORS["middle"], 60]), static=True)
    rr.send_columns(entity, _times(rr, motion), columns, recording=recording)


def _times(rr: Any, motion: Motion) -> list[Any]:
    return [rr.TimeColumn(_TIMELINE, duration=motion.timestamps)]
