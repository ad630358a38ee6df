"""Bones: from joints to the vectors between them, and back.

`parents` gives for each joint the index of its parent and -1 for the one root, in any order of joints
(`Skeleton.parent_indices`).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor


def bone_vectors(points: Float[Tensor, "*batch j 3"], parents: Sequence[int]) -> Float[Tensor, "*batch j 3"]:
    """The vector from each joint's parent to the joint; zeros for the root.

    Args:
        points: joints.
        parents: for each joint the index of its parent, -1 for the root.

    Raises:
        ValueError: `parents` is not a tree of as many joints as `points` has.

    Example:
        >>> bone_vectors(torch.tensor([[0.0, 1, 0], [0, 3, 0]]), [-1, 0])
        tensor([[0., 0., 0.],
                [0., 2., 0.]])
    """
    root = root_of(parents, points.shape[-2])
    starts = [root if parent < 0 else parent for parent in parents]
    return points - points[..., starts, :]


def bone_lengths(points: Float[Tensor, "*batch j 3"], parents: Sequence[int]) -> Float[Tensor, "*batch bones"]:
    """Length of each bone, in the order of the joints without the root.

    Raises:
        ValueError: `parents` is not a tree of as many joints as `points` has.
    """
    root = root_of(parents, points.shape[-2])
    children = [joint for joint in range(len(parents)) if joint != root]
    return bone_vectors(points, parents)[..., children, :].norm(dim=-1)


def points_from_bones(
    vectors: Float[Tensor, "*batch j 3"], root: Float[Tensor, "*batch 3"], parents: Sequence[int]
) -> Float[Tensor, "*batch j 3"]:
    """The joints at the ends of bones: the inverse of `bone_vectors`.

    Each joint is the root plus the bones on its way from the root. A NaN bone makes only the joints beyond it NaN.

    Args:
        vectors: joint minus parent; the root's own row does not matter.
        root: position of the root joint.
        parents: for each joint the index of its parent, -1 for the root.

    Raises:
        ValueError: `parents` is not a tree of as many joints as `vectors` has.
    """
    on_the_way = torch.tensor(_ancestors(parents, vectors.shape[-2]), device=vectors.device)
    # Selected by a mask, not multiplied by 0 and 1, because 0 times NaN is NaN.
    along = vectors[..., None, :, :].where(on_the_way[..., None], 0.0).sum(-2)
    return root[..., None, :] + along


def root_of(parents: Sequence[int], joints: int) -> int:
    """Index of the root.

    Raises:
        ValueError: `parents` is not a tree of that many joints.
    """
    _ancestors(parents, joints)
    return [*parents].index(-1)


def _ancestors(parents: Sequence[int], joints: int) -> list[list[bool]]:
    """For each joint (row), True for the joints whose bones lead to it from the root, including itself."""
    if len(parents) != joints:
        raise ValueError(f"{joints} joints have {len(parents)} parents; give one parent for each joint")
    if sum(parent == -1 for parent in parents) != 1 or not all(-1 <= parent < joints for parent in parents):
        raise ValueError(
            f"parents {[*parents]} must contain -1 once, for the root, and otherwise indices below {joints}"
        )
    rows = []
    for joint in range(joints):
        row = [False] * joints
        while parents[joint] != -1:
            if row[joint]:
                raise ValueError(f"parents form a loop at joint {joint}: {[*parents]}")
            row[joint] = True
            joint = parents[joint]
        rows.append(row)
    return rows
