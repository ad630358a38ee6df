"""Solid parts of a body in 3D: limbs, trunk, head, feet.

A motion has only joints. The thickness of the parts, and feet where the skeleton ends at the ankles, are drawn so that
the view can be read; they are not measured.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float

from poselift.skeleton import Skeleton
from poselift.skeleton.flesh import capsule_radii
from poselift.skeleton.hand import SIDES
from poselift.structures import Motion
from poselift.viz.limbs import limbs_of

_CHIN, _CROWN = 0.45, 0.68
"""Ends of the drawn head, as shares of the way from the base of the neck to the top of the head."""
_FOOT = {"toe": (0.36, 0.1), "heel": (-0.1, 0.1)}
"""Ends of a drawn foot, in lengths of the shin: forward from the ankle, and on along the shin."""
_SOLE = 0.03
"""Metres from the middle of a toe or heel to the ground."""
_ANKLE = 0.075
"""Metres from the ankle of somebody who stands to the ground."""


@dataclass(frozen=True, eq=False)
class BodyParts:
    """The parts of a skeleton.

    One without shoulders, hips or the top of the head has plain limbs instead.

    Attributes:
        ends: two point indices for each end of each limb; the end is in their middle. The points are those of `points`.
        radii: metres at both ends of each limb.
        sides: "left", "right" or "middle" for each limb.
        trunk: indices of the left and right shoulder and of the left and right hip; empty without them.
        head: indices of the base and the top of the head; None without them.
        legs: indices of the knee and ankle of each leg that needs a drawn foot.
        sole: metres from the lowest joint of somebody who stands to the ground.
    """

    ends: np.ndarray
    radii: Float[np.ndarray, "l 2"]
    sides: tuple[str, ...]
    trunk: tuple[int, ...]
    head: tuple[int, int] | None
    legs: np.ndarray
    sole: float

    def head_points(self) -> list[tuple[int, int, float]]:
        """Both ends of the drawn head, the points after the joints.

        Each has two joints, and the share of the way between.
        """
        return [(*self.head, share) for share in (_CHIN, _CROWN)] if self.head else []

    def points(self, joints: Float[np.ndarray, "j 3"], floor: float) -> Float[np.ndarray, "points 3"]:
        """The joints, then the ends of the head, toes and heels.

        Each drawn foot has both.

        Args:
            joints: metres, Y up.
            floor: height of the ground below the person; drawn feet do not sink into it.
        """
        parts = [joints]
        parts += [joints[None, base] + share * (joints[top] - joints[base]) for base, top, share in self.head_points()]
        if len(self.legs):
            left_shoulder, right_shoulder, left_hip, right_hip = joints[list(self.trunk)]
            up = left_shoulder + right_shoulder - left_hip - right_hip
            knees, ankles = joints[self.legs[:, 0]], joints[self.legs[:, 1]]
            shins = ankles - knees
            lengths = np.linalg.norm(shins, axis=-1, keepdims=True)
            along = shins / np.maximum(lengths, 1e-6)
            forward = np.cross(left_hip - right_hip, up)
            forward = forward - (along * forward).sum(-1, keepdims=True) * along
            forward /= np.maximum(np.linalg.norm(forward, axis=-1, keepdims=True), 1e-6)
            feet = [ankles + lengths * (ahead * forward + on * along) for ahead, on in _FOOT.values()]
            drawn = np.stack(feet, 1).reshape(-1, 3)
            drawn[:, 1] = np.maximum(drawn[:, 1], np.minimum(floor + _SOLE, ankles[:, 1].repeat(2)))
            parts.append(drawn)
        return np.concatenate(parts)


@cache
def parts_of(skeleton: Skeleton) -> BodyParts:
    """The parts that draw a skeleton."""
    have = set(skeleton.joints)
    corners = [f"{side}_{part}" for part in ("shoulder", "hip") for side in ("left", "right")]
    trunk = tuple(skeleton.indices(corners)) if have.issuperset(corners) else ()
    ends_of_head = {"neck_base", "head_top"} <= have
    head = (skeleton.index("neck_base"), skeleton.index("head_top")) if ends_of_head else None
    names, lines = list(skeleton.joints), limbs_of(skeleton)
    ends, radii, sides = [], [], []

    def add(end: list[list[int]], part: str, side: str) -> None:
        ends.append(end)
        radii.append(capsule_radii(part))
        sides.append(side)

    for (start, stop), side in zip(lines.joints.tolist(), lines.sides, strict=True):
        far, near = names[stop[0]], names[start[0]]
        # The trunk and the head cover their own bones.
        if (trunk and _is_within(near) and _is_within(far)) or (head and _of_head(far)):
            continue
        if head and far == "neck_base" and trunk:
            start = [start[0], stop[0]]  # the lower half of the neck is inside the trunk
        add([start, stop], far, side)
    if head:
        chin = len(names)
        names += ["head_low", "head_high"]
        add([[head[0]] * 2, [chin] * 2], "neck_base", "middle")
        add([[chin] * 2, [chin + 1] * 2], "head", "middle")
        if "nose" in have:
            add([[chin] * 2, [skeleton.index("nose")] * 2], "nose", "middle")
    has_feet = any(joint.split("_")[-1] in ("toe", "foot", "toes") for joint in have)
    legs = []
    for side in ("left", "right") if trunk and not has_feet else ():
        if {f"{side}_knee", f"{side}_ankle"} <= have:
            legs.append(skeleton.indices([f"{side}_knee", f"{side}_ankle"]))
            ankle, toe = legs[-1][1], len(names)
            names += ["toe", "heel"]
            add([[toe + 1] * 2, [toe] * 2], "toe", side)
            add([[ankle] * 2, [toe + 1] * 2], "heel", side)
    return BodyParts(
        np.array(ends, int).reshape(-1, 2, 2),
        np.array(radii, float).reshape(-1, 2),
        tuple(sides),
        trunk,
        head,
        np.array(legs, int).reshape(-1, 2),
        _ANKLE if not has_feet else _SOLE,
    )


def _is_within(joint: str) -> bool:
    """Whether a joint lies inside the trunk."""
    return joint.split("_")[-1].rstrip("0123456789") in ("pelvis", "spine", "thorax", "hip", "shoulder", "collar")


def _of_head(joint: str) -> bool:
    return joint.split("_")[-1] in ("top", "nose", "eye", "ear")


def joints_to_draw(motion: Motion) -> tuple[Float[np.ndarray, "t k 3"], Skeleton]:
    """The drawn joints, relative to the root, and their skeleton.

    Metres; with fingers, if hands are known. The joint `hand` of a skeleton is not drawn where fingers are: it is the
    end of a hand without any.
    """
    joints, skeleton = motion.with_fingers()
    if motion.hands is None or skeleton is motion.skeleton:
        return joints, skeleton
    joints = joints.copy()
    for row, side in enumerate(SIDES):
        if f"{side}_hand" in skeleton.joints:
            joints[motion.hands.seen[:, row], skeleton.index(f"{side}_hand")] = np.nan
    return joints, skeleton
