"""The joints of a hand, and skeletons with both hands."""

from functools import cache

from poselift.skeleton.skeleton import Skeleton

FINGERS = {
    "thumb": ("cmc", "mcp", "ip", "tip"),
    **dict.fromkeys(("index", "middle", "ring", "pinky"), ("mcp", "pip", "dip", "tip")),
}
"""The joints of each finger, from the wrist to the tip."""

_JOINTS = [("wrist", None)] + [
    (f"{finger}_{part}", f"{finger}_{parts[place - 1]}" if place else "wrist")
    for finger, parts in FINGERS.items()
    for place, part in enumerate(parts)
]

HAND21 = Skeleton("hand21", tuple(joint for joint, _ in _JOINTS), tuple(parent for _, parent in _JOINTS))
"""The 21 joints of MediaPipe's hands, in its order; COCO-WholeBody's and Halpe's hands have the same."""

SIDES = ("left", "right")
"""Of the person, in the order of arrays."""


def on_body(side: str, joint: str) -> str:
    """A body's name of a hand's joint, such as left_hand_index_tip.

    The hand's wrist is the body's left_wrist.

    Args:
        side: "left" or "right".
        joint: of `HAND21`.
    """
    return f"{side}_wrist" if joint == "wrist" else f"{side}_hand_{joint}"


HANDS = Skeleton(
    "hands",
    tuple(on_body(side, joint) for side in SIDES for joint in HAND21.joints),
    tuple(parent and on_body(side, parent) for side in SIDES for parent in HAND21.parents),
)
"""The left and then the right hand, with their names on a body."""


@cache
def with_fingers(skeleton: Skeleton) -> Skeleton:
    """A skeleton that has wrists, with both hands' joints after its own."""
    added = [row for row, joint in enumerate(HANDS.joints) if HANDS.parents[row] is not None]
    return Skeleton(
        f"{skeleton.name}+hands",
        (*skeleton.joints, *(HANDS.joints[row] for row in added)),
        (*skeleton.parents, *(HANDS.parents[row] for row in added)),
    )
