"""Bones: from joints to the vectors between them, and back.

`parents` gives for each joint the index of its parent and -1 for the one root, in any order of joints
(`Skeleton.parent_indices`).
"""

from collections.abc import Sequence
from functools import cache

from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace


def bone_vectors(points: Float[Array, "*batch j 3"], parents: Sequence[int]) -> Float[Array, "*batch j 3"]:
    """Vector from each joint's parent to the joint; zeros for the root.

    Args:
        points: joints.
        parents: for each joint the index of its parent, -1 for the root.

    Raises:
        ValueError: `parents` is not a tree of as many joints as `points` has.

    Example:
        >>> import numpy as np
        >>> bone_vectors(np.array([[0.0, 1, 0], [0, 3, 0]]), [-1, 0]).tolist()
        [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    """
    root = order_from_root(parents, points.shape[-2])[0]
    starts = [root if parent < 0 else parent for parent in parents]
    return points - points[..., starts, :]


def bone_lengths(points: Float[Array, "*batch j 3"], parents: Sequence[int]) -> Float[Array, "*batch j"]:
    """Length of each joint's bone; 0 for the root.

    Raises:
        ValueError: `parents` is not a tree of as many joints as `points` has.
    """
    return array_namespace(points).linalg.vector_norm(bone_vectors(points, parents), axis=-1)


def points_from_bones(
    vectors: Float[Array, "*batch j 3"], root: Float[Array, "*batch 3"], parents: Sequence[int]
) -> Float[Array, "*batch j 3"]:
    """The joints at the ends of bones: the inverse of `bone_vectors`.

    Each joint is the root plus the bones on its way from the root. A NaN bone makes only the joints beyond it NaN.

    Args:
        vectors: joint minus parent; the root's own row does not matter.
        root: position of the root joint.
        parents: for each joint the index of its parent, -1 for the root.

    Raises:
        ValueError: `parents` is not a tree of as many joints as `vectors` has.
    """
    first, *others = order_from_root(parents, vectors.shape[-2])
    placed = {first: root}
    # From joint to joint: sums over whole chains at once need much memory for a long clip.
    for joint in others:
        placed[joint] = placed[parents[joint]] + vectors[..., joint, :]
    return array_namespace(vectors).stack([placed[joint] for joint in range(len(parents))], axis=-2)


def set_bone_lengths(
    points: Float[Array, "*batch j 3"], lengths: Float[Array, "*#batch j"], parents: Sequence[int]
) -> Float[Array, "*batch j 3"]:
    """The joints with other bone lengths, but the same directions and root.

    Args:
        points: joints.
        lengths: of the bone that ends at each joint; the root's does not matter.
        parents: for each joint the index of its parent, -1 for the root.

    Raises:
        ValueError: `parents` is not a tree of as many joints as `points` has.
    """
    xp = array_namespace(points)
    root = order_from_root(parents, points.shape[-2])[0]
    bones = bone_vectors(points, parents)
    present = xp.linalg.vector_norm(bones, axis=-1)
    scale = lengths / xp.where(present > _NO_LENGTH, present, _NO_LENGTH)
    return points_from_bones(bones * scale[..., None], points[..., root, :], parents)


_NO_LENGTH = 1e-6
"""Shortest bone with a direction, metres."""


def order_from_root(parents: Sequence[int], joints: int) -> list[int]:
    """The joints in an order in which each comes after its parent.

    Raises:
        ValueError: `parents` is not a tree of that many joints.
    """
    if len(parents) != joints:
        raise ValueError(f"{joints} joints have {len(parents)} parents; give one parent for each joint")
    return list(_order(tuple(parents)))


@cache
def _order(parents: tuple[int, ...]) -> tuple[int, ...]:
    joints = len(parents)
    if sum(parent == -1 for parent in parents) != 1 or not all(-1 <= parent < joints for parent in parents):
        raise ValueError(
            f"parents {[*parents]} must contain -1 once, for the root, and otherwise indices below {joints}"
        )
    order = [[*parents].index(-1)]
    for joint in order:
        order += [child for child, parent in enumerate(parents) if parent == joint]
    if len(order) < joints:
        loop = next(joint for joint in range(joints) if joint not in order)
        raise ValueError(f"parents form a loop at joint {loop}: {[*parents]}")
    return tuple(order)
