"""Rotations: axis-angle vectors, quaternions and matrices.

Matrices act on columns: x' = R x. Quaternions are w, x, y, z with Hamilton's product. Angles are in radians
and turn by the right hand. All conversions have finite gradients, at no rotation and at half a turn too.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry.products import compose, cross_matrix

SMALL = 1e-6
"""Squared angle below which series replace quotients of 0 by 0; the terms left out are below 1e-14."""


def axis_angle_to_matrix(axis_angle: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3 3"]:
    """Rotation about an axis by the length of the vector (Rodrigues' formula)."""
    squared = axis_angle.square().sum(-1)[..., None, None]
    small = squared < SMALL
    angle = squared.where(~small, 1.0).sqrt()
    first = torch.where(small, 1 - squared / 6, angle.sin() / angle)
    # (1 - cos) / angle², without its cancellation.
    second = torch.where(small, 0.5 - squared / 24, 2 * ((angle / 2).sin() / angle).square())
    cross = cross_matrix(axis_angle)
    eye = torch.eye(3, dtype=axis_angle.dtype, device=axis_angle.device)
    return eye + first * cross + second * compose(cross, cross)


def quaternion_to_matrix(quaternion: Float[Tensor, "*batch 4"]) -> Float[Tensor, "*batch 3 3"]:
    """The rotation of a quaternion w, x, y, z of any length but 0; a zero quaternion gives NaN."""
    w, x, y, z = quaternion.unbind(-1)
    s = 2 / quaternion.square().sum(-1)
    rows = (
        (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
    )
    return torch.stack([torch.stack(row, -1) for row in rows], -2)


def matrix_to_quaternion(matrix: Float[Tensor, "*batch 3 3"]) -> Float[Tensor, "*batch 4"]:
    """The unit quaternion w, x, y, z of a rotation, with w >= 0.

    The entries of the matrix give 4 q qᵀ; the row of its largest diagonal entry is q up to scale, and never
    near zero (Shepperd 1978, "Quaternion from rotation matrix").
    """
    (a, b, c), (d, e, f), (g, h, i) = (row.unbind(-1) for row in matrix.unbind(-2))
    rows = (
        (1 + a + e + i, h - f, c - g, d - b),
        (h - f, 1 + a - e - i, b + d, c + g),
        (c - g, b + d, 1 - a + e - i, f + h),
        (d - b, c + g, f + h, 1 - a - e + i),
    )
    outer = torch.stack([torch.stack(row, -1) for row in rows], -2)
    best = outer.diagonal(dim1=-2, dim2=-1).argmax(-1)[..., None, None]
    row = outer.take_along_dim(best, -2).squeeze(-2)
    quaternion = row / row.norm(dim=-1, keepdim=True)
    return torch.where(quaternion[..., :1] < 0, -quaternion, quaternion)


def matrix_to_axis_angle(matrix: Float[Tensor, "*batch 3 3"]) -> Float[Tensor, "*batch 3"]:
    """The axis times the angle of a rotation, the angle from 0 to pi."""
    quaternion = matrix_to_quaternion(matrix)
    w, vector = quaternion[..., :1], quaternion[..., 1:]
    squared = vector.square().sum(-1, keepdim=True)
    small = squared < SMALL
    sine = squared.where(~small, 1.0).sqrt()
    # angle / sin(angle / 2): 2 asin(s) / s near no rotation, where w may round to more than 1.
    ratio = torch.where(small, 2 + squared / 3, 2 * torch.atan2(sine, w) / sine)
    return ratio * vector


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
    """The rotation without roll that brings a direction of the camera frame onto the optical axis.

    It is a pan about the camera's y axis, then a tilt about x: Q d / |d| = (0, 0, 1), and Q keeps x level.
    A camera of this rotation looks at d. Directions straight up or down are reached by tilt alone (pan 0),
    and a zero direction gives no rotation; at both, gradients through the pan are 0.

    Args:
        direction: of any length.

    Returns:
        Q, so that Q d points along +z.
    """
    epsilon = torch.finfo(direction.dtype).eps
    # Scaled by the largest coordinate first, so that no square over- or underflows.
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
