"""Rotation matrices from axis-angle vectors, quaternions, single angles and directions.

Matrices act on columns: x' = R x. Quaternions are w, x, y, z with Hamilton's product. Angles are in radians and follow
the right-hand rule. Gradients are finite everywhere, also at no rotation and at half a turn.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry.products import compose, cross_matrix

SMALL = 1e-6
"""Squared angle below which series replace the quotients 0 / 0; the omitted terms are below 1e-14."""


def axis_angle_to_matrix(axis_angle: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3 3"]:
    """Rotation about the vector, by its length (Rodrigues' formula).

    Example:
        >>> quarter = axis_angle_to_matrix(torch.tensor([0.0, 0.0, torch.pi / 2]))
        >>> (quarter @ torch.tensor([1.0, 1.0, 0.0])).round()
        tensor([-1.,  1.,  0.])
    """
    squared = axis_angle.square().sum(-1)[..., None, None]
    small = squared < SMALL
    angle = squared.where(~small, 1.0).sqrt()
    first = torch.where(small, 1 - squared / 6, angle.sin() / angle)
    # (1 - cos) / angle², without cancellation.
    second = torch.where(small, 0.5 - squared / 24, 2 * ((angle / 2).sin() / angle).square())
    cross = cross_matrix(axis_angle)
    eye = torch.eye(3, dtype=axis_angle.dtype, device=axis_angle.device)
    return eye + first * cross + second * compose(cross, cross)


def quaternion_to_matrix(quaternion: Float[Tensor, "*batch 4"]) -> Float[Tensor, "*batch 3 3"]:
    """Rotation of a quaternion w, x, y, z of any positive length; a zero quaternion gives NaN."""
    w, x, y, z = quaternion.unbind(-1)
    s = 2 / quaternion.square().sum(-1)
    rows = (
        (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
    )
    return torch.stack([torch.stack(row, -1) for row in rows], -2)


def rotation_x(angle: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch 3 3"]:
    """Rotation about the x axis: y turns towards z."""
    return _about(0, angle)


def rotation_y(angle: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch 3 3"]:
    """Rotation about the y axis: z turns towards x."""
    return _about(1, angle)


def rotation_z(angle: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch 3 3"]:
    """Rotation about the z axis: x turns towards y."""
    return _about(2, angle)


def _about(axis: int, angle: Tensor) -> Tensor:
    return _plane(axis, angle.cos(), angle.sin())


def _plane(axis: int, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotation about one of the axes by its cosine and sine."""
    one, zero = torch.ones_like(cos), torch.zeros_like(cos)
    entries = {
        0: (one, zero, zero, zero, cos, -sin, zero, sin, cos),
        1: (cos, zero, sin, zero, one, zero, -sin, zero, cos),
        2: (cos, -sin, zero, sin, cos, zero, zero, zero, one),
    }[axis]
    return torch.stack(entries, -1).unflatten(-1, (3, 3))


def rotation_towards(direction: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3 3"]:
    """Rotation without roll that turns a direction onto the optical axis.

    The rotation Q is a pan about the camera's y axis, then a tilt about x: Q d / |d| = (0, 0, 1), and Q keeps x level.
    A camera with this rotation looks at d. Directions straight up or down need tilt alone (pan 0), and a zero
    direction gives no rotation; at both, the gradients of the pan are 0.

    Args:
        direction: in the camera frame, of any length.

    Returns:
        Q; Q d points along +z.

    Example:
        >>> (rotation_towards(torch.tensor([0.0, 3.0, 4.0])) @ torch.tensor([0.0, 3.0, 4.0])).round()
        tensor([0., 0., 5.])
    """
    epsilon = torch.finfo(direction.dtype).eps
    # Scale by the largest coordinate first, so that no square overflows or underflows.
    size = direction.detach().abs().amax(-1, keepdim=True)
    x, y, z = (direction / size.where(size > 0, 1.0)).unbind(-1)
    level_squared = x * x + z * z
    pans = level_squared > epsilon**2
    level = level_squared.where(pans, 1.0).sqrt()
    pan = _plane(1, (z / level).where(pans, 1.0), (-x / level).where(pans, 0.0))

    squared = level_squared + y * y
    length = squared.where(squared > 0, 1.0).sqrt()
    cos = level.where(pans, 0.0) / length
    tilt = _plane(0, cos.where(squared > 0, 1.0), y / length)
    return compose(tilt, pan)
