"""The rule by which files mark or omit unseen joints (`Motion.in_sight`). No keypoint shows such a joint."""

import numpy as np

from poselift.skeleton.hand import SIDES
from poselift.structures import Motion


def unseen_spans(motion: Motion) -> dict[str, list[list[float]]]:
    """Each joint's spans without a keypoint, by joint name.

    Each has its first and last time, seconds. Joints that are always in sight have no entry. Empty frames count like
    the others. In a motion with hands, left_fingers and right_fingers have the spans in which no hand is seen.

    Args:
        motion: of one person.
    """
    spans = {}
    shown = dict(zip(motion.skeleton.joints, motion.in_sight().T, strict=True))
    for joint, seen in (shown | _fingers(motion)).items():
        edges = np.flatnonzero(np.diff(seen.astype(int), prepend=1, append=1))
        if len(edges):
            firsts, lasts = motion.timestamps[edges[::2]], motion.timestamps[edges[1::2] - 1]
            spans[joint] = np.stack([firsts, lasts], 1).round(4).tolist()
    return spans


def describe_guesses(motion: Motion, never_seen: bool) -> str:
    """What a file without marks tells of guesses, if any.

    Args:
        motion: of one person.
        never_seen: whether the file has joints that no keypoint ever shows.
    """
    ever = np.atleast_1d(motion.in_sight().any(0))
    parts = []
    if never_seen and not ever.all():
        names = [joint for joint, seen in zip(motion.skeleton.joints, ever, strict=True) if not seen]
        parts.append(f"{', '.join(names)} in all frames")
    spans = unseen_spans(motion)
    at_times = [joint for joint, shown in zip(motion.skeleton.joints, ever, strict=True) if shown and joint in spans]
    if at_times:
        parts.append(f"{', '.join(at_times)} at times")
    if at_rest := [fingers for fingers, seen in _fingers(motion).items() if not seen.all()]:
        parts.append(f"{', '.join(at_rest)} at times, which rest then")
    return " and ".join(parts)


def _fingers(motion: Motion) -> dict[str, np.ndarray]:
    """Frames in which each hand is seen; empty without hands."""
    if motion.hands is None or not motion.hands.in_3d:
        return {}
    return {f"{side}_fingers": seen for side, seen in zip(SIDES, motion.hands.seen.T, strict=True)}
