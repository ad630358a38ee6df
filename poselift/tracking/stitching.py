"""Joining the fragments of one person's track."""

import numpy as np

from poselift.tracking.matching import assign, cost
from poselift.tracking.track import Track

_MAX_GAP = 4.0
"""Seconds that may lie between two fragments of one person."""


def stitch(tracks: list[Track]) -> list[Track]:
    """Joins tracks that end with others that begin up to four seconds later, all at once at the least cost.

    Two tracks are joined where the end of the one, moved forwards by its velocity, meets the start of the
    other, and the start of the other, moved backwards by its own, meets the end of the one: both within the
    tracker's gates.

    Args:
        tracks: in any order; they are left as they are.

    Returns:
        The joined tracks, and those that nothing was joined to, by the time of their first frame.
    """
    tracks = sorted(tracks, key=lambda track: track.timestamps[0])
    follower: dict[int, int] = {}
    for group in _groups(tracks):
        costs = [[_cost(tracks[earlier], tracks[later]) for later in group] for earlier in group]
        follower |= {group[earlier]: group[later] for earlier, later in assign(costs)}
    joined = []
    for start in range(len(tracks)):
        if start in follower.values():
            continue
        whole = Track(number=tracks[start].number)
        index: int | None = start
        while index is not None:
            part = tracks[index]
            for sight in zip(part.frames, part.timestamps, part.keypoints, part.scores, strict=True):
                whole.add(*sight)
            index = follower.get(index)
        joined.append(whole)
    return joined


def _groups(tracks: list[Track]) -> list[list[int]]:
    """Runs of tracks, sorted by start, between which nothing can be joined: all is quiet for longer than the gap.

    The cost of joining grows with the square of a group, not of a long video's whole crowd.
    """
    groups: list[list[int]] = []
    end = -np.inf
    for index, track in enumerate(tracks):
        if track.timestamps[0] > end + _MAX_GAP:
            groups.append([])
        groups[-1].append(index)
        end = max(end, track.timestamps[-1])
    return groups


def _cost(earlier: Track, later: Track) -> float:
    """What it costs to believe that one track goes on as the other."""
    gap = later.timestamps[0] - earlier.timestamps[-1]
    if not 0 < gap <= _MAX_GAP:
        return np.inf
    forwards = earlier.difference(later.timestamps[0], later.keypoints[0], later.scores[0])
    return max(cost(forwards, gap), cost(later.difference_backwards(earlier), gap))
