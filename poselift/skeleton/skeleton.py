"""A skeleton as data: joint names and parents."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from poselift.core.errors import InputError

Pelvis = Literal["spine", "hips"]
"""Where a pelvis lies: at the base of the spine (as in the CMU corpus) or in the middle of the hips (Human3.6M)."""


@dataclass(frozen=True)
class Skeleton:
    """Joints in a fixed order, with their parents.

    Attributes:
        name: name of the skeleton, e.g. "h36m17".
        joints: joint names in the order of arrays. Sides are the person's own: `left_...`, `right_...`.
        parents: name of each joint's parent, None for the root; `parent_indices` has the indices.

    Raises:
        InputError: a name repeats, a parent is unknown, or a joint has no partner on the other side.

    Example:
        >>> arm = Skeleton("arm", ("shoulder", "elbow", "wrist"), (None, "shoulder", "elbow"))
        >>> arm.bones, arm.parent_indices
        ((('shoulder', 'elbow'), ('elbow', 'wrist')), (-1, 0, 1))
    """

    name: str
    joints: tuple[str, ...]
    parents: tuple[str | None, ...]

    def __post_init__(self) -> None:
        for key in ("joints", "parents"):
            if isinstance(names := getattr(self, key), str) or not isinstance(names, Sequence):
                raise InputError(f"skeleton {self.name}: {key} is {names!r:.40}; give a tuple of names")
            object.__setattr__(self, key, tuple(names))
        if wrong := [name for name in (*self.joints, *self.parents) if not isinstance(name, str | None)]:
            raise InputError(f"skeleton {self.name}: {wrong[0]!r:.40} is no name of a joint")
        if len(set(self.joints)) != len(self.joints):
            raise InputError(f"skeleton {self.name}: a joint name repeats")
        if len(self.parents) != len(self.joints):
            raise InputError(f"skeleton {self.name}: {len(self.joints)} joints but {len(self.parents)} parents")
        for joint, parent in zip(self.joints, self.parents, strict=True):
            if parent is not None and parent not in self.joints:
                raise InputError(f"skeleton {self.name}: parent {parent!r} of {joint!r} is not one of its joints")
            if other_side(joint) not in self.joints:
                raise InputError(f"skeleton {self.name}: {joint!r} has no partner {other_side(joint)!r}")

    def __len__(self) -> int:
        return len(self.joints)

    def index(self, joint: str) -> int:
        """Index of a joint by name.

        Raises:
            InputError: the skeleton has no such joint.
        """
        try:
            return self.joints.index(joint)
        except ValueError:
            raise InputError(f"skeleton {self.name} has no joint {joint!r}; it has {', '.join(self.joints)}") from None

    def indices(self, joints: tuple[str, ...] | list[str]) -> list[int]:
        """Indices of several joints by name."""
        return [self.index(joint) for joint in joints]

    @cached_property
    def parent_indices(self) -> tuple[int, ...]:
        """Index of each joint's parent; -1 for a root."""
        return tuple(-1 if parent is None else self.joints.index(parent) for parent in self.parents)

    @cached_property
    def bones(self) -> tuple[tuple[str, str], ...]:
        """Names (parent, child) of the bones, in the order of the children."""
        pairs = zip(self.parents, self.joints, strict=True)
        return tuple((parent, child) for parent, child in pairs if parent is not None)

    @cached_property
    def bone_indices(self) -> tuple[tuple[int, int], ...]:
        """Indices (parent, child) of the bones, in the order of the children."""
        return tuple((self.index(parent), self.index(child)) for parent, child in self.bones)

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """Joint indices, each parent before its children."""
        order: list[int] = []
        while len(order) < len(self):
            ready = [
                j for j, parent in enumerate(self.parent_indices) if j not in order and (parent < 0 or parent in order)
            ]
            if not ready:
                raise InputError(f"skeleton {self.name}: its parents form a loop")
            order += ready
        return tuple(order)

    def branch(self, joint: int) -> list[int]:
        """Indices of a joint and of all joints that hang on it."""
        found = {joint}
        for row in self.topological_order:
            if self.parent_indices[row] in found:
                found.add(row)
        return sorted(found)

    @cached_property
    def flip_indices(self) -> tuple[int, ...]:
        """Index of each joint's partner: in a mirrored picture, `flipped = mirrored[flip_indices]`."""
        return tuple(self.joints.index(other_side(joint)) for joint in self.joints)


def strip_side(joint: str) -> str:
    """A joint's name without its side."""
    return joint.removeprefix("left_").removeprefix("right_")


def other_side(joint: str) -> str:
    """Name of the joint on the other side.

    A middle joint is its own partner.
    """
    if joint.startswith("left_"):
        return "right_" + joint.removeprefix("left_")
    if joint.startswith("right_"):
        return "left_" + joint.removeprefix("right_")
    return joint
