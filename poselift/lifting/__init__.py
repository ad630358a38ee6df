"""From 2D keypoints to 3D motion, and the video pipeline around it."""

from poselift.lifting.camera import CameraModel, camera_for
from poselift.lifting.clip import Clip, VideoClip
from poselift.lifting.lift import lift
from poselift.lifting.options import LiftOptions
from poselift.lifting.pipeline import LiftedClip, lift_clip, lift_video
from poselift.lifting.root import solve_root
from poselift.lifting.streaming import StreamingLifter, StreamingPeople
from poselift.lifting.streaming_world import StreamingWorld
from poselift.lifting.view import lift_view
from poselift.lifting.world import World, to_world
from poselift.structures import StreamedPose

__all__ = [
    "CameraModel",
    "Clip",
    "LiftOptions",
    "LiftedClip",
    "StreamedPose",
    "StreamingLifter",
    "StreamingPeople",
    "StreamingWorld",
    "VideoClip",
    "World",
    "camera_for",
    "lift",
    "lift_clip",
    "lift_video",
    "lift_view",
    "solve_root",
    "to_world",
]
