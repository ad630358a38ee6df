"""The people of a clip in the world, whatever its camera does."""

import math
from collections.abc import Sequence

from poselift.camera_path.camera_path import CameraPath
from poselift.core.caution import Caution
from poselift.geometry.camera import Camera
from poselift.kinematics.up import up_of_tilt
from poselift.lifting.world.moving_world import StillView, place_in_moving_world
from poselift.lifting.world.world_frame import World, to_world
from poselift.structures import Motion

DOUBTFUL_UP = math.radians(6)
"""Uncertainty of up from which a warning asks for the camera's tilt: one error in ten is over 10 degrees there. People
who walk give 2 to 4 degrees, people who stand 4 to 5."""


def place_people(
    path: CameraPath | None, motions: Sequence[Motion], views: Sequence[StillView], camera: Camera, tilt: float | None
) -> tuple[World, list[Caution]]:
    """The motions in the world, and what is doubtful about it.

    The way of the camera, up or feet may be in doubt.

    Args:
        path: of the camera; None if it is still.
        motions: in the camera frames of the views.
        views: that they were lifted from.
        camera: the lens.
        tilt: how far the camera looks down, degrees; found from people if None.
    """
    up = None if tilt is None else up_of_tilt(math.radians(tilt))
    warnings = []
    if path is None:
        world = to_world(motions, camera, up=up)
    else:
        world, said = place_in_moving_world(motions, views, path, camera, up)
        warnings += [Caution(text, "camera") for text in said]
    if motions and not world.feet_seen:
        text = "no feet were seen: up and the ground are guessed from usual camera poses"
        warnings.append(Caution(text, "ground"))
    elif motions and DOUBTFUL_UP < world.uncertainty < math.pi:
        about = math.degrees(world.uncertainty)
        text = f"up is known to {about:.0f} degrees only, as no steps tell it surely: measure the camera's --tilt"
        warnings.append(Caution(text, "ground"))
    return world, warnings
