"""Left and right exchanged in frames of a track, found by continuity.

Detectors that take a back for a front, or one leg for the other, exchange the sides of some joints in single frames or
for long. Three frames tell of an exchange, or the courses before and after it.
"""

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.core.unchecked import replace_unchecked
from poselift.kinematics.foot_contacts import runs_of
from poselift.lifting.prepare.exchanges_by_courses import follow_courses, weigh_courses
from poselift.lifting.prepare.exchanges_by_frames import find_flips, unclear_rows
from poselift.lifting.prepare.side_differences import SideDifferences, measure_differences
from poselift.skeleton import Skeleton
from poselift.structures import Keypoints2D

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
    chosen = np.zeros(keypoints.scores.shape, bool)
    chosen[:, joints] = frames[:, None]
    return exchange_joints(keypoints, chosen)


def exchange_joints(keypoints: Keypoints2D, chosen: Bool[np.ndarray, "t j"]) -> Keypoints2D:
    """The keypoints with the sides of the chosen joints exchanged.

    Both sides of a pair are chosen together.
    """
    others, pixels, scores = list(keypoints.skeleton.flip_indices), keypoints.keypoints, keypoints.scores
    return replace_unchecked(
        keypoints,
        keypoints=np.where(chosen[..., None], pixels[:, others], pixels),
        scores=np.where(chosen, scores[:, others], scores),
    )


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
    exchanged = np.zeros(len(keypoints), bool)
    sides = measure_differences(keypoints, joints, threshold)
    if sides is None:
        return exchanged, np.zeros(len(keypoints), int)
    rows, own, signs = sides.rows, sides.stretches, np.cumsum(find_flips(sides)) % 2
    whole = len(joints) == len(group_pairs(keypoints.skeleton)[0])
    signs = follow_courses(sides, signs, _HIDDEN_BODY if whole else _HIDDEN_PART)
    for stretch in range(own[-1] + 1):
        inside = own == stretch
        first = signs[inside].mean() > 0.5
        exchanged[rows[inside]] = signs[inside] != first
    return exchanged, own[_newest_rows(sides, len(keypoints))]


def find_unclear(keypoints: Keypoints2D, joints: list[int], threshold: float) -> Bool[np.ndarray, " t"]:
    """Frames of stretches whose exchanges `follow_sides` may have wrong.

    The signs of a whole part of the stretch hang on one step in it that hardly tells. So it is where a detector
    exchanges the sides often of somebody in profile, whose sides hide each other.

    Args:
        keypoints: of one person.
        joints: both sides of each pair.
        threshold: least score of a keypoint that counts.
    """
    sides = measure_differences(keypoints, joints, threshold)
    if sides is None:
        return np.zeros(len(keypoints), bool)
    return unclear_rows(sides)[_newest_rows(sides, len(keypoints))]


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
    sides = measure_differences(keypoints, joints, threshold)
    if sides is not None:
        evidence = weigh_courses(sides, np.zeros(len(sides.rows), int))
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


def _newest_rows(sides: SideDifferences, frames: int) -> Int[np.ndarray, " t"]:
    """The newest row of each frame; before the first one, the first."""
    newest = np.searchsorted(sides.rows, np.arange(frames), side="right") - 1
    return np.asarray(newest.clip(min=0))
