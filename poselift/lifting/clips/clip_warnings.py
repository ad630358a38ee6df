"""Warnings about a clip and its people, for `summary.json` and the console."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from poselift.core.caution import Caution
from poselift.finding.tracked_people import TrackedPeople
from poselift.geometry.camera import Camera
from poselift.kinematics.child_proportions import is_childlike
from poselift.lifting.clips.plausible_bodies import doubt_body
from poselift.lifting.clips.plausible_clock import doubt_clock
from poselift.lifting.finish.joint_uncertainty import FEW_JOINTS
from poselift.skeleton import Skeleton
from poselift.structures import Keypoints2D, Motion

_RATES = (6.5, 125.0)
"""Frame rates without a warning: the measured range of the lifters, and a little more."""

_LONG_GAP = 5, 0.25
"""A gap in the timestamps is longer than this many usual intervals, and than this many seconds."""

_RARELY = 0.5
"""Share of the clip below which a person triggers a warning."""
_NAMED = 10
"""People that this warning names."""

_UNSURE, _MANY_UNSURE = 0.4, 0.25
"""A keypoint with a lower score is unsure; the share of unsure ones of a person from which on there is a warning. In
eight clear clips, people whose body is seen have 0 to 19 %, those whom others hide 29 to 56 %. Scores stay high in some
dark and heavily compressed pictures, which have warnings of their own (`Darkness`, `describe_compression`)."""

_WIDEST = 115.0
"""Field of view in degrees up to which a picture may show straight lines straight: the widest lenses of phones, of 13
mm, have 106. Wide modes of action cameras, which bend them, have 118 and more."""


def find_warnings(
    given: Sequence[Caution],
    seen: TrackedPeople,
    tracks: Sequence[Keypoints2D],
    motions: Sequence[Motion],
    skeleton_in: Skeleton,
) -> list[Caution]:
    """All warnings of a clip and its lifted people, one line each.

    Args:
        given: those of the clip itself.
        seen: frames of the clip, and those in which the detector ran.
        tracks: of everybody who was found, split at the picture's cuts.
        motions: of the people who were lifted.
        skeleton_in: the lifter's input joints.
    """
    times = seen.times
    warnings = [*given, *find_absence(tracks, len(times), seen.best_scores), *find_odd_rate(seen.interval)]
    if not any(warning.kind == "clock" for warning in given):
        warnings += find_gaps(times, seen.interval)
    warnings += find_rare_people([motion.keypoints for motion in motions], len(times))
    warnings += [caution for motion in motions for caution in find_unsure(motion, skeleton_in, len(times))]
    for motion in motions:
        warnings += find_doubts(motion, skeleton_in)
    return warnings


def find_absence(tracks: Sequence[Keypoints2D], frames: int, best: Sequence[float]) -> list[Caution]:
    """A warning where nobody was found or tracked. It follows from the best joint score of each frame."""
    if not any(best):
        return [Caution(f"nobody was found in the {len(best)} of {frames} frames that were looked at", "missing")]
    if tracks:
        return []
    text = (
        f"nobody could be tracked: there are detections in {np.count_nonzero(best)} of {len(best)} examined frames, "
        f"too few or too unsure to follow; the highest joint score is {max(best):.2f}"
    )
    return [Caution(text, "missing")]


def find_bent_lens(camera: Camera) -> list[Caution]:
    """A warning of a lens so wide that it must bend lines."""
    if camera.lens is not None or camera.fov <= _WIDEST:
        return []
    text = (
        f"a field of view of {camera.fov:.0f} degrees is that of a lens that bends straight lines, such as an action "
        "camera's. If it does, depth and place are wrong without its numbers: `poselift lift` takes --fisheye (0,0,0,0 "
        "is a usual one) or --distortion (0,0,0,0 if it does not), several videos take a --calibration"
    )
    return [Caution(text, "camera")]


def find_doubts(motion: Motion, skeleton_in: Skeleton) -> list[Caution]:
    """Warnings about a person's motion.

    Args:
        motion: of one person.
        skeleton_in: the lifter's input joints.
    """
    person, found = f"person {motion.keypoints.person}", []
    body, clock = doubt_body(motion), doubt_clock(motion)
    if np.isnan(motion.joints).all():
        reason = f"no joint of the lifter scores {motion.threshold:g} or more in any frame"
        found.append(f"{person} was not lifted: {reason}; lower the threshold")
    elif body:
        found.append(
            f"{person} has {', '.join(body)}: no person looks so; check the names of the keypoints "
            "(--keypoint-set) and the field of view (--fov)"
        )
    elif motion.height is not None and is_childlike(motion, motion.height):
        found.append(
            f"{person} has a child's proportions: the height of {motion.height.metres:.2f} m, the size and the place "
            "are then too large; give --height"
        )
    known = [joint for joint in motion.keypoints.skeleton.joints if joint in skeleton_in.joints]
    columns = motion.keypoints.skeleton.indices(known)
    counts = motion.keypoints.used(motion.threshold)[:, columns].sum(-1)
    joints = counts[counts > 0].mean() if counts.any() else 0
    if 0 < joints < FEW_JOINTS:
        found.append(f"{person} shows {joints:.1f} joints a frame, on average: the rest of the body is a guess")
    if clock:
        found.append(f"{person} {clock}: the clock may be wrong; give the true rate with --fps")
    return [Caution(text, "person", motion.keypoints.person) for text in found]


def find_rare_people(tracks: Sequence[Keypoints2D], frames: int) -> list[Caution]:
    """A warning that names people seen in less than half the clip. It names at most 10."""
    shares = {track.person: seen_share(track, frames) for track in tracks}
    rarely = [f"person {person} ({share:.0%})" for person, share in shares.items() if share < _RARELY]
    if len(rarely) > _NAMED:
        rarely[_NAMED:] = [f"and {len(rarely) - _NAMED} more"]
    return [Caution(f"seen in less than half of the clip: {', '.join(rarely)}", "missing")] if rarely else []


def find_unsure(motion: Motion, skeleton_in: Skeleton, frames: int) -> list[Caution]:
    """A warning where many of a person's keypoints are unsure.

    Bad pictures have such keypoints.

    Args:
        motion: of the person.
        skeleton_in: the lifter's input joints.
        frames: of the clip.
    """
    keypoints = motion.keypoints
    scores = keypoints.scores[:, [joint in skeleton_in.joints for joint in keypoints.skeleton.joints]]
    found = scores > 0
    share = float((scores[found] < _UNSURE).mean()) if found.any() else 0.0
    if share < _MANY_UNSURE:
        return []
    text = (
        f"person {keypoints.person}: {share:.0%} of the keypoints are unsure (score below {_UNSURE:g}), seen in "
        f"{seen_share(keypoints, frames):.0%} of the clip; joints that are hidden, dark, blurred or heavily compressed "
        "are guesses"
    )
    return [Caution(text, "person", keypoints.person)]


def find_odd_rate(interval: float) -> list[Caution]:
    """A warning where the frame rate is outside the measured range.

    The median interval of the timestamps, seconds, decides.
    """
    if not interval or _RATES[0] <= 1 / interval <= _RATES[1]:
        return []
    text = (
        f"the timestamps are {interval:.3g} s apart, {1 / interval:.3g} frames per second; lifters are made for 7 to "
        "120, so the motion may be wrong"
    )
    return [Caution(text, "clock")]


def find_gaps(times: Float[np.ndarray, " t"], interval: float) -> list[Caution]:
    """A warning where timestamps jump: frames are missing, or the camera paused.

    Args:
        times: seconds, increasing.
        interval: usual time between two frames, seconds.

    Example:
        >>> find_gaps(np.array([0.0, 0.04, 0.08, 0.12, 0.6, 0.64]), 0.04)
        ['gaps in the timestamps: 1, the longest of 0.48 s after 0.12 s; frames are missing there']
    """
    intervals, seconds = _LONG_GAP
    steps = np.diff(times)
    if not (jumps := steps > max(intervals * interval, seconds)).any():
        return []
    longest = steps.argmax()
    lasts, after = steps[longest], times[longest]
    text = (
        f"gaps in the timestamps: {jumps.sum()}, the longest of {lasts:.2f} s after {after:.2f} s; frames are missing "
        "there"
    )
    return [Caution(text, "clock")]


def seen_share(keypoints: Keypoints2D, frames: int) -> float:
    """Share of a clip's frames with a person, 0 to 1.

    Frames between two detections count.

    Args:
        keypoints: of the person.
        frames: of the clip.
    """
    return float(keypoints.bridge().seen.sum()) / frames
