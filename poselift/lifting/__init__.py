"""From a video to 3D motion: detect, track, window, lift, stitch."""

from poselift.lifting.camera import CameraModel, camera_for
from poselift.lifting.pipeline import LiftedVideo, lift_stream, lift_video
from poselift.lifting.root import solve_root
from poselift.lifting.stream import DetectionStream, VideoDetections
from poselift.lifting.track import lift_track
from poselift.lifting.world import World, to_world

__all__ = [
    "CameraModel",
    "DetectionStream",
    "LiftedVideo",
    "VideoDetections",
    "World",
    "camera_for",
    "lift_stream",
    "lift_track",
    "lift_video",
    "solve_root",
    "to_world",
]
