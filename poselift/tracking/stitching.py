"""Stitching: joins the fragments of one person's track."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from poselift.tracking.matching import assign, cost
from poselift.tracking.track import Track

_MAX_GAP = 4.0
"""Longest gap between two fragments of one person, seconds."""
_GUESSED, _GUESSES = 0.6, 10
"""Share of a track's usual score below which its last detections may be guesses, and the most of them."""


def stitch(tracks: list[Track]) -> list[Track]:
    """The tracks, with one person's fragments joined.

    They are ordered by their first frame. A track is joined to a later one that starts up to four seconds after its
    end, if both predictions are within the tracker's gates: the end of the first, moved forward by its velocity, and
    the start of the second, moved back by its own. All pairs of a clip are chosen together, at the least total cost.

    Args:
        tracks: in any order; they are not changed.
    """
    tracks = sorted(tracks, key=lambda track: track.timestamps[0])
    next_part = _next_parts(tracks)
    later_parts = set(next_part.values())
    joined = []
    for start in range(len(tracks)):
        if start in later_parts:
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


def _next_parts(tracks: list[Track]) -> dict[int, int]:
    """Index of each fragment's next one, by index.

    The tracks are sorted by start. Pairs that share no track, directly or through others, are assigned apart: hours of
    a busy street have tens of thousands of tracks, and the time of one assignment grows with their third power.
    """
    costs = _possible_pairs(tracks)
    chosen: dict[int, int] = {}
    for pairs in _group_connected(costs):
        rows, columns = (sorted(set(side)) for side in zip(*pairs, strict=True))
        table = [[costs.get((row, column), np.inf) for column in columns] for row in rows]
        chosen |= {rows[row]: columns[column] for row, column in assign(table)}
    return chosen


def _group_connected(pairs: Iterable[tuple[int, int]]) -> Iterable[list[tuple[int, int]]]:
    """The pairs in groups that share no track. A track counts apart as the earlier and as the later part."""
    leader: dict[tuple[str, int], tuple[str, int]] = {}

    def first(node: tuple[str, int]) -> tuple[str, int]:
        while (above := leader.setdefault(node, node)) != node:
            leader[node] = leader[above]  # shorter for the next time
            node = above
        return node

    pairs = list(pairs)
    for earlier, later in pairs:
        leader[first(("later", later))] = first(("earlier", earlier))
    groups = defaultdict(list)
    for pair in pairs:
        groups[first(("earlier", pair[0]))].append(pair)
    return groups.values()


def _possible_pairs(tracks: list[Track]) -> dict[tuple[int, int], float]:
    """Costs of joining tracks, by their indices, where possible. The tracks are sorted by start."""
    starts = [track.timestamps[0] for track in tracks]
    costs = {}
    for index, earlier in enumerate(tracks):
        end = earlier.timestamps[-1]
        # A little more, because sums are rounded; `_cost` compares the gap itself.
        for later in range(bisect_right(starts, end), bisect_right(starts, end + _MAX_GAP + 1e-6)):
            value = _cost(earlier, tracks[later])
            if np.isfinite(value):
                costs[index, later] = value
    return costs


def _cost(earlier: Track, later: Track) -> float:
    """Cost of joining a track to one that starts later."""
    gap = later.timestamps[0] - earlier.timestamps[-1]
    if gap > _MAX_GAP:
        return np.inf
    plain = _cost_across(earlier, later)
    return plain if np.isfinite(plain) else _cost_across(_without_guesses(earlier), later)


def _without_guesses(track: Track) -> Track:
    """The track without its last detections, if they score far less. A detector guesses somebody who is lost."""
    means = np.array([scores.mean() for scores in track.scores])
    sure = np.flatnonzero(means >= _GUESSED * np.median(means))
    end = max(int(sure[-1]) + 1, len(means) - _GUESSES)
    if end == len(means):
        return track
    shorter = Track()
    for observation in zip(track.frames, track.timestamps, track.keypoints, track.scores, strict=True):
        if len(shorter.frames) < end:
            shorter.add(*observation)
    return shorter


def _cost_across(earlier: Track, later: Track) -> float:
    """Cost of joining one track's end to another's start."""
    gap = later.timestamps[0] - earlier.timestamps[-1]
    forwards = earlier.difference(later.timestamps[0], later.keypoints[0], later.scores[0])
    return max(cost(forwards, gap), cost(later.difference_backwards(earlier), gap))
