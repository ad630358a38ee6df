"""Planted feet: each leg is bent so that a foot on the ground stands still, with bones of the same length."""

import numpy as np
from jaxtyping import Bool, Float

from poselift.lifting.contacts import Feet, runs_of
from poselift.skeleton import Skeleton
from poselift.structures import FEET

_FADE = 0.1
"""Seconds over which a correction fades in before a contact and out after it."""

_FARTHEST = 0.3
"""Largest correction of a foot, metres. It hardly limits corrections of a few centimetres; larger ones come from a
wrong contact or a drifting root."""


def plant_feet(
    joints: Float[np.ndarray, "t j 3"],
    feet: Feet,
    down: Bool[np.ndarray, "t 2 p"],
    skeleton: Skeleton,
    times: Float[np.ndarray, " t"],
) -> Float[np.ndarray, "t j 3"]:
    """Joints with each foot held at its mean place over a contact, by hip and knee.

    Args:
        joints: relative to the root, metres.
        feet: of the same motion, with the root.
        down: points of the feet that are on the ground.
        skeleton: of `joints`.
        times: seconds, increasing.

    Returns:
        The joints, unchanged if the skeleton has no hips, knees or ankles.
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
        # The foot keeps its direction: every joint below the ankle moves with it.
        foot_joints = [row for row in range(len(skeleton)) if _hangs_on(skeleton, row, ankle)]
        planted[np.ix_(moved, foot_joints)] += (new_end - end)[:, None].astype(joints.dtype)
    return planted


def bend_limb(
    start: Float[np.ndarray, "n 3"],
    middle: Float[np.ndarray, "n 3"],
    end: Float[np.ndarray, "n 3"],
    target: Float[np.ndarray, "n 3"],
) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, "n 3"]]:
    """Middle and end of a limb that reaches for a target (two-bone inverse kinematics).

    The bones keep their length. The limb turns by the smallest angle, and bends to the same side as before. If the
    target is out of reach, the limb is straight.

    Args:
        start: such as the hip; it does not move.
        middle: such as the knee.
        end: such as the ankle.
        target: wanted place of the end.

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
    # A straight limb bends to no side: any perpendicular will do.
    across = np.cross(towards, np.eye(3)[np.abs(towards).argmin(-1)])
    side = _unit(np.where(_norm(side) > 1e-6, side, across))
    # The law of cosines, for the angle at the start.
    along = (upper_length**2 + distance**2 - lower_length**2) / (2 * np.maximum(distance, 1e-9))
    off = np.sqrt(np.maximum(upper_length**2 - along**2, 0.0))
    return start + along * towards + off * side, start + distance * towards


def _shift(
    points: Float[np.ndarray, "t p 3"], down: Bool[np.ndarray, "t p"], times: Float[np.ndarray, " t"]
) -> Float[np.ndarray, "t 3"]:
    """Correction of a foot: the mean over its points on the ground, faded in and out."""
    total, weights = np.zeros((len(times), 3)), np.zeros((len(times), 1))
    for point in range(down.shape[1]):
        for first, end in runs_of(down[:, point], times):
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
    """Whether a joint is the ancestor or one of its descendants."""
    while row >= 0 and row != ancestor:
        row = skeleton.parent_indices[row]
    return row == ancestor


def _norm(vectors: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 1"]:
    return np.linalg.norm(vectors, axis=-1, keepdims=True)


def _unit(vectors: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 3"]:
    return vectors / np.maximum(_norm(vectors), 1e-9)
