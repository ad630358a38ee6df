"""When the whole picture is searched for people, and how."""

from collections.abc import Sequence
from itertools import cycle

import numpy as np

from poselift.detection import Search
from poselift.lifting.followed import Followed

_RETRY, _LOST = 0.1, 1.0
"""After somebody was lost: seconds between searches, and for how long."""
_RARE = 1.0
"""Seconds between searches for turned people, and between those with tiles."""


class Searches:
    """Chooses the searches of the whole picture.

    Coarse and fine ones take turns. Once a second a fine one has tiles, and one more is for people who are turned: by a
    quarter, three quarters and half a turn by turns. The first search is for everybody.

    Args:
        rate: searches a second.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._fine = True
        self._turns = cycle((1, 3, 2))
        self._next = self._next_tiles = self._lost = -np.inf
        self._next_turned: float | None = None
        self._lost_turn = 0

    def due(self, time: float, people: Sequence[Followed]) -> Search | None:
        """The search that begins at a time in seconds; None if none does."""
        if time < self._next:
            return None
        if self._next_turned is None:  # the first search of all
            self._next_turned, self._next, self._next_tiles = time + _RARE, time + 1 / self._rate, time + _RARE
            self._fine = False
            return Search(turns=(0, 1, 2, 3), tiles=True)
        if not self._fine and time >= self._next_turned:  # a coarse search follows at once
            self._next_turned = time + _RARE
            return Search(turns=(self._turn(people),))
        self._next = time + (_RETRY if time < self._lost + _LOST else 1 / self._rate)
        fine, self._fine = self._fine, not self._fine
        tiles = fine and time >= self._next_tiles
        if tiles:
            self._next_tiles = time + _RARE
        return Search(fine, tiles=tiles)

    def lost(self, person: Followed, time: float) -> None:
        """Somebody was lost at a time in seconds: the next searches come sooner."""
        self._lost, self._next = time, min(self._next, time + _RETRY)
        self._fine = not person.quarter
        if person.quarter:
            self._lost_turn, self._next_turned = person.quarter, time

    def _turn(self, people: Sequence[Followed]) -> int:
        """Quarter turns: of somebody who was lost, else of those in doubt, else the next."""
        lost, self._lost_turn = self._lost_turn, 0
        return lost or next(
            (person.quarter for person in people if person.quarter and person.misses), next(self._turns)
        )
