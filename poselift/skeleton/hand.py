"""The joints of a hand."""

from poselift.skeleton.skeleton import Skeleton

_FINGERS = {
    "thumb": ("cmc", "mcp", "ip", "tip"),
    **dict.fromkeys(("index", "middle", "ring", "pinky"), ("mcp", "pip", "dip", "tip")),
}
_JOINTS = [("wrist", None)] + [
    (f"{finger}_{part}", f"{finger}_{parts[place - 1]}" if place else "wrist")
    for finger, parts in _FINGERS.items()
    for place, part in enumerate(parts)
]

HAND21 = Skeleton("hand21", tuple(joint for joint, _ in _JOINTS), tuple(parent for _, parent in _JOINTS))
"""The 21 joints of MediaPipe's hands, in its order; COCO-WholeBody's and Halpe's hands have the same."""
