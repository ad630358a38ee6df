"""From 2D keypoints to 3D motion.

`lift` is the one way, in three rooms: `prepare`, `network`, `finish`. Around it: `clips` (everybody in a file), `live`
(streams), and `world` (Y up, the ground at Y = 0).
"""

from typing import TYPE_CHECKING, Any

from poselift.geometry.camera import Camera, camera_for
from poselift.lifting.clips.pipeline import LiftedClip, lift_clip, lift_video
from poselift.lifting.finish.root_track import solve_root
from poselift.lifting.live.streaming import StreamingPeople
from poselift.lifting.options import LiftOptions
from poselift.lifting.three_stages import lift
from poselift.lifting.world.streaming_world import StreamingWorld
from poselift.lifting.world.world_frame import World, to_world
from poselift.structures import StreamedPose

if TYPE_CHECKING:
    from poselift.lifting.dataset_views import lift_view

__all__ = [
    "Camera",
    "LiftOptions",
    "LiftedClip",
    "StreamedPose",
    "StreamingPeople",
    "StreamingWorld",
    "World",
    "camera_for",
    "lift",
    "lift_clip",
    "lift_video",
    "lift_view",
    "solve_root",
    "to_world",
]


def __getattr__(name: str) -> Any:
    if name != "lift_view":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from poselift.lifting.dataset_views import lift_view  # datasets need torch

    return lift_view
