"""The still, calibrated cameras around a scene, and what they see of motion in the world."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from poselift.data.loading import recorded_view
from poselift.data.views import View
from poselift.geometry import pixels_to_rays, project, world_to_camera
from poselift.skeleton import Skeleton

_SAME_RAY = 0.01
"""How far apart two rays of one pixel may be where z is 1."""


@dataclass(frozen=True)
class StillCamera:
    """One camera of a scene, in float64.

    Attributes:
        name: by the dataset.
        image_size: width and height, pixels.
        K: intrinsics.
        R: with `t` from the world to the camera: R X + t.
        t: metres.
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
        """A View of motion that was recorded in the world.

        Args:
            name: of the view.
            subject: who moves.
            world: joints in the world, metres; NaN where not known.
            skeleton: their joint set, and that of the keypoints.
            fps: frames a second.
            action: what the subject does.
            detected: x and y in pixels and the score; if left out the projections are taken, lens distortion and
                all, of those joints that are in the picture.
        """
        points = world_to_camera(torch.from_numpy(world), self.R, self.t)
        if detected is None:
            pixels = project(points, self.K, self.distortion).numpy()
            inside = ((pixels >= 0) & (pixels <= self.image_size)).all(-1)
            # Far off the axis the lens's polynomial turns back, and what is out of sight comes to lie in the picture.
            rays = pixels_to_rays(torch.from_numpy(pixels), self.K, self.distortion)
            leads = ((rays - points / points[..., 2:]).abs() < _SAME_RAY).all(-1).numpy()
            scores = np.asarray(inside & leads, np.float64)
        else:
            pixels, scores = detected[..., :2], np.nan_to_num(detected[..., 2])
        view = recorded_view(
            name,
            subject,
            pixels,
            points.numpy(),
            fps=fps,
            K=self.K.numpy(),
            image_size=self.image_size,
            keypoint_skeleton=skeleton,
            skeleton=skeleton,
            scores=scores,
            action=action,
            camera=self.name,
        )
        return replace(view, distortion=self.distortion.float())
