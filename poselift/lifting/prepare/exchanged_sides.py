"""Left and right exchanged in frames of a track, found by continuity.

Detectors that take a back for a front, or one leg for the other, exchange the sides of some joints in single frames or
for long. The sum of a left and a right joint stays then, and their difference turns its sign. So the likeliest signs
are those that make the differences smooth.
"""

import numpy as np
import numpy.ma  # before threads need it
from jaxtyping import Bool, Float, Int

from poselift.core.unchecked import replace_unchecked
from poselift.kinematics.foot_contacts import runs_of
from poselift.skeleton import Skeleton
from poselift.structures import Keypoints2D

_LONGEST = 0.25
"""Seconds between two frames over which a difference is followed."""
_ACCELERATIONS = {"wrist": 40.0, "ankle": 40.0, "elbow": 20.0, "knee": 20.0}
"""Usual largest accelerations of the differences, body lengths per second squared: hands strike, trunks do not."""
_ACCELERATION = 8.0
"""The same of all other joints."""
_NOISE = 0.012
"""Least error of a second difference, body lengths."""
_WIDER = 1.2
"""Error of second differences against their median."""
_TAIL = 3.0
"""Degrees of freedom of the errors' distribution (Student's t): detectors have outliers."""
_MOST = 6.0
"""Largest evidence of one joint in one frame."""
_SURE = 0.6
"""Score from which on a joint's evidence counts in full."""
_RARE, _EACH, _FREQUENT = 7.0, 0.4, 2.0
"""Evidence for an exchange, as logarithm of a likelihood ratio: of the first one, more for each pair, because the
errors of a body's joints go together; and where a detector has many."""
_PASSES = 4
"""Times at most that the frequency of exchanges is estimated."""

_ARMS = ("shoulder", "elbow", "wrist")
_HEAD = ("eye", "ear")


def group_pairs(skeleton: Skeleton) -> list[list[int]]:
    """Joints that detectors exchange together. These are the whole body, legs, arms and head, each with both sides."""
    groups: dict[str, list[int]] = {"all": [], "legs": [], "arms": [], "head": []}
    for index, joint in enumerate(skeleton.joints):
        if skeleton.flip_indices[index] == index:
            continue
        name = joint.split("_", 1)[1]
        kind = "arms" if name.startswith(_ARMS) else "head" if name.startswith(_HEAD) else "legs"
        groups["all"].append(index)
        groups[kind].append(index)
    return [joints for joints in groups.values() if joints]


def exchange(keypoints: Keypoints2D, frames: Bool[np.ndarray, " t"], joints: list[int]) -> Keypoints2D:
    """The keypoints with these joints' sides exchanged in some frames."""
    others = [keypoints.skeleton.flip_indices[joint] for joint in joints]
    pixels, scores, rows = keypoints.keypoints.copy(), keypoints.scores.copy(), np.flatnonzero(frames)[:, None]
    pixels[rows, joints], scores[rows, joints] = pixels[rows, others], scores[rows, others]
    return replace_unchecked(keypoints, keypoints=pixels, scores=scores)


def follow_sides(
    keypoints: Keypoints2D, joints: list[int], threshold: float
) -> tuple[Bool[np.ndarray, " t"], Int[np.ndarray, " t"]]:
    """Frames with exchanged sides, and the stretches where this is known.

    Args:
        keypoints: of one person.
        joints: both sides of each pair.
        threshold: least score of a keypoint that counts.

    Returns:
        The rarer frames of each stretch, and the stretch of each frame. Stretches end where the person or the joints
        are unseen for more than 0.25 s: it is unknown then whether the sides are the same on both sides.
    """
    skeleton, used, times = keypoints.skeleton, keypoints.used(threshold), keypoints.timestamps
    left = [joint for joint in joints if skeleton.joints[joint].startswith("left_")]
    right = [skeleton.flip_indices[joint] for joint in left]
    seen = used[:, left] & used[:, right]
    scores = np.minimum(keypoints.scores[:, left], keypoints.scores[:, right]).clip(max=_SURE) / _SURE
    rows = np.flatnonzero(seen.any(-1))
    exchanged = np.zeros(len(times), bool)
    if len(rows) < 3:
        return exchanged, np.zeros(len(times), int)
    apart = (keypoints.keypoints[:, left] - keypoints.keypoints[:, right]) / _body_length(keypoints.keypoints, used)
    accelerations = [_acceleration(skeleton.joints[joint]) for joint in left]
    flips = _find_flips(apart[rows], np.where(seen, scores, 0.0)[rows], times[rows], accelerations)
    signs = np.cumsum(flips) % 2
    own = np.cumsum(np.diff(times[rows], prepend=times[rows[0]]) > _LONGEST)
    for stretch in range(own[-1] + 1):
        inside = own == stretch
        first = signs[inside].mean() > 0.5
        exchanged[rows[inside]] = signs[inside] != first
    place = np.searchsorted(rows, np.arange(len(times)), side="right") - 1
    return exchanged, own[place.clip(min=0)]


