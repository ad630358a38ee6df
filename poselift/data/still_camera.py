"""Still, calibrated cameras around a scene, and their views of motion in the world."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from poselift.data.loading import recorded_view
from poselift.data.views import View
from poselift.geometry import pixels_to_rays, project, world_to_camera
from poselift.skeleton import Skeleton

_SAME_RAY = 0.01
"""Largest distance, at z = 1, between the two rays of one pixel."""


@dataclass(frozen=True)
class StillCamera:
    """One camera of a scene, in float64.

    Attributes:
        name: the dataset's name of the camera.
        image_size: width and height, pixels.
        K: intrinsics.
        R: rotation from world to camera: R X + t.
        t: translation, metres.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order.
    """

    name: str
    image_size: tuple[int, int]
    K: Float[Tensor, "3 3"]
    R: Float[Tensor, "3 3"]
    t: Float[Tensor, " 3"]
    distortion: Float[Tensor, " 5"]

    def view(
        self,
        name: str,
        subject: str,
        world: Float[np.ndarray, "t j 3"],
        skeleton: Skeleton,
        *,
        fps: float,
        action: str,
        detected: Float[np.ndarray, "t j 3"] | None = None,
    ) -> View:
        """The camera's View of motion in the world.

        Args:
            name: name of the view.
            subject: the person.
            world: joints in the world, metres; NaN where unknown.
            skeleton: skeleton of the joints and of the keypoints.
            fps: frames per second.
            action: the dataset's name of the action.
            detected: x and y in pixels and the score of each joint; None takes the exact projections, with lens
                distortion, of the joints inside the picture.
        """
        points = world_to_camera(torch.from_numpy(world), self.R, self.t)
        if detected is None:
            pixels = project(points, self.K, self.distortion).numpy()
            inside = ((pixels >= 0) & (pixels <= self.image_size)).all(-1)
            # Far off the axis the polynomial of the lens turns back and places invisible points inside the picture.
            rays = pixels_to_rays(torch.from_numpy(pixels), self.K, self.distortion)
            leads = ((rays - points / points[..., 2:]).abs() < _SAME_RAY).all(-1).numpy()
            scores = np.asarray(inside & leads, np.float64)
        else:
            pixels, scores = detected[..., :2], np.nan_to_num(detected[..., 2])
        return recorded_view(
            name,
            subject,
            pixels,
            points.numpy(),
            fps=fps,
            K=self.K.numpy(),
            image_size=self.image_size,
            skeleton=skeleton,
            scores=scores,
            action=action,
            camera=self.name,
            distortion=self.distortion,
        )
