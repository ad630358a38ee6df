"""The lines that draw a body from the joints of a skeleton."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float

from poselift.skeleton import Skeleton

# COCO has no joint in the middle of the body. So lines connect both shoulders and both hips, and the head is
# connected to the middle of the shoulders.
_MIDDLE_JOINTS = {"shoulder": {"thorax", "neck_base", "mid_shoulders", "neck"}, "hip": {"pelvis"}}
# By the last word of the far joint's name.
_WIDTHS = {"eye": 0.45, "ear": 0.45, "nose": 0.6, "toe": 0.6, "heel": 0.6, "hand": 0.7, "foot": 0.7}
_WIDTHS |= {"knee": 1.15, "ankle": 1.0, "elbow": 0.95, "wrist": 0.8}
_WIDTHS |= dict.fromkeys(("cmc", "mcp", "ip", "pip", "dip", "tip"), 0.25)


@dataclass(frozen=True, eq=False)
class Limbs:
    """The lines of a skeleton.

    Attributes:
        joints: two joint indices for each end of each limb; the end is in their middle. Both are the same for a joint.
        sides: "left", "right" or "middle" for each limb.
        widths: thickness of each limb relative to the trunk's.
    """

    joints: np.ndarray
    sides: tuple[str, ...]
    widths: np.ndarray

    def ends(self, points: Float[np.ndarray, "j c"]) -> Float[np.ndarray, "l 2 c"]:
        """Start and end of each limb; NaN for unknown joints."""
        return points[self.joints].mean(axis=2)


@cache
def limbs_of(skeleton: Skeleton) -> Limbs:
    """A skeleton's limbs: its bones, and lines past missing joints. They replace missing middle joints."""
    lines: list[tuple[tuple[str, str], tuple[str, str]]] = []
    for parent, child in skeleton.bones:
        if not (parent == "nose" and child.endswith("_shoulder")):
            lines.append(((parent, parent), (child, child)))
    for part, middles in _MIDDLE_JOINTS.items():
        left, right = f"left_{part}", f"right_{part}"
        if left in skeleton.joints and not middles.intersection(skeleton.joints):
            lines.append(((left, left), (right, right)))
            if part == "shoulder" and "nose" in skeleton.joints:
                lines.append(((left, right), ("nose", "nose")))
    joints = np.array([[skeleton.indices(list(end)) for end in line] for line in lines], int).reshape(-1, 2, 2)
    return Limbs(
        joints,
        sides=tuple(_side(*line) for line in lines),
        widths=np.array([_width(*line) for line in lines]),
    )


def _side(start: tuple[str, str], end: tuple[str, str]) -> str:
    """The far end's side; "middle" for a line across the body."""
    sides = {joint.split("_")[0] for joint in (*start, *end)}
    if {"left", "right"} <= sides:
        return "middle"
    return next((side for side in ("left", "right") if side in sides), "middle")


def _width(start: tuple[str, str], end: tuple[str, str]) -> float:
    part = end[0].split("_")[-1]
    return _WIDTHS.get(part, 1.0) if start[0] == start[1] else 1.0
