"""Stitching: joins the fragments of one person's track."""

import numpy as np

from poselift.tracking.matching import assign, cost
from poselift.tracking.track import Track

_MAX_GAP = 4.0
"""Longest gap between two fragments of one person, seconds."""


def stitch(tracks: list[Track]) -> list[Track]:
    """The tracks, with fragments of one person joined, ordered by their first frame.

    A track is joined to a later one that starts up to four seconds after its end, if both predictions are within the
    tracker's gates: the end of the first, moved forward by its velocity, and the start of the second, moved back by its
    own. All pairs of a clip are chosen together, at the least total cost.

    Args:
        tracks: in any order; they are not changed.
    """
    tracks = sorted(tracks, key=lambda track: track.timestamps[0])
    next_part: dict[int, int] = {}
    for group in _groups(tracks):
        costs = [[_cost(tracks[earlier], tracks[later]) for later in group] for earlier in group]
        next_part |= {group[earlier]: group[later] for earlier, later in assign(costs)}
    joined = []
    for start in range(len(tracks)):
        if start in next_part.values():
            continue
        whole = Track(number=tracks[start].number)
        index: int | None = start
        while index is not None:
            part = tracks[index]
            for observation in zip(part.frames, part.timestamps, part.keypoints, part.scores, strict=True):
                whole.add(*observation)
            index = next_part.get(index)
        joined.append(whole)
    return joined


def _groups(tracks: list[Track]) -> list[list[int]]:
    """Indices of tracks in groups that are further apart than the longest gap; the tracks are sorted by start.

    Costs are computed within groups only, because their number grows with the square of a group.
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
    """Cost of joining two tracks."""
    gap = later.timestamps[0] - earlier.timestamps[-1]
    if not 0 < gap <= _MAX_GAP:
        return np.inf
    forwards = earlier.difference(later.timestamps[0], later.keypoints[0], later.scores[0])
    return max(cost(forwards, gap), cost(later.difference_backwards(earlier), gap))
