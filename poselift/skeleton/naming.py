"""Joint names of other programs: `RShoulder`, `left_bigtoe`, `MidHip`."""

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
"""Joints with another name in poselift. The neck of Halpe, AI Challenger, CrowdPose and JHMDB, MPII's upper neck and
PoseTrack's head bottom are one joint, and so are their heads: mmpose's body8-halpe26 configs join the datasets so."""

_SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}
_GLUED = re.compile(
    "(left|right|l|r)("
    + "|".join(joint[5:] for skeleton in SKELETONS.values() for joint in skeleton.joints if joint.startswith("left_"))
    + ")"
)
"""A side directly before a joint that exists on both sides."""
_FEWEST = 6
"""Smallest number of known names that identifies a skeleton."""


def translate_name(name: str) -> str:
    """The joint's name in poselift.

    An unknown joint keeps its words, joined by "_".

    Example:
        >>> translate_name("MidHip"), translate_name("Left Antenna")
        ('pelvis', 'left_antenna')
    """
    spelt = spell_name(name)
    return _OUR_NAMES.get(spelt, spelt)


def spell_name(name: str) -> str:
    """The name in lower case, side first, joined by "_".

    Case, spaces and hyphens do not matter, and the side can stand before or after the joint.

    Example:
        >>> [spell_name(name) for name in ("LBigToe", "Lbigtoe", "big-toe L", "left_bigtoe")]
        ['left_big_toe', 'left_big_toe', 'left_big_toe', 'left_big_toe']
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
    return side + joint


def closest_skeleton(names: Sequence[str]) -> tuple[Skeleton, list[int | None]] | None:
    """The skeleton with most of the named joints; among equals, the smallest.

    Args:
        names: joint names in any spelling.

    Returns:
        The skeleton, and for each of its joints the index among the names, or None for a missing joint. None if no
        skeleton has six of the names.

    Example:
        >>> names = ["RShoulder", "LShoulder", "RHip", "LHip", "RKnee", "LKnee", "RElbow", "LElbow"]
        >>> skeleton, indices = closest_skeleton(names)
        >>> skeleton.name, indices[:4]
        ('crowdpose14', [1, 0, 7, 6])
    """
    ours = [translate_name(name) for name in names]
    best = max(SKELETONS.values(), key=lambda skeleton: (len(set(skeleton.joints) & set(ours)), -len(skeleton)))
    if len(set(best.joints) & set(ours)) < _FEWEST:
        return None
    return best, find_places(best, names)


def find_places(skeleton: Skeleton, names: Sequence[str]) -> list[int | None]:
    """The index of each joint among the names, or None.

    A name of poselift's own wins over another of the same joint.
    """
    ours = list(map(translate_name, names))
    order = sorted(range(len(names)), key=lambda place: spell_name(names[place]) != ours[place])
    known = {ours[place]: place for place in reversed(order)}
    return [known.get(joint) for joint in skeleton.joints]
