"""From 2D keypoints to 3D motion.

`lift` is the one way, in three rooms: `prepare`, `network`, `finish`. Around it: `lift_clip`, by which everybody in a
clip becomes a recording, `live` (streams), and `world` (Y up, the ground at Y = 0).
"""

from typing import TYPE_CHECKING

from poselift.core.on_demand import names_on_demand
from poselift.geometry.camera import Camera, camera_for
from poselift.lifting.finish.root_track import solve_root
from poselift.lifting.live.streaming import StreamingPeople
from poselift.lifting.options import LiftOptions
from poselift.lifting.request import LiftRequest
from poselift.lifting.run import lift_clip
from poselift.lifting.three_stages import lift
from poselift.lifting.world.streaming_world import StreamingWorld
from poselift.lifting.world.world_frame import World, to_world
from poselift.structures import StreamedPose

if TYPE_CHECKING:
    from poselift.lifting.dataset_views import lift_view

__all__ = [
    "Camera",
    "LiftOptions",
    "LiftRequest",
    "StreamedPose",
    "StreamingPeople",
    "StreamingWorld",
    "World",
    "camera_for",
    "lift",
    "lift_clip",
    "lift_view",
    "solve_root",
    "to_world",
]


if not TYPE_CHECKING:
    __getattr__ = names_on_demand(__name__, {"lift_view": "dataset_views"})  # datasets need torch
