"""Left and right exchanged in frames of a track, found by continuity.

Detectors that take a back for a front, or one leg for the other, exchange the sides of some joints in single frames or
for long. The sum of a left and a right joint stays then, and their difference turns its sign. So the likeliest signs
are those that make the differences smooth.

Three frames or the courses before and after tell of an exchange. Both read the same differences, so both stand here.
"""

from dataclasses import dataclass

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
"""Times at most that the frequency of exchanges is estimated, and that courses are compared."""
_COURSE = 0.21
"""Seconds before and after a step in which the courses of the differences are straight lines."""
_USUAL = 0.5
"""Share of the largest acceleration that a course has usually."""
_LEAST = 0.006
"""Least error of a difference in one frame, body lengths."""
_BLOCK = 2048
"""Steps whose courses are compared at once: with all of a long clip at once, memory would be gigabytes."""
_HIDDEN_BODY, _HIDDEN_PART, _OPEN = 3.0, 4.0, -2.0
"""Evidence of the courses for an exchange of the whole body, or of a part; and that from which on an exchange of the
whole body is possible."""

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
    times, exchanged = keypoints.timestamps, np.zeros(len(keypoints), bool)
    sides = _measure_differences(keypoints, joints, threshold)
    if sides is None:
        return exchanged, np.zeros(len(times), int)
    rows, signs = sides.rows, np.cumsum(_find_flips(sides)) % 2
    whole = len(joints) == len(group_pairs(keypoints.skeleton)[0])
    signs = _follow_courses(sides, signs, _HIDDEN_BODY if whole else _HIDDEN_PART)
    own = np.cumsum(np.diff(times[rows], prepend=times[rows[0]]) > _LONGEST)
    for stretch in range(own[-1] + 1):
        inside = own == stretch
        first = signs[inside].mean() > 0.5
        exchanged[rows[inside]] = signs[inside] != first
    place = np.searchsorted(rows, np.arange(len(times)), side="right") - 1
    return exchanged, own[place.clip(min=0)]


def find_hidden_steps(keypoints: Keypoints2D, joints: list[int], threshold: float) -> Bool[np.ndarray, " t"]:
    """Frames from which on the sides may be exchanged.

    Nothing before and after tells: the two sides hide each other there, as those of somebody who stands still in
    profile do.

    Args:
        keypoints: of one person.
        joints: both sides of each pair.
        threshold: least score of a keypoint that counts.
    """
    hidden = np.zeros(len(keypoints), bool)
    sides = _measure_differences(keypoints, joints, threshold)
    if sides is not None:
        evidence = _evidence(sides, sides.apart)
        hidden[sides.rows] = (evidence > _OPEN) & (evidence != 0)
    return hidden


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


@dataclass(frozen=True)
class _Differences:
    """The left joint of each pair from its right one.

    Only the frames in which any pair is seen count.

    Attributes:
        rows: the frames.
        apart: the differences, body lengths.
        scores: 0 where unseen.
        times: of the rows, seconds.
        accelerations: usual largest ones of each pair, body lengths per second squared.
    """

    rows: Int[np.ndarray, " n"]
    apart: Float[np.ndarray, "n p 2"]
    scores: Float[np.ndarray, "n p"]
    times: Float[np.ndarray, " n"]
    accelerations: Float[np.ndarray, " p"]


def _measure_differences(keypoints: Keypoints2D, joints: list[int], threshold: float) -> _Differences | None:
    """The differences of both sides, or None in less than three frames."""
    skeleton, used = keypoints.skeleton, keypoints.used(threshold)
    left = [joint for joint in joints if skeleton.joints[joint].startswith("left_")]
    right = [skeleton.flip_indices[joint] for joint in left]
    seen = used[:, left] & used[:, right]
    rows = np.flatnonzero(seen.any(-1))
    if len(rows) < 3:
        return None
    scores = np.minimum(keypoints.scores[:, left], keypoints.scores[:, right]).clip(max=_SURE) / _SURE
    apart = (keypoints.keypoints[:, left] - keypoints.keypoints[:, right]) / _body_length(keypoints.keypoints, used)
    return _Differences(
        rows,
        np.where(seen[..., None], apart, 0.0)[rows],
        np.where(seen, scores, 0.0)[rows],
        keypoints.timestamps[rows],
        np.array([_acceleration(skeleton.joints[joint]) for joint in left]),
    )


def _find_flips(sides: _Differences) -> Int[np.ndarray, " n"]:
    """1 where the differences change sign from the frame before, else 0."""
    apart, scores, times = sides.apart, sides.scores, sides.times
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
    error = np.maximum(_NOISE, _WIDER * least) + sides.accelerations * before * after
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


def _follow_courses(sides: _Differences, signs: Int[np.ndarray, " n"], least: float) -> Int[np.ndarray, " n"]:
    """The signs, changed too where courses tell of an exchange.

    While the sides hide each other the differences are small, and three frames do not tell; their velocity does.

    Args:
        sides: the differences.
        signs: 1 where exchanged.
        least: evidence that is enough.
    """
    signs = signs.copy()
    for _ in range(_PASSES):
        evidence = _evidence(sides, sides.apart * (1 - 2 * signs)[:, None, None])
        peaks: list[int] = []
        for step in np.argsort(-evidence)[: (evidence > least / 2).sum()]:
            if all(abs(sides.times[step] - sides.times[other]) > _COURSE / 2 for other in peaks):
                peaks.append(int(step))
        # Between two that are nearer there is no course of its own: who spins looks like this.
        near = [sum(abs(sides.times[step] - sides.times[other]) <= 2 * _COURSE for other in peaks) for step in peaks]
        steps = [step for step, count in zip(peaks, near, strict=True) if count == 1 and evidence[step] > least]
        for step in steps:
            signs[step:] ^= 1
        if not steps:
            break
    return signs


