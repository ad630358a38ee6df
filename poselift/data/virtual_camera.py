"""Random cameras around a window of motion.

Placed as people hold and mount them.
"""

import math
from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.annotations import Amount, Share
from poselift.geometry import project, rotation_x, rotation_y, rotation_z, world_to_camera

_Angle = Annotated[float, 1.0, 170.0]
"""A field of view that a picture can show."""
_Distance = Annotated[float, 0.1, math.inf]
"""Positive, because distances are drawn by their logarithm."""

_IMAGE_SIZES = ((1920.0, 1080.0), (1080.0, 1920.0), (1280.0, 960.0), (1000.0, 1000.0))
"""Pictures of the random cameras, pixels."""


@dataclass(frozen=True)
class CameraRange:
    """The range of the random cameras.

    Attributes:
        fov: field of view across the picture's longer side, degrees.
        height: height of the camera above the ground, metres.
        distance: distance from the person, metres; uniform in its logarithm.
        off_centre: largest horizontal offset of the person from the picture's middle, as a share of the field of
            view; the vertical offset is half as large.
        roll: standard deviation of the roll, degrees.
    """

    fov: tuple[_Angle, _Angle] = (35.0, 80.0)
    height: tuple[float, float] = (0.3, 2.6)
    distance: tuple[_Distance, _Distance] = (2.0, 8.0)
    off_centre: Share = 0.3
    roll: Amount = 2.5


@dataclass(frozen=True)
class Rendered:
    """Windows of motion as a batch of virtual cameras sees them.

    Attributes:
        pixels: exact projections; NaN where the joint is unknown or behind the camera.
        joints: camera frame, metres, relative to the pelvis.
        root: pelvis in the camera frame, metres.
        K: intrinsics.
        image_size: width and height, pixels.
        R: world to camera.
        t: the camera frame's x is R X + t of the world's X, metres.
    """

    pixels: Float[Tensor, "b t j 2"]
    joints: Float[Tensor, "b t j 3"]
    root: Float[Tensor, "b t 3"]
    K: Float[Tensor, "b 3 3"]
    image_size: Float[Tensor, "b 2"]
    R: Float[Tensor, "b 3 3"]
    t: Float[Tensor, "b 3"]


def render_view(
    joints: Float[Tensor, "b t j 3"], root: Float[Tensor, "b t 3"], cameras: CameraRange, generator: torch.Generator
) -> Rendered:
    """The windows as seen by one random still camera each.

    Args:
        joints: world frame (Y up), metres, relative to the pelvis; NaN where unknown.
        root: pelvis in the world, metres; the ground is at Y = 0.
        cameras: range of the cameras.
        generator: on the device of `joints`.
    """
    count, device = len(joints), joints.device

    def between(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(count, generator=generator, device=device)

    centre = root.mean(1)
    azimuth = between(0.0, 2 * math.pi)
    distance = between(math.log(cameras.distance[0]), math.log(cameras.distance[1])).exp()
    # A person who walks towards the camera must not walk through it.
    reach = (root - centre[:, None]).norm(dim=-1).amax(1)
    distance = distance + reach
    place = torch.stack(
        (centre[:, 0] + distance * azimuth.sin(), between(*cameras.height), centre[:, 2] + distance * azimuth.cos()), -1
    )

    fov = torch.deg2rad(between(*cameras.fov))
    picture = torch.tensor(_IMAGE_SIZES, device=device)
    image_size = picture[torch.randint(len(_IMAGE_SIZES), (count,), generator=generator, device=device)]
    focal = 0.5 * image_size.amax(1) / torch.tan(0.5 * fov)
    K = torch.zeros(count, 3, 3, device=device)
    K[:, 0, 0] = K[:, 1, 1] = focal
    K[:, :2, 2] = 0.5 * image_size
    K[:, 2, 2] = 1

    # Look at the person, turn away by a part of the field of view, then roll.
    aim = _look_at(place, centre)
    half = torch.atan(0.5 * image_size / focal[:, None])  # half the field of view across and down
    pan = half[:, 0] * between(-2 * cameras.off_centre, 2 * cameras.off_centre)
    pitch = half[:, 1] * between(-cameras.off_centre, cameras.off_centre)
    roll = torch.deg2rad(cameras.roll * torch.randn(count, generator=generator, device=device))
    R = rotation_z(roll) @ rotation_x(pitch) @ rotation_y(pan) @ aim
    t = -(R @ place[..., None]).squeeze(-1)

    frames, j = joints.shape[1:3]
    root_camera = world_to_camera(root, R, t)
    relative = torch.einsum("bik,btjk->btji", R, joints)
    points = (relative + root_camera[:, :, None]).reshape(count, frames * j, 3)
    pixels = project(points, K).view(count, frames, j, 2)
    return Rendered(pixels, relative, root_camera, K, image_size, R, t)


def _look_at(place: Float[Tensor, "b 3"], target: Float[Tensor, "b 3"]) -> Float[Tensor, "b 3 3"]:
    """World-to-camera rotation of a level camera at a point.

    x right, y down, z forward.
    """
    forward = torch.nn.functional.normalize(target - place, dim=-1)
    up = torch.tensor([0.0, 1.0, 0.0], device=place.device).expand_as(forward)
    right = torch.nn.functional.normalize(torch.linalg.cross(forward, up), dim=-1)
    return torch.stack((right, torch.linalg.cross(forward, right), forward), -2)