def short_runs(
    frames: Bool[np.ndarray, " t"],
    times: Float[np.ndarray, " t"],
    stretches: Int[np.ndarray, " t"],
    longest: float,
    longest_at_ends: float,
) -> Bool[np.ndarray, " t"]:
    """Those of the frames whose run is short.

    Args:
        frames: in which something is exchanged.
        times: of all frames, seconds.
        stretches: of all frames, from `follow_sides`.
        longest: seconds of a run with other frames of its stretch before and after it.
        longest_at_ends: seconds of a run at an end of its stretch, where one side alone tells.
    """
    short = np.zeros_like(frames)
    for first, end in runs_of(frames):
        around = [row for row in (first - 1, end) if 0 <= row < len(frames) and stretches[row] == stretches[first]]
        short[first:end] = times[end - 1] - times[first] <= (longest if len(around) == 2 else longest_at_ends)
    return short


def _body_length(pixels: Float[np.ndarray, "t j 2"], used: Bool[np.ndarray, "t j"]) -> float:
    """Longer side of the body's box, a median over frames, pixels."""
    rows = np.flatnonzero(used.sum(-1) > 3)
    sides = [np.ptp(pixels[row][used[row]], axis=0).max() for row in rows]
    return max(float(np.median(sides)), 1.0) if sides else 1.0


def _acceleration(joint: str) -> float:
    """Usual largest acceleration of a pair."""
    return _ACCELERATIONS.get(joint.removeprefix("left_"), _ACCELERATION)


def _find_flips(
    apart: Float[np.ndarray, "n p 2"],
    scores: Float[np.ndarray, "n p"],
    times: Float[np.ndarray, " n"],
    accelerations: list[float],
) -> Int[np.ndarray, " n"]:
    """1 where the differences change sign from the frame before, else 0. `scores` is 0 where unseen."""
    seen, steps = scores > 0, np.diff(times)
    before, after = steps[:-1, None], steps[1:, None]
    ratio = (after / before)[..., None]
    usable = seen[:-2] & seen[1:-1] & seen[2:] & (np.maximum(before, after) <= _LONGEST)
    a, b, c = (np.where(usable[..., None], part, 0.0) for part in (apart[:-2], apart[1:-1], apart[2:]))
    # Second differences where the first, the second, or both or none of the two steps change the sign.
    bends = np.stack(
        [np.linalg.norm(v * c - (1 + ratio) * b + ratio * u * a, axis=-1) for u in (1, -1) for v in (1, -1)]
    )
    least = np.ma.median(np.ma.masked_array(bends.min(0), ~usable), axis=0).filled(0.0)
    error = np.maximum(_NOISE, _WIDER * least) + np.array(accelerations) * before * after
    costs = 0.5 * (_TAIL + 1) * np.log1p((bends / error) ** 2 / _TAIL)
    weights = np.where(usable, np.minimum(np.minimum(scores[:-2], scores[1:-1]), scores[2:]), 0.0)
    costs = (weights * np.minimum(costs - costs.min(0), _MOST)).sum(-1)
    rare = _RARE + _EACH * apart.shape[1]
    price, flips = rare, np.zeros(len(apart), int)
    if not costs[0].any():
        return flips
    for _ in range(_PASSES):
        flips[1:] = _cheapest(costs.reshape(2, 2, -1), price)
        share = max(flips.mean(), np.exp(-rare))
        if (new := float(np.clip(-np.log(share), _FREQUENT, rare))) == price:
            break
        price = new
    return flips


def _cheapest(costs: Float[np.ndarray, "2 2 n"], price: float) -> Int[np.ndarray, " m"]:
    """The cheapest changes of signs, by dynamic programming (Viterbi 1967).

    Args:
        costs: of the signs around each frame between two others: does the step before it change them, and the step
            after it?
        price: of each change.
    """
    paid = np.array([0.0, price])
    best, back = paid, np.zeros((costs.shape[-1], 2), int)
    for row, cost in enumerate(np.moveaxis(costs, -1, 0)):
        total = best[:, None] + cost + paid
        back[row], best = total.argmin(0), total.min(0)
    changes = [int(best.argmin())]
    for choice in back[::-1]:
        changes.append(int(choice[changes[-1]]))
    return np.array(changes[::-1])
