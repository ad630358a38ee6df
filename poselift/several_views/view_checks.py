"""Checks of several videos before they become one.

They find videos without people or common time, with other people, and copies.
"""

from collections.abc import Sequence

import numpy as np

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.several_views.observations import ViewTrack
from poselift.several_views.view import LiftedView, ViewClock
from poselift.several_views.who_is_who import People

MOST_VIEWS = 8
"""Most videos of one recording."""

_LEAST_COMMON = 0.5
"""Seconds that every video must share with another one."""

_EARLY, _EARLY_SHARES = 1.0, (0.1, 0.25)
"""Seconds by which a video may end before the others without a word; in long and in short takes it is at least and at
most these shares of the longest video."""

_LEAST_SHARE, _MOST_APART = 0.35, 0.17
"""Least share of the time in which two views must agree on somebody, and most distance of their poses, metres."""

_MOST_APART_CALIBRATED = 0.2
"""The same where the cameras are known: no rotation is chosen there that brings the poses together. Half of a real take
has 0.18; the same people half a second apart agree for too little of the time."""

_SAME = 1.5
"""Pixels of the smaller picture between the keypoints of two views that are one."""


def check_views(views: Sequence[LiftedView]) -> None:
    """Refuses another number of videos, and one that shows nobody.

    Raises:
        InputError: likewise.
    """
    if not 2 <= len(views) <= MOST_VIEWS:
        some = "one video is" if len(views) == 1 else f"{len(views)} videos are"
        advice = "; for one video: poselift lift" if len(views) == 1 else ""
        raise InputError(f"{some} given; give 2 to {MOST_VIEWS} videos of the same moment{advice}")
    for view in views:
        if not any(motion.posed.any() for motion in view.people):
            raise InputError(f"{view.name} shows nobody; leave it out, or check it with poselift lift")


def check_common(views: Sequence[LiftedView], clocks: Sequence[ViewClock]) -> list[Caution]:
    """Warnings about videos that end early.

    Raises:
        InputError: a video shares no time with any other.
    """
    spans = [clock.to_shared(np.array(view.span)) for view, clock in zip(views, clocks, strict=True)]
    for index in [*range(1, len(spans)), 0]:  # the first one has the clock, so the others are told first
        own = spans[index]
        common = max(
            min(own[1], other[1]) - max(own[0], other[0]) for place, other in enumerate(spans) if place != index
        )
        if common < _LEAST_COMMON:
            raise InputError(
                f"{views[index].name} shares no time with the other videos: it runs from {own[0]:.2f} to "
                f"{own[1]:.2f} s of the first one's clock; give videos of the same moment, or other --offsets"
            )
    last = max(end for _, end in spans)
    longest = max(end - start for start, end in spans)
    early = float(np.clip(_EARLY, *(share * longest for share in _EARLY_SHARES)))
    return [
        Caution(
            f"{view.name} ends at {end:.2f} s, {last - end:.1f} s before the others: from there on the motion comes "
            "from the others alone",
            "clock",
        )
        for view, (_, end) in zip(views, spans, strict=True)
        if last - end > early
    ]


def check_pairings(
    views: Sequence[LiftedView],
    people: People,
    tracks: Sequence[Sequence[ViewTrack]],
    cameras: Sequence[Camera],
    warnings: list[Caution],
    calibrated: bool = False,
) -> None:
    """Refuses other people and copies; doubts pairs with little agreement.

    Such pairs agree for little of their time, or, under known cameras, have poses that are far apart.

    Raises:
        InputError: likewise.
    """
    most = _MOST_APART_CALIBRATED if calibrated else _MOST_APART
    moved = ", calibrate again if a camera was moved, or give the videos in the order of the calibration's cameras"
    advice = "give --offsets if a start is wrong" + moved * calibrated
    for index, view in enumerate(views):
        own = [pairing for pair, pairing in people.pairings.items() if index in pair]
        best = max(own, key=lambda pairing: pairing.share)
        if index in people.apart or best.share < _LEAST_SHARE or not best.pose < most:
            raise InputError(
                f"{view.name} does not show the same people at the same moment as the other videos: poses and places "
                f"agree for {100 * best.share:.0f} % of the time; leave it out, or {advice}"
            )
    for (a, b), pairing in people.pairings.items():
        if _is_same(tracks[a], tracks[b], cameras[a], cameras[b]):
            raise InputError(f"{views[a].name} and {views[b].name} are the same view; give videos from two places")
        names = f"{views[a].name} and {views[b].name}"
        if pairing.share < _LEAST_SHARE:
            text = f"{names} agree on people for {100 * pairing.share:.0f} % of their time only"
            warnings.append(Caution(text, "confusion"))
        elif pairing.pose >= _MOST_APART:
            text = f"{names} lift people {100 * pairing.pose:.0f} cm apart; {advice}"
            warnings.append(Caution(text, "confusion"))


def _is_same(first: Sequence[ViewTrack], other: Sequence[ViewTrack], a: Camera, b: Camera) -> bool:
    """Whether two views have the same keypoints, as copies have."""
    focal = min(float(a.K[0, 0]), float(b.K[0, 0]))
    for x in first:
        for y in other:
            off = np.linalg.norm(x.plane - y.plane, axis=-1) * focal
            off = off[np.isfinite(off)]
            if len(off) > 50 and np.median(off) < _SAME:
                return True
    return False


def describe_swaps(views: Sequence[LiftedView], people: People) -> list[Caution]:
    """Warnings about numbers that people exchanged inside a video."""
    return [
        Caution(f"{view.name}: people changed their numbers {count} times, which the other videos mended", "confusion")
        for view, count in zip(views, people.swaps, strict=True)
        if count
    ]
