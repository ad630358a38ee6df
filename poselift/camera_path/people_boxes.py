"""Where people hide the background, at any time of a clip."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from poselift.structures import Keypoints2D

_AWAY = 0.5
"""Longest time from a frame in which somebody was seen until they no longer hide anything, seconds."""


class PeopleBoxes:
    """Boxes around everybody's joints, interpolated over time.

    Between the frames in which they were seen.

    Args:
        tracks: the people.
    """

    def __init__(self, tracks: Sequence[Keypoints2D]) -> None:
        self._people = []
        for track in tracks:
            rows = np.flatnonzero(track.seen)
            points = track.keypoints[rows]
            boxes = np.concatenate([np.nanmin(points, axis=1), np.nanmax(points, axis=1)], axis=1)
            if len(rows):
                self._people.append((track.timestamps[rows], boxes))

    def at(self, time: float) -> Float[np.ndarray, "n 4"]:
        """The boxes x0, y0, x1, y1 at a time, pixels."""
        found = []
        for times, boxes in self._people:
            after = int(np.searchsorted(times, time))
            near = [row for row in (after - 1, after) if 0 <= row < len(times) and abs(times[row] - time) <= _AWAY]
            if near:
                # Both of the frames around: people move in between.
                found.append(np.concatenate([boxes[near, :2].min(0), boxes[near, 2:].max(0)]))
        return np.array(found).reshape(-1, 4)