def _evidence(sides: _Differences, apart: Float[np.ndarray, "n p 2"]) -> Float[np.ndarray, " n"]:
    """Evidence of an exchange in the step to each frame.

    It is a log-likelihood ratio against none, and 0 in the first frame and after a gap.

    Args:
        sides: whose differences they are.
        apart: the differences, with their signs.
    """
    scores, times, accelerations = sides.scores, sides.times, sides.accelerations * _USUAL
    seen = (scores[:-2] > 0) & (scores[1:-1] > 0) & (scores[2:] > 0)
    bends = np.linalg.norm(apart[2:] - 2 * apart[1:-1] + apart[:-2], axis=-1)
    # The second difference of two axes of white noise is sqrt(6) times its spread, and the median 1.2 times.
    noise = np.ma.median(np.ma.masked_array(bends, ~seen), axis=0).filled(0.0) / (1.2 * np.sqrt(6))
    noise = np.maximum(_LEAST, noise)
    steps, middles = np.diff(times), (times[1:] + times[:-1]) / 2
    count = int(np.ceil(_COURSE / max(float(np.median(steps)), 1e-3))) + 1
    filler = [(count, count)] + [(0, 0)] * 2
    around = np.lib.stride_tricks.sliding_window_view(np.pad(apart, filler), 2 * count, axis=0)[1:-1]
    shown = np.lib.stride_tricks.sliding_window_view(np.pad(scores, filler[:2]), 2 * count, axis=0)[1:-1]
    clock = np.lib.stride_tricks.sliding_window_view(np.pad(times, count, constant_values=np.inf), 2 * count)[1:-1]
    found = [np.zeros(1)]
    for part in (slice(row, row + _BLOCK) for row in range(0, len(steps), _BLOCK)):
        after = clock[part] - middles[part, None]
        ratios = _compare_courses(after, steps[part], around[part], shown[part], noise, accelerations)
        found.append(np.where(steps[part] <= _LONGEST, ratios, 0.0))
    return np.concatenate(found)


def _compare_courses(
    after: Float[np.ndarray, "m k"],
    steps: Float[np.ndarray, " m"],
    around: Float[np.ndarray, "m p 2 k"],
    shown: Float[np.ndarray, "m p k"],
    noise: Float[np.ndarray, " p"],
    accelerations: Float[np.ndarray, " p"],
) -> Float[np.ndarray, " m"]:
    """Evidence of an exchange in each step, as of `_evidence`.

    Args:
        after: times of the frames around the step, from its middle on, seconds; infinite beyond the clip. The first
            half of them is before the step.
        steps: how long each lasts, seconds.
        around: the differences in these frames, body lengths.
        shown: their scores.
        noise: error of each pair's difference in one frame, body lengths.
        accelerations: usual ones of each pair, body lengths per second squared.
    """
    count = after.shape[-1] // 2
    weights = shown * (np.abs(after) <= _COURSE + steps[:, None] / 2)[:, None]
    after = np.where(np.isfinite(after), after, 0.0)[:, None]
    halves = (slice(count), slice(count, None))
    first, second = (_fit_line(after[..., half], around[..., half], weights[..., half]) for half in halves)
    # Where a course is no line, as that of somebody who spins, its ends are known less well.
    errors = [np.maximum(noise, course[4]) ** 2 for course in (first, second)]
    places = errors[0] * first[2] + errors[1] * second[2] + 2 * (accelerations * _COURSE**2 / 12) ** 2
    speeds = errors[0] * first[3] + errors[1] * second[3] + 2 * (accelerations * _COURSE / 2) ** 2

    def off(sign: int) -> Float[np.ndarray, "m p"]:
        """Squared distance of both courses where they meet, in standard deviations."""
        apart_there, slower = second[0] - sign * first[0], second[1] - sign * first[1]
        return np.asarray((apart_there**2).sum(-1) / places + (slower**2).sum(-1) / speeds)

    ratio = 0.5 * (_TAIL + 1) * (np.log1p(off(1) / _TAIL) - np.log1p(off(-1) / _TAIL))
    weight = np.minimum(weights[..., :count].max(-1), weights[..., count:].max(-1)) * (places < 1.0)
    return np.asarray((weight * ratio.clip(-_MOST, _MOST)).sum(-1))


def _fit_line(
    times: Float[np.ndarray, "m 1 k"], values: Float[np.ndarray, "m p 2 k"], weights: Float[np.ndarray, "m p k"]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A line through weighted values.

    Returns:
        Its value and slope at time 0, the variances of both for noise of 1, and the noise.
    """
    s0, s1, s2 = ((weights * times**power).sum(-1) for power in range(3))
    flat = s0 * s2 - s1**2
    known = (flat > 1e-9) & ((weights > 0).sum(-1) >= 2)
    flat = np.where(known, flat, 1.0)
    y0, y1 = ((weights * times**power)[:, :, None] * values for power in range(2))
    y0, y1 = y0.sum(-1), y1.sum(-1)
    value, slope = ((a[..., None] * y0 - b[..., None] * y1) / flat[..., None] for a, b in ((s2, s1), (-s1, -s0)))
    off = values - value[..., None] - slope[..., None] * times[:, :, None]
    free = np.maximum(2 * (weights > 0).sum(-1) - 4, 1)
    noise = np.sqrt(((weights > 0)[:, :, None] * off**2).sum((-1, -2)) / free)
    return value, slope, np.where(known, s2 / flat, 1e9), np.where(known, s0 / flat, 1e9), noise


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
