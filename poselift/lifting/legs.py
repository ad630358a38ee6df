"""Feet that are down stay put: each leg is bent so that its foot stands still, with bones of the same length."""

import numpy as np
from jaxtyping import Bool, Float

from poselift.lifting.contacts import Feet, spells
from poselift.skeleton import Skeleton
from poselift.structures import FEET

_FADE = 0.1
"""Seconds over which a foot's correction fades before it comes down and after it takes off."""

_FARTHEST = 0.3
"""Metres by which a foot is corrected at most. Corrections of a few centimetres are not held back by this; one as
large as this comes from a wrong spell or from a root that drifts."""


def plant_feet(
    joints: Float[np.ndarray, "t j 3"],
    feet: Feet,
    down: Bool[np.ndarray, "t 2 p"],
    skeleton: Skeleton,
    times: Float[np.ndarray, " t"],
) -> Float[np.ndarray, "t j 3"]:
    """Brings each point of a foot that is down to its mean place over the spell, by the hip and the knee.

    Args:
        joints: relative to the root, metres.
        feet: of the same motion, with the root.
        down: which points of the feet are on the ground.
        skeleton: the joint set of `joints`.
        times: seconds, increasing.

    Returns:
        The joints; the same ones where the skeleton has no hips, knees and ankles.
    """
    planted = joints.copy()
    for side, foot in enumerate(FEET):
        names = [f"{foot.removesuffix('_foot')}_{joint}" for joint in ("hip", "knee", "ankle")]
        if not set(names) <= set(skeleton.joints) or not down[:, side].any():
            continue
        hip, knee, ankle = skeleton.indices(names)
        shift = _shift(feet.points[:, side], down[:, side], times)
        moved = np.linalg.norm(shift, axis=-1) > 0
        start, middle, end = (joints[moved, joint].astype(np.float64) for joint in (hip, knee, ankle))
        planted[moved, knee], new_end = bend_limb(start, middle, end, end + shift[moved])
        # The foot keeps its direction: all that hangs on the ankle moves with it.
        foot_joints = [row for row in range(len(skeleton)) if _hangs_on(skeleton, row, ankle)]
        planted[np.ix_(moved, foot_joints)] += (new_end - end)[:, None].astype(joints.dtype)
    return planted


def bend_limb(
    start: Float[np.ndarray, "n 3"],
    middle: Float[np.ndarray, "n 3"],
    end: Float[np.ndarray, "n 3"],
    target: Float[np.ndarray, "n 3"],
) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, "n 3"]]:
    """Two-bone inverse kinematics: the limb is turned so that it points at the target, and bent to reach it.

    The bones keep their length. The turn is the smallest one, and the middle joint bends to the side to which it was
    bent. A target out of reach is approached with a limb that is straight.

    Args:
        start: such as the hip, which stays.
        middle: such as the knee.
        end: such as the ankle.
        target: where the end is to come.

    Returns:
        The new middle and end.
    """
    upper, lower = middle - start, end - middle
    upper_length, lower_length = _norm(upper), _norm(lower)
    reach = target - start
    distance = np.clip(_norm(reach), np.abs(upper_length - lower_length), upper_length + lower_length)
    before, towards = _unit(end - start), _unit(reach)
    # Rodrigues' formula for the axis before x towards, whose angle has the cosine before . towards.
    axis, cosine = np.cross(before, towards), (before * towards).sum(-1, keepdims=True)
    turned = cosine * upper + np.cross(axis, upper)
    turned += axis * (axis * upper).sum(-1, keepdims=True) / np.maximum(1 + cosine, 1e-6)
    side = turned - towards * (towards * turned).sum(-1, keepdims=True)
    # A limb that was straight has no side: any that is across will do.
    across = np.cross(towards, np.eye(3)[np.abs(towards).argmin(-1)])
    side = _unit(np.where(_norm(side) > 1e-6, side, across))
    # The law of cosines, for the angle at the start.
    along = (upper_length**2 + distance**2 - lower_length**2) / (2 * np.maximum(distance, 1e-9))
    off = np.sqrt(np.maximum(upper_length**2 - along**2, 0.0))
    return start + along * towards + off * side, start + distance * towards


def _shift(
    points: Float[np.ndarray, "t p 3"], down: Bool[np.ndarray, "t p"], times: Float[np.ndarray, " t"]
) -> Float[np.ndarray, "t 3"]:
    """By how much a foot is to move: the mean of what its points that are down ask for, faded in and out."""
    total, weights = np.zeros((len(times), 3)), np.zeros((len(times), 1))
    for point in range(down.shape[1]):
        for first, end in spells(down[:, point], times):
            wanted = points[first:end, point].mean(0) - points[first:end, point]
            size = _norm(wanted)
            wanted *= np.tanh(size / _FARTHEST) / np.maximum(size / _FARTHEST, 1e-9)
            low = np.searchsorted(times, times[first] - _FADE, side="right")
            high = np.searchsorted(times, times[end - 1] + _FADE)
            rows = np.arange(low, high)
            away = np.maximum(times[first] - times[rows], times[rows] - times[end - 1]).clip(min=0)
            weight = 0.5 + 0.5 * np.cos(np.pi * away / _FADE)[:, None]
            total[rows] += weight * wanted[rows.clip(first, end - 1) - first]
            weights[rows] += weight
    return total / np.maximum(weights, 1.0)


def _hangs_on(skeleton: Skeleton, row: int, ancestor: int) -> bool:
    """Whether a joint is the ancestor or below it."""
    while row >= 0 and row != ancestor:
        row = skeleton.parent_indices[row]
    return row == ancestor


def _norm(vectors: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 1"]:
    return np.linalg.norm(vectors, axis=-1, keepdims=True)


def _unit(vectors: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 3"]:
    return vectors / np.maximum(_norm(vectors), 1e-9)
