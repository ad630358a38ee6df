"""A standing person from the front: joints and outline.

Arms and legs are apart. Coordinates go right and up, from the pelvis, in heights of the trunk; the viewer's left is
the person's right. They are such that no two joints, nor numbers beside them, meet in any of the skeletons that
protocols measure.
"""

from collections.abc import Iterator

import cv2
import numpy as np
from jaxtyping import Float

_MIDDLE = {
    "pelvis": 0.0,
    "spine": 0.3,
    "spine1": 0.15,
    "spine2": 0.3,
    "spine3": 0.45,
    "thorax": 0.58,
    "neck": 0.88,
    "neck_base": 0.8,
    "head": 1.02,
    "head_top": 1.16,
}
_RIGHT = {
    "hip": (-0.2, -0.08),
    "knee": (-0.32, -0.62),
    "ankle": (-0.4, -1.12),
    "foot": (-0.5, -1.28),
    "collar": (-0.16, 0.6),
    "shoulder": (-0.4, 0.66),
    "elbow": (-0.66, 0.3),
    "wrist": (-0.84, -0.06),
    "hand": (-0.91, -0.22),
}
_PARTS = (
    (("shoulder", 0.1), ("hip", 0.12)),  # with the other side's: the trunk
    (("shoulder", 0.1), ("elbow", 0.075)),
    (("elbow", 0.075), ("wrist", 0.055)),
    (("wrist", 0.055), ("hand", 0.06)),
    (("hip", 0.13), ("knee", 0.095)),
    (("knee", 0.095), ("ankle", 0.065)),
    (("ankle", 0.065), ("foot", 0.055)),
)
"""Each the hull of two circles around joints, with their radii."""


def place(joint: str) -> tuple[float, float] | None:
    """Where a joint is, or None without a place for it."""
    side, _, part = joint.partition("_")
    if side in ("left", "right") and part in _RIGHT:
        x, y = _RIGHT[part]
        return (x if side == "right" else -x, y)
    return (0.0, _MIDDLE[joint]) if joint in _MIDDLE else None


def outline() -> Iterator[Float[np.ndarray, "n 2"]]:
    """The corners of convex parts that together cover the body."""
    mirror = np.array([-1, 1])
    trunk, *limbs = (np.concatenate([_circle(_RIGHT[joint], radius) for joint, radius in ends]) for ends in _PARTS)
    parts = [np.concatenate([trunk, trunk * mirror]), *limbs, *(limb * mirror for limb in limbs)]
    parts.append(np.concatenate([_circle((0.0, 0.72), 0.09), _circle((0.0, 0.95), 0.09)]))  # the neck
    parts.append(_circle((0.0, 0.99), 0.18))
    for points in parts:
        yield points[cv2.convexHull(points.astype(np.float32), returnPoints=False)[:, 0]]


def _circle(middle: tuple[float, float], radius: float) -> Float[np.ndarray, "n 2"]:
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    return np.array(middle) + radius * np.stack([np.cos(angles), np.sin(angles)], -1)
