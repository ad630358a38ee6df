"""What calibrated cameras around a scene see of motion in the world."""

import numpy as np
from jaxtyping import Float

from poselift.data.loading import recorded_view
from poselift.data.views import View
from poselift.geometry.camera import Camera
from poselift.skeleton import Skeleton

_SAME_RAY = 0.01
"""Largest distance, at z = 1, between the two rays of one pixel."""


def view_of(
    camera: Camera,
    name: str,
    subject: str,
    world: Float[np.ndarray, "t j 3"],
    skeleton: Skeleton,
    *,
    fps: float,
    action: str,
    detected: Float[np.ndarray, "t j 3"] | None = None,
) -> View:
    """A camera's View of motion in the world.

    Args:
        camera: does not move.
        name: name of the view.
        subject: the person.
        world: joints in the world, metres; NaN where unknown.
        skeleton: skeleton of the joints and of the keypoints.
        fps: frames per second.
        action: the dataset's name of the action.
        detected: x and y in pixels and the score of each joint; None takes the exact projections, with lens
            distortion, of the joints inside the picture.
    """
    R, t = camera.extrinsics
    points = world @ R.T + t
    if detected is None:
        pixels = camera.project(world)
        inside = ((pixels >= 0) & (pixels <= camera.image_size)).all(-1)
        # Far off the axis the polynomial of the lens turns back and places invisible points inside the picture.
        leads = (np.abs(camera.rays(pixels) - points / points[..., 2:]) < _SAME_RAY).all(-1)
        scores = np.asarray(inside & leads, np.float64)
    else:
        pixels, scores = detected[..., :2], np.nan_to_num(detected[..., 2])
    return recorded_view(
        name,
        subject,
        pixels,
        points,
        fps=fps,
        K=camera.K,
        image_size=camera.image_size,
        skeleton=skeleton,
        scores=scores,
        action=action,
        camera=camera.name,
        distortion=camera.distortion,
    )
