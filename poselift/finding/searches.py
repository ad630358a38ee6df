"""When and how whole pictures are searched for people. Searches run in the background too."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import cycle

import numpy as np
from jaxtyping import Bool, Float, UInt8

from poselift.core.threads import background_pool, pool
from poselift.detection import PlaceDetector, Search
from poselift.detection.duplicates import ALIKE, pose_nms, pose_similarity
from poselift.detection.multipose import is_crowded
from poselift.finding.followed_person import Followed
from poselift.finding.picture_changes import Changes
from poselift.structures import Detections

_RETRY, _LOST = 0.1, 1.0
"""After somebody was lost: seconds between searches, and for how long."""
_TILED, _TURNED = 2.0, 2.0
"""Seconds between searches with tiles, and between those for turned people, whom fine ones find half of the time."""
_LIVELY, _QUIET = 0.5, 1.0
"""After a change of the picture: seconds with searches at the full rate. Seconds between searches without a change."""
_LARGE = 0.4
"""Least size of people, as a share of the picture's longer side, whom the coarse search does not miss."""


class Searches:
    """Chooses the searches of the whole picture.

    Coarse and fine ones take turns. Every two seconds a fine one has tiles, and one more is for people who are turned:
    by a quarter, three quarters and half a turn by turns. The first search is for everybody. Where the picture has not
    changed beside the people who are followed, there is a fine one a second only; where it changes again, a fine one
    with tiles begins at once.

    Args:
        rate: searches a second.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._fine = True
        self._changes = Changes()
        self._changed = self._last = -np.inf
        self._turns = cycle((1, 3, 2))
        self._next = self._next_tiles = self._lost = -np.inf
        self._next_turned: float | None = None
        self._lost_turn = 0

    def choose_search(
        self, time: float, image: UInt8[np.ndarray, "_ _ 3"], people: Sequence[Followed]
    ) -> Search | None:
        """The search that begins with a picture, or None. The time is in seconds."""
        boxes = np.array([person.expected_box(time) for person in people]).reshape(-1, 4)
        search = self._choose(time, image, boxes, people)
        if search is not None and 0 in search.turns:
            self._changes.note_search(image, boxes)
            self._last = time
        return search

    def _choose(
        self,
        time: float,
        image: UInt8[np.ndarray, "_ _ 3"],
        boxes: Float[np.ndarray, "n 4"],
        people: Sequence[Followed],
    ) -> Search | None:
        if self._next_turned is None:  # the first search of all
            self._changed = time
            self._next, self._next_turned, self._next_tiles = time + 1 / self._rate, time + _TURNED, time + _TILED
            self._fine = False
            return Search(turns=(0, 1, 2, 3), tiles=True)
        late = time - self._next_turned
        # In the pause after a coarse one, so that no newcomer waits for it, if frames are dense enough for pauses.
        if late >= 0 and self._fine and (time < self._next or self._lost_turn or late > _TURNED):
            self._next_turned = time + _TURNED
            return Search(turns=(self._turn(people),))
        if time < self._next:
            return None
        doubt = time < self._lost + _LOST or any(person.misses for person in people)
        quiet = not doubt and time >= self._changed + _LIVELY
        changed = self._changes.has_changed(image, boxes)
        self._next = time + (_RETRY if time < self._lost + _LOST else 1 / self._rate)
        if changed:
            self._changed = time
        elif quiet and time < self._last + _QUIET:
            return None
        # The first of those that follow a change is fine, and so is each without a change.
        fine, self._fine = self._fine or quiet, not self._fine or (quiet and not changed)
        tiles = fine and (time >= self._next_tiles or (quiet and changed))
        if tiles:
            self._next_tiles = time + _TILED
        return Search(fine, tiles=tiles)

    def note_loss(self, person: Followed, time: float) -> None:
        """Notes somebody lost at a time, seconds: searches come sooner."""
        self._lost, self._fine, self._next = time, True, min(self._next, time + _RETRY)
        self._lost_turn = person.quarter
        self._next_turned = time if person.quarter else max(self._next_turned or time, time + 2 * _RETRY)

    def _turn(self, people: Sequence[Followed]) -> int:
        """Quarter turns of the next search. Those of somebody who was lost, else of those in doubt, else the next."""
        lost, self._lost_turn = self._lost_turn, 0
        return lost or next(
            (person.quarter for person in people if person.quarter and person.misses), next(self._turns)
        )


@dataclass(frozen=True)
class RunningSearch:
    """A search in the background.

    Attributes:
        parts: the people that each part of it finds.
        how: what it is for.
        due: time of the video, seconds, at which it is taken over.
        people: who were followed when it began.
        boxes: their boxes, pixels.
    """

    parts: "Sequence[Future[Detections]]"
    how: Search
    due: float
    people: Sequence[Followed]
    boxes: Float[np.ndarray, "n 4"]

    @classmethod
    def start(
        cls,
        detector: PlaceDetector,
        frame: UInt8[np.ndarray, "_ _ 3"],
        how: Search,
        due: float,
        people: Sequence[Followed],
        patient: bool = False,
    ) -> "RunningSearch":
        """A search that begins, for upright and turned people at once.

        Args:
            detector: searches.
            frame: picture.
            how: what for.
            due: time of the video, seconds, at which it is to be taken over.
            people: who are followed.
            patient: crop detections, and the drawing of a window, go first.
        """
        threads = background_pool() if patient else pool()
        kinds = tuple(turn for turn in how.turns if turn == 0), tuple(turn for turn in how.turns if turn)
        parts = [threads.submit(detector.search, frame, replace(how, turns=turns)) for turns in kinds if turns]
        boxes = np.array([person.box for person in people]).reshape(-1, 4)
        return cls(parts, how, due, tuple(people), boxes)

    def is_done(self) -> bool:
        """Whether `get_people` need not wait."""
        return all(part.done() for part in self.parts)

    def get_people(self) -> Detections:
        """The people whom the search found, each once."""
        found = Detections.join([part.result() for part in self.parts])
        return found.rows(pose_nms(found.keypoints, found.scores, found.boxes, found.box_scores))

    def shows_again(self, found: Detections) -> Bool[np.ndarray, " n"]:
        """Which people found are doubles of others. Somebody is followed who looks the same."""
        if not self.people:
            return np.zeros(len(found), bool)
        keypoints = np.concatenate([found.keypoints, [person.keypoints for person in self.people]])
        scores = np.concatenate([found.scores, [person.scores for person in self.people]])
        alike = pose_similarity(keypoints, scores, np.concatenate([found.boxes, self.boxes]))
        return alike[: len(found), len(found) :].max(1) >= ALIKE

    def misses(self, person: Followed, found: Detections, shape: tuple[int, ...]) -> bool:
        """Whether it should have found somebody, but did not.

        Args:
            person: who was followed when it began.
            found: whom it found.
            shape: of the picture.
        """
        if person.quarter not in self.how.turns or not (self.how.fine or person.size > _LARGE * max(shape[:2])):
            return False
        return self.how.tiles or not is_crowded(np.concatenate([found.boxes, person.box[None]]), shape)
