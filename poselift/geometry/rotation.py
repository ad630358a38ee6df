"""Rotation matrices from axis-angle vectors, quaternions, single angles and directions.

Matrices act on columns: x' = R x. Quaternions are w, x, y, z with Hamilton's product. Angles are in radians and follow
the right-hand rule. Gradients are finite everywhere, also at no rotation and at half a turn.
"""

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace, constant, detach
from poselift.geometry.products import compose, cross_matrix, stack_matrix

SMALL = 1e-6
"""Squared angle below which series replace the quotients 0 / 0; the omitted terms are below 1e-14."""


def axis_angle_to_matrix(axis_angle: Float[Array, "*batch 3"]) -> Float[Array, "*batch 3 3"]:
    """Rotation about the vector, by its length (Rodrigues' formula).

    Example:
        >>> import numpy as np
        >>> quarter = axis_angle_to_matrix(np.array([0.0, 0.0, np.pi / 2]))
        >>> (quarter @ np.array([1.0, 1.0, 0.0])).round().tolist()
        [-1.0, 1.0, 0.0]
    """
    xp = array_namespace(axis_angle)
    squared = (axis_angle**2).sum(-1)[..., None, None]
    small = squared < SMALL
    angle = xp.sqrt(xp.where(small, 1.0, squared))
    first = xp.where(small, 1 - squared / 6, xp.sin(angle) / angle)
    # (1 - cos) / angle², without cancellation.
    second = xp.where(small, 0.5 - squared / 24, 2 * (xp.sin(angle / 2) / angle) ** 2)
    cross = cross_matrix(axis_angle)
    return constant(np.eye(3), axis_angle) + first * cross + second * compose(cross, cross)


def quaternion_to_matrix(quaternion: Float[Array, "*batch 4"]) -> Float[Array, "*batch 3 3"]:
    """Rotation of a quaternion w, x, y, z of any positive length. A zero quaternion gives NaN."""
    w, x, y, z = array_namespace(quaternion).unstack(quaternion, axis=-1)
    s = 2 / (quaternion**2).sum(-1)
    return stack_matrix(
        (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
    )


def matrix_to_quaternion(matrix: Float[Array, "*batch 3 3"]) -> Float[Array, "*batch 4"]:
    """Unit quaternion w, x, y, z of a rotation. Its largest number is positive."""
    xp = array_namespace(matrix)
    (a, b, c), (d, e, f), (g, h, i) = (xp.unstack(row, axis=-1) for row in xp.unstack(matrix, axis=-2))
    # Four times the products of each two of its numbers: any row is the quaternion times one of them.
    products = stack_matrix(
        (1 + a + e + i, h - f, c - g, d - b),
        (h - f, 1 + a - e - i, b + d, c + g),
        (c - g, b + d, 1 - a + e - i, f + h),
        (d - b, c + g, f + h, 1 - a - e + i),
    )
    squares = xp.linalg.diagonal(products)
    largest = xp.argmax(squares, axis=-1)[..., None]
    row = xp.take_along_axis(products, largest[..., None], axis=-2)[..., 0, :]
    return row / (2 * xp.sqrt(xp.take_along_axis(squares, largest, axis=-1)))


def rotation_x(angle: Float[Array, "*batch"]) -> Float[Array, "*batch 3 3"]:
    """Rotation about the x axis: y turns towards z."""
    return _about(0, angle)


def rotation_y(angle: Float[Array, "*batch"]) -> Float[Array, "*batch 3 3"]:
    """Rotation about the y axis: z turns towards x."""
    return _about(1, angle)


def rotation_z(angle: Float[Array, "*batch"]) -> Float[Array, "*batch 3 3"]:
    """Rotation about the z axis: x turns towards y."""
    return _about(2, angle)


def _about(axis: int, angle: Array) -> Array:
    xp = array_namespace(angle)
    return _plane(axis, xp.cos(angle), xp.sin(angle))


def _plane(axis: int, cos: Array, sin: Array) -> Array:
    """Rotation about one of the axes by its cosine and sine."""
    xp = array_namespace(cos)
    one, zero = xp.ones_like(cos), xp.zeros_like(cos)
    if axis == 0:
        return stack_matrix((one, zero, zero), (zero, cos, -sin), (zero, sin, cos))
    if axis == 1:
        return stack_matrix((cos, zero, sin), (zero, one, zero), (-sin, zero, cos))
    return stack_matrix((cos, -sin, zero), (sin, cos, zero), (zero, zero, one))


def rotation_towards(direction: Float[Array, "*batch 3"]) -> Float[Array, "*batch 3 3"]:
    """Rotation without roll that turns a direction onto the optical axis.

    The rotation Q is a pan about the camera's y axis, then a tilt about x: Q d / |d| = (0, 0, 1), and Q keeps x level.
    A camera with this rotation looks at d. Directions straight up or down need tilt alone (pan 0), and a zero
    direction gives no rotation; at both, the gradients of the pan are 0.

    Args:
        direction: in the camera frame, of any length.

    Returns:
        Q; Q d points along +z.

    Example:
        >>> import numpy as np
        >>> (rotation_towards(np.array([0.0, 3.0, 4.0])) @ np.array([0.0, 3.0, 4.0])).round(6).tolist()
        [0.0, 0.0, 5.0]
    """
    xp = array_namespace(direction)
    epsilon = xp.finfo(direction.dtype).eps
    # Scale by the largest coordinate first, so that no square overflows or underflows.
    size = xp.max(xp.abs(detach(direction)), axis=-1, keepdims=True)
    x, y, z = xp.unstack(direction / xp.where(size > 0, size, 1.0), axis=-1)
    level_squared = x * x + z * z
    pans = level_squared > epsilon**2
    level = xp.sqrt(xp.where(pans, level_squared, 1.0))
    pan = _plane(1, xp.where(pans, z / level, 1.0), xp.where(pans, -x / level, 0.0))

    squared = level_squared + y * y
    length = xp.sqrt(xp.where(squared > 0, squared, 1.0))
    cos = xp.where(pans, level, 0.0) / length
    tilt = _plane(0, xp.where(squared > 0, cos, 1.0), y / length)
    return compose(tilt, pan)
