"""Looks at people who overlap: the others are painted out, and no joint goes to two people."""

from collections.abc import Sequence

import cv2
import numpy as np
from jaxtyping import Bool, Float, UInt8

from poselift.finding.followed import Place
from poselift.skeleton import Skeleton

_LIMB, _HEAD = 0.07, 0.08
"""Width of a painted limb and radius of a painted head, as a share of the longer side of the person's box."""
_GREY = 128
"""What people are painted out with."""
_REACH = 0.1
"""Margin around a box within which others count as overlapping, as a share of its longer side."""
_CLAIMED = 0.04
"""Distance within which two joints of one kind lie in one place, as a share of the smaller person's size."""
_TRUNK = ("shoulder", "hip")
_FACE = ("nose", "eye", "ear")


def touching(place: Place, other: Place) -> bool:
    """Whether a look at a place may show the person in another one."""
    reach = _REACH * (place.box[2:] - place.box[:2]).max()
    return bool((place.box[:2] - reach < other.box[2:]).all() and (other.box[:2] < place.box[2:] + reach).all())


def silhouette(
    points: Float[np.ndarray, "j 2"], skeleton: Skeleton, shape: tuple[int, ...], wider: float = 1.0
) -> UInt8[np.ndarray, "h w"]:
    """A mask of a body, 1 inside and 0 outside.

    Args:
        points: its joints, pixels; NaN for those that were not seen.
        skeleton: of the joints.
        shape: (height, width, ...) of the picture.
        wider: factor of the width of limbs and head.
    """
    mask = np.zeros(shape[:2], np.uint8)
    there = np.isfinite(points).all(-1)
    if not there.any():
        return mask
    size = float(np.ptp(points[there], axis=0).max())
    pixels = np.clip(np.nan_to_num(points), -30000, 30000).round().astype(np.int32)
    for one, other in skeleton.bone_indices:
        if there[one] and there[other]:
            cv2.line(mask, pixels[one].tolist(), pixels[other].tolist(), 1, max(1, round(wider * _LIMB * size)))
    trunk, face = (
        [row for row, joint in enumerate(skeleton.joints) if there[row] and joint.endswith(names)]
        for names in (_TRUNK, _FACE)
    )
    if len(trunk) > 2:
        cv2.fillConvexPoly(mask, cv2.convexHull(pixels[trunk]), 1)
    if face:
        middle = pixels[face].mean(0).round().astype(int).tolist()
        cv2.circle(mask, middle, max(1, round(wider * _HEAD * size)), 1, -1)
    return mask


def without_others(
    frame: UInt8[np.ndarray, "_ _ 3"], place: Place, others: Sequence[Place], skeleton: Skeleton
) -> tuple[UInt8[np.ndarray, "_ _ 3"], Float[np.ndarray, "2"]]:
    """The part of a picture around a place, with the bodies of others painted out beside the body that is looked for.

    Returns:
        The part, and the pixel of its upper left corner in the picture.
    """
    side = float((place.box[2:] - place.box[:2]).max())
    low = np.maximum(np.floor(place.box[:2] - side), 0).astype(int)
    high = np.minimum(np.ceil(place.box[2:] + side), frame.shape[1::-1]).astype(int)
    part = frame[low[1] : high[1], low[0] : high[0]].copy()
    own = silhouette(place.points - low, skeleton, part.shape)
    for other in others:
        part[(silhouette(other.points - low, skeleton, part.shape) > own)] = _GREY
    return part, low.astype(float)
