"""Forward kinematics: from joint rotations to joint positions."""

from collections.abc import Sequence

from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace
from poselift.geometry.bones import order_from_root
from poselift.geometry.products import compose, rotate


def forward_kinematics(
    rotations: Float[Array, "*batch j 3 3"],
    offsets: Float[Array, "*batch j 3"],
    root: Float[Array, "*batch 3"],
    parents: Sequence[int],
) -> tuple[Float[Array, "*batch j 3"], Float[Array, "*batch j 3 3"]]:
    """Positions and orientations of a tree's joints.

    Args:
        rotations: rotation of each joint in its parent's frame; that of the root in the frame of the result.
        offsets: vector from the parent to the joint in the parent's frame, metres; the root's row is ignored.
        root: position of the root joint, metres.
        parents: for each joint the index of its parent, -1 for the root, in any order of joints.

    Returns:
        Positions in metres, and the rotation of each joint in the frame of the result.

    Raises:
        ValueError: `parents` is not a tree of as many joints as there are rotations.

    Example:
        >>> import numpy as np
        >>> rotations, offsets = np.stack([np.eye(3)] * 2), np.array([[0.0, 0, 0], [0, 0.5, 0]])
        >>> positions, _ = forward_kinematics(rotations, offsets, np.array([1.0, 0, 0]), [-1, 0])
        >>> positions.tolist()
        [[1.0, 0.0, 0.0], [1.0, 0.5, 0.0]]
    """
    top, *others = order_from_root(parents, rotations.shape[-3])
    orientations, positions = {top: rotations[..., top, :, :]}, {top: root}
    # From joint to joint: sums over whole chains at once need much memory for a long clip.
    for joint in others:
        parent = parents[joint]
        orientations[joint] = compose(orientations[parent], rotations[..., joint, :, :])
        positions[joint] = positions[parent] + rotate(orientations[parent], offsets[..., joint, :])
    xp, order = array_namespace(rotations), range(len(parents))
    placed = xp.stack([positions[joint] for joint in order], axis=-2)
    return placed, xp.stack([orientations[joint] for joint in order], axis=-3)
