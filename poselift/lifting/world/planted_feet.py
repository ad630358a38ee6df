"""Planted feet: a foot on the ground stands still.

The root moves for that, and the legs follow by a few degrees. The world keeps the pose, because joint angles are read
from it. `poselift export` can lock feet for animation.
"""

import numpy as np
from jaxtyping import Bool, Float

from poselift.kinematics.filtering import gaussian_means
from poselift.kinematics.foot_contacts import Feet, runs_of
from poselift.skeleton import Skeleton
from poselift.structures import FEET

_FADE = 0.1
"""Seconds over which a correction fades in before a contact and out after it."""

_FARTHEST = 0.2
"""Correction of a foot, metres, that larger ones approach: those come from a wrong contact or a drifting root."""

_ROUNDS = 2
"""Times that the root takes up what the legs leave."""

_ALONE = 0.1
"""Weight of the root as it is, against that of one standing foot."""

_MOST_BENT = 0.025
"""Change of a knee, radians, that corrections approach: 1.4 degrees (benchmarks/world.md)."""

_KNEE_MEMORY, _ROOT_MEMORY = 0.03, 0.15
"""Standard deviations in seconds of the Gaussians that average the changes of the knees and the moves of the root. A
root that follows faster passes the pose's error on to its velocity (benchmarks/world.md)."""


def plant_feet(
    joints: Float[np.ndarray, "t j 3"],
    feet: Feet,
    down: Bool[np.ndarray, "t 2 p"],
    skeleton: Skeleton,
    times: Float[np.ndarray, " t"],
) -> tuple[Float[np.ndarray, "t j 3"], Float[np.ndarray, "t 3"]]:
    """Joints with each foot at its mean place during a contact.

    Hip and knee move first, and then the root. A leg that is nearly straight changes its knee by 10 degrees for a few
    millimetres. So knees and hips take a small part that changes slowly, and the whole body moves by what is left.

    Args:
        joints: relative to the root, metres.
        feet: of the same motion, with the root.
        down: points of the feet that are on the ground.
        skeleton: of `joints`.
        times: seconds, increasing.

    Returns:
        The joints, and by how much to move the root, metres. Both are unchanged if the skeleton has no hips, knees or
        ankles.
    """
    moved = np.zeros((len(times), 3))
    known = runs_of(np.isfinite(joints).all((1, 2)) & np.isfinite(feet.points).all((1, 2, 3)), times)
    legs = []
    for side, foot in enumerate(FEET):
        names = [f"{foot.removesuffix('_foot')}_{joint}" for joint in ("hip", "knee", "ankle")]
        if set(names) <= set(skeleton.joints) and down[:, side].any():
            shift, weight = _shift(feet.points[:, side], down[:, side], times)
            limb = joints[:, skeleton.indices(names)].astype(np.float64).swapaxes(0, 1)
            legs.append((skeleton.indices(names), limb, shift, weight))
    planted = joints.copy()
    for done in range(_ROUNDS + 1):
        left, total = np.zeros_like(moved), np.full((len(times), 1), _ALONE)
        for rows, limb, shift, weight in legs:
            # A foot in the air stays where it was in the body.
            wanted = np.nan_to_num(shift - weight * moved)
            knee, ankle = _reach(limb, wanted, known, times)
            left += weight * np.nan_to_num(limb[2] + wanted - ankle)
            total += weight
            if done == _ROUNDS:
                planted[:, rows[1]] = knee
                # The foot keeps its direction: every joint below the ankle moves with it.
                planted[:, skeleton.branch(rows[2])] += (ankle - limb[2])[:, None].astype(joints.dtype)
        if done < _ROUNDS:
            moved += _smooth(left / total, known, times, _ROOT_MEMORY)
    return planted, moved


def _reach(
    limb: Float[np.ndarray, "3 t 3"],
    shift: Float[np.ndarray, "t 3"],
    known: list[tuple[int, int]],
    times: Float[np.ndarray, " t"],
) -> tuple[Float[np.ndarray, "t 3"], Float[np.ndarray, "t 3"]]:
    """Knee and ankle of a leg that follows a shift. As far as knee and hip may change."""
    start, middle, end = limb
    upper, lower = _norm(middle - start), _norm(end - middle)

    def flexion(distance: np.ndarray) -> np.ndarray:
        cosine = (distance**2 - upper**2 - lower**2) / np.maximum(2 * upper * lower, 1e-9)
        return np.arccos(np.clip(cosine, -1, 1))

    before, reach = flexion(_norm(end - start)), end + shift - start
    change = flexion(_norm(reach)) - before
    most = np.where(change > 0, _MOST_BENT, np.minimum(_MOST_BENT, 0.5 * before))
    change = most * np.tanh(change / np.maximum(most, 1e-9))
    after = np.maximum(before + _smooth(change, known, times, _KNEE_MEMORY), 0.5 * before)
    distance = np.sqrt(np.maximum(upper**2 + lower**2 + 2 * upper * lower * np.cos(after), 0.0))
    return bend_limb(start, middle, end, start + distance * _unit(reach))


def bend_limb(
    start: Float[np.ndarray, "n 3"],
    middle: Float[np.ndarray, "n 3"],
    end: Float[np.ndarray, "n 3"],
    target: Float[np.ndarray, "n 3"],
) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, "n 3"]]:
    """A limb's middle and end, bent to reach a target.

    This is two-bone inverse kinematics. The bones keep their length. The limb turns by the smallest angle, and bends to
    the same side as before. If the target is out of reach, the limb is straight.

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
) -> tuple[Float[np.ndarray, "t 3"], Float[np.ndarray, "t 1"]]:
    """A foot's correction, and how far it is faded in. The mean over its points on the ground, faded in and out."""
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
    return total / np.maximum(weights, 1.0), np.minimum(weights, 1.0)


def _smooth(
    values: Float[np.ndarray, "t c"], known: list[tuple[int, int]], times: Float[np.ndarray, " t"], memory: float
) -> Float[np.ndarray, "t c"]:
    """Gaussian means over time within each run of known frames; 0 elsewhere."""
    smooth = np.zeros_like(values)
    for first, end in known:
        smooth[first:end] = gaussian_means(values[first:end], times[first:end], memory)
    return smooth


def _norm(vectors: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 1"]:
    return np.linalg.norm(vectors, axis=-1, keepdims=True)


def _unit(vectors: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 3"]:
    return vectors / np.maximum(_norm(vectors), 1e-9)
