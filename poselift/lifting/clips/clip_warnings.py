"""Warnings about a clip and its people, for `summary.json` and the console."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from poselift.core.times import long_gaps
from poselift.kinematics.height import Height
from poselift.lifting.clips.plausible_bodies import doubts
from poselift.lifting.finish.joint_uncertainty import FEW_JOINTS
from poselift.structures import Keypoints2D, Motion

_RATES = (6.5, 125.0)
"""Frame rates without a warning: the measured range of the lifters, and a little more."""

_RARELY = 0.5
"""Share of the clip below which a person triggers a warning."""
_NAMED = 10
"""People that this warning names."""


def absence(tracks: Sequence[Keypoints2D], frames: int, best: Sequence[float]) -> list[str]:
    """A warning where nobody was found or tracked, from the best joint score of each look."""
    if not any(best):
        return [f"nobody was found in the {len(best)} of {frames} frames that were looked at"]
    if tracks:
        return []
    return [
        f"nobody could be tracked: there are detections in {np.count_nonzero(best)} of {len(best)} frames with a look; "
        f"the highest joint score is {max(best):.2f}"
    ]


def doubts_of(motion: Motion, stature: Height | None, joints: float, threshold: float) -> list[str]:
    """Warnings about a person's motion, with the mean number of joints that a frame shows."""
    person, found = motion.keypoints.person, []
    if np.isnan(motion.joints).all():
        reason = f"no joint of the lifter scores {threshold:g} or more in any frame"
        found.append(f"person {person} was not lifted: {reason}; lower the threshold")
    elif doubt := doubts(motion, stature):
        found.append(
            f"person {person} has {', '.join(doubt)}: no person looks so; check the names of the keypoints "
            "(--keypoint-set) and the field of view (--fov)"
        )
    if 0 < joints < FEW_JOINTS:
        found.append(f"person {person} shows {joints:.1f} joints a frame, on average: the rest of the body is a guess")
    return found


def rare_people(tracks: Sequence[Keypoints2D], frames: int) -> list[str]:
    """A warning that names the people who are seen in less than half of the clip, at most 10."""
    shares = {track.person: seen_share(track, frames) for track in tracks}
    rarely = [f"person {person} ({share:.0%})" for person, share in shares.items() if share < _RARELY]
    if len(rarely) > _NAMED:
        rarely[_NAMED:] = [f"and {len(rarely) - _NAMED} more"]
    return [f"seen in less than half of the clip: {', '.join(rarely)}"] if rarely else []


def odd_rate(interval: float) -> list[str]:
    """A warning where the usual interval of the timestamps, seconds, is of a frame rate outside the measured range."""
    if not interval or _RATES[0] <= 1 / interval <= _RATES[1]:
        return []
    return [
        f"the timestamps are {interval:.3g} s apart, {1 / interval:.3g} frames per second; lifters are made for 7 to "
        "120, so the motion may be wrong"
    ]


def gaps(times: Float[np.ndarray, " t"]) -> list[str]:
    """A warning where timestamps jump."""
    jumps = long_gaps(times)
    if not len(jumps):
        return []
    longest = jumps[np.diff(times)[jumps].argmax()]
    lasts, after = times[longest + 1] - times[longest], times[longest]
    return [
        f"gaps in the timestamps: {len(jumps)}, the longest of {lasts:.2f} s after {after:.2f} s; frames are missing "
        "there"
    ]


def seen_share(keypoints: Keypoints2D, frames: int) -> float:
    """Share of a clip's frames with a person, 0 to 1; frames between two looks count.

    Args:
        keypoints: of the person.
        frames: of the clip.
    """
    return float(keypoints.bridge().seen.sum()) / frames
