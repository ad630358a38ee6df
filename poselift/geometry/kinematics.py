"""Forward kinematics: from joint rotations to joint positions."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry.bones import root_of
from poselift.geometry.products import compose


def forward_kinematics(
    rotations: Float[Tensor, "*batch j 3 3"],
    offsets: Float[Tensor, "*batch j 3"],
    root: Float[Tensor, "*batch 3"],
    parents: Sequence[int],
) -> tuple[Float[Tensor, "*batch j 3"], Float[Tensor, "*batch j 3 3"]]:
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
        >>> rotations = torch.eye(3).expand(2, 3, 3)
        >>> offsets = torch.tensor([[0.0, 0, 0], [0, 0.5, 0]])
        >>> positions, _ = forward_kinematics(rotations, offsets, torch.tensor([1.0, 0, 0]), [-1, 0])
        >>> positions
        tensor([[1.0000, 0.0000, 0.0000],
                [1.0000, 0.5000, 0.0000]])
    """
    top = root_of(parents, rotations.shape[-3])
    orientations, positions = {top: rotations[..., top, :, :]}, {top: root}
    while len(orientations) < len(parents):
        for joint, parent in enumerate(parents):
            if joint not in orientations and parent in orientations:
                orientations[joint] = compose(orientations[parent], rotations[..., joint, :, :])
                # From joint to joint: sums over whole chains at once need much memory for a long clip.
                vector = (orientations[parent] * offsets[..., joint, None, :]).sum(-1)
                positions[joint] = positions[parent] + vector
    order = range(len(parents))
    placed = torch.stack([positions[joint] for joint in order], -2)
    return placed, torch.stack([orientations[joint] for joint in order], -3)
