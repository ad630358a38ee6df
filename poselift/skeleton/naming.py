"""Joints as other programs write them: `RShoulder`, `left_bigtoe`, `MidHip`."""

import re
from collections.abc import Sequence

from poselift.skeleton.skeleton import Skeleton
from poselift.skeleton.skeletons import SKELETONS

_OUR_NAMES = {
    "head": "head_top",
    "top_head": "head_top",
    "neck": "neck_base",
    "upper_neck": "neck_base",
    "head_bottom": "neck_base",
    "hip": "pelvis",
    "mid_hip": "pelvis",
    "c_hip": "pelvis",
}
"""Joints that have another name here. That Halpe's, AI Challenger's, CrowdPose's and JHMDB's neck, MPII's upper neck
and PoseTrack's head bottom are one joint, as their heads are, is how mmpose's own body8-halpe26 configs join these
data sets."""

_SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}
_GLUED = re.compile(
    "(left|right|l|r)("
    + "|".join(joint[5:] for skeleton in SKELETONS.values() for joint in skeleton.joints if joint.startswith("left_"))
    + ")"
)
"""A side without anything between it and a joint that there is on both sides."""
_FEWEST = 6
"""Joints that must be known by name: fewer do not make a person."""


def our_name(name: str) -> str:
    """The name that a joint has here, as far as can be told; otherwise its own words with "_" between them.

    Upper and lower case, spaces and hyphens do not matter, and a side is understood before or behind the joint:
    `LBigToe`, `Lbigtoe`, `big-toe L` and `left_bigtoe` are `left_big_toe`.
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.strip()).lower()
    parts = [part for part in re.split(r"[^a-z0-9]+", words.replace("toe", "_toe")) if part]
    side = ""
    for place in (0, -1):
        if len(parts) > 1 and parts[place] in _SIDES:
            side = _SIDES[parts.pop(place)] + "_"
            break
    joint = "_".join(parts)
    if not side and (glued := _GLUED.fullmatch(joint)):
        return f"{_SIDES[glued[1]]}_{glued[2]}"
    return side + joint if side else _OUR_NAMES.get(joint, joint)


def closest_skeleton(names: Sequence[str]) -> tuple[Skeleton, list[int | None]] | None:
    """The joint set that has most of the named joints; of several the one with the fewest others.

    Args:
        names: of joints, in anybody's words.

    Returns:
        The joint set, and for each of its joints the place among the names, None for one that is not there. None
        where no joint set has six of the names.
    """
    ours = [our_name(name) for name in names]
    best = max(SKELETONS.values(), key=lambda skeleton: (len(set(skeleton.joints) & set(ours)), -len(skeleton)))
    if len(set(best.joints) & set(ours)) < _FEWEST:
        return None
    return best, places(best, names)


def places(skeleton: Skeleton, names: Sequence[str]) -> list[int | None]:
    """For each joint of a joint set the place among the names, None for one that is not there."""
    ours = [our_name(name) for name in names]
    return [ours.index(joint) if joint in ours else None for joint in skeleton.joints]
