"""Where and when a detector looks. Crop detections follow people; searches of the picture find newcomers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np

from poselift.core.caution import Caution
from poselift.core.unchecked import replace_unchecked
from poselift.detection import PlaceDetector, Search
from poselift.detection.duplicates import intersection_over_union, overlap, pose_nms
from poselift.detection.orientation import LEANING, body_angle
from poselift.finding.backward_tracking import BackwardTracking
from poselift.finding.crop_detections import EarlyDetection, look_at_places
from poselift.finding.darkness import Darkness
from poselift.finding.followed_person import Followed, Place
from poselift.finding.losses import Losses
from poselift.finding.overlapping_people import (
    Confusions,
    find_claimed_joints,
    find_doubtful_joints,
    measure_agreement,
    touch,
    without_joints,
)
from poselift.finding.qualities import Pace, Ticks, pair_with_later_frames
from poselift.finding.searches import RunningSearch, Searches
from poselift.structures import THRESHOLD, Detections
from poselift.video import Frame

_CALM = 0.02
"""Largest mean distance of the joints from where they were expected, as a share of the body, of a calm person. The
detector's noise alone is 0.01."""
_SAME = 0.6
"""Least intersection over union of a found box and the box of somebody who is followed, to be the same person without
another crop detection."""
_FOUND = 0.5
"""Least share of the smaller one of the two boxes, to have found this person again."""
_NEW = 0.2
"""Least mean joint score of newcomers."""
_NEW_TURNED = 0.35
"""The same for crops at several angles: the best of several scores is higher, also where nobody is; and
beside people who are followed."""
_AGREES = 0.5
"""Least fit of crop detections of these to what the search found."""
_DOUBTED = THRESHOLD / 2
"""Most score of a joint that may be another person's: nothing uses it, but the tracker knows where it is."""
_HIDDEN = 0.5
"""Seconds for which somebody is expected behind another person without being seen."""
_FINE_TAKES, _TURNED_TAKES = 0.2, 0.1
"""Seconds of the video after which a fine search, and one for turned people, is taken over: about as long as it takes
on one core."""


@runtime_checkable
class Helper(Protocol):
    """A second model beside the detector."""

    def note(self, frame: Frame, found: Detections, people: Sequence[Followed]) -> None:
        """Receives each detected frame, its people and their identities."""
        ...

    def vouch(self, frame: Frame, found: Detections, people: Sequence[Followed]) -> tuple[Detections, list[int]]:
        """The people of a frame, and the rows of those recognised.

        Some are as the model sees them.

        Args:
            frame: the picture.
            found: those who are followed, then newcomers.
            people: who are followed.
        """
        ...


class Finder:
    """Finds people in successive frames, with a memory of their places.

    People who are followed are looked for around the place where they are expected. Searches of the whole picture run
    beside it and find newcomers, people who were lost, and whether those who are followed are people at all.

    Args:
        detector: detects people in crops, and searches whole pictures.
        pace: how often.
        wait: take over a search after a fixed time of the video, so that the same frames always give the same people.
            Without it a search is taken over when it is done, and goes after crop detections: no frame waits for it.
        helper: a second model, if there is one.
        wait_first: without `wait`, the first frame waits for its search all the same: a file is there from its start.
    """

    def __init__(
        self,
        detector: PlaceDetector,
        pace: Pace,
        wait: bool = True,
        helper: Helper | None = None,
        wait_first: bool = False,
    ) -> None:
        self._detector, self._pace, self._wait, self._helper = detector, pace, wait, helper
        self._wait_first = wait_first
        self._people: list[Followed] = []
        self._searches = Searches(pace.searches)
        self._search: RunningSearch | None = None
        self._clock, self._tick = Ticks(pace.rate), -1
        self._early: EarlyDetection | None = None
        self._begun: list[Followed] = []  # newcomers of the last frame, to be followed backwards
        self._confusions, self._losses, self._darkness = Confusions(), Losses(), Darkness()

    @property
    def warnings(self) -> list[Caution]:
        """Warnings of people confused, lost in the picture, and in the dark."""
        return [*self._confusions.warnings(), *self._losses.warnings(), *self._darkness.warnings()]

    def look(self, frame: Frame, everybody: bool = False, later: Frame | None = None) -> Detections | None:
        """The people in a frame; None where the detector does not run.

        Args:
            frame: later than the frames before.
            everybody: look at all people who are followed, whatever the pace.
            later: the next frame at which the finder may look, if it is there already.
        """
        time = frame.timestamp
        self._losses.picture = frame.image.shape[1], frame.image.shape[0]
        last, self._tick, self._begun = self._tick, self._clock.tick(time), []
        if self._search is None and (how := self._searches.choose_search(time, frame.image, self._people)):
            self._start_search(frame, replace(how, quick=self._pace.quick))
            if self._tick == 0:  # the detector may open its network for crops while the first search runs
                self._detector.look(frame.image, np.zeros((0, 4)), np.zeros(0), self._pace.quick)
        if self._tick == last and not everybody:
            return None
        new, new_scores = self._find_newcomers(frame)
        # At everybody where there are newcomers, because one of them may be somebody who is followed.
        everybody |= self._tick // self._pace.calm > last // self._pace.calm or len(new) > 0
        due = [person for person in self._people if everybody or person.surprise > _CALM]
        if not due and not everybody:
            return None
        places = [*(person.expected(time) for person in due), *new]
        taken = self._take_early(due, len(new), time)
        if taken is None and later is not None and len(places) == len(due) == 1:
            # Several people keep the cores busy without this.
            self._early = EarlyDetection.start(self._detector, later, due[0], self._pace.quick)
        others = [person.expected(time) for person in self._people if not any(person is other for other in due)]
        found, turned = look_at_places(self._detector, frame.image, places, due, time, self._pace.quick, taken, others)
        vouched: list[int] = []
        if self._helper is not None:
            found, vouched = self._helper.vouch(frame, found, due)
        kept, people = self._keep_seen(found, turned, due, new, new_scores, time, vouched)
        self._darkness.note(frame.image, kept.boxes, time)
        if self._helper is not None:
            self._helper.note(frame, kept, people)
        return kept

    def find(self, frames: Iterable[Frame]) -> Iterator[tuple[Detections | None, float]]:
        """The people in each frame; see `PeopleFinder`. Newcomers are in it from the first frame that shows them."""
        back = BackwardTracking(self._detector, self._pace.quick)
        for frame, later, last in pair_with_later_frames(frames, self._pace.rate):
            back.add(frame, self.look(frame, last, later if self._pace.calm == 1 else None))
            for person in self._begun:
                back.follow(person)
            yield from back.take_ready(frame.timestamp)
        yield from back.take_ready()

    def _take_early(self, due: Sequence[Followed], newcomers: int, time: float) -> Detections | None:
        """The early detection of this frame, or None. None too if it was at another place."""
        early, self._early = self._early, None
        return None if early is None or newcomers or not early.serves(due, time) else early.found.result()

    def _start_search(self, frame: Frame, how: Search) -> None:
        takes = (_FINE_TAKES if how.fine else 0.0) if 0 in how.turns else _TURNED_TAKES
        # At the first frame there is nobody to look at meanwhile.
        due = frame.timestamp + (takes if self._tick > 0 else 0.0)
        # Where nobody is followed, there is nothing more urgent than the search.
        patient = not self._wait and bool(self._people)
        self._search = RunningSearch.start(self._detector, frame.image, how, due, self._people, patient)

    def _find_newcomers(self, frame: Frame) -> tuple[list[Place], list[float]]:
        """Places and box scores of newcomers whom a search found."""
        search = self._search
        takes_time = not (self._wait or (self._wait_first and self._tick == 0))
        if search is None or not (search.is_done() if takes_time else frame.timestamp >= search.due):
            return [], []
        self._search = None
        found = search.get_people()
        again = overlap(found.boxes, search.boxes)
        for index, person in enumerate(search.people):
            if again[:, index].max(initial=0) > _FOUND:
                score = float(found.box_scores[again[:, index].argmax()])
                person.misses, person.box_score = 0, max(score, person.score) if person.turned else score
            elif search.misses(person, found, frame.image.shape):
                person.misses += 1
        apart = intersection_over_union(found.boxes, search.boxes).max(1, initial=0) < _SAME
        new = np.flatnonzero(apart & ~search.shows_again(found))
        places = [_place(found, row) for row in new.tolist()]
        return places, found.box_scores[new].tolist()

    def _keep_seen(
        self,
        found: Detections,
        turned: list[bool],
        due: list[Followed],
        new: list[Place],
        new_scores: list[float],
        time: float,
        vouched: Sequence[int] = (),
    ) -> tuple[Detections, list[Followed]]:
        """The people seen, each once, with identities; the lost are dropped.

        Args:
            found: everybody in `due`, then the newcomers.
            turned: whether the crop of each was turned.
            due: people who are followed.
            new: where a search found the newcomers.
            new_scores: their box scores.
            time: of the frame, seconds.
            vouched: rows of those whom a second model recognises.
        """
        count = len(due)
        seen = [
            row in vouched or due[row].recognises(score)
            if row < count
            else score >= (_NEW_TURNED if turned[row] else _NEW)
            for row, score in enumerate(found.box_scores.tolist())
        ]
        # A crop detection of somebody beside a painted body may show what is left of that body.
        for row, place in enumerate(new, count):
            if seen[row] and any(touch(place.box, person.expected_box(time)) for person in self._people):
                agrees = measure_agreement(found, place, row) >= _AGREES
                seen[row] = agrees and found.box_scores[row] >= _NEW_TURNED
        places = [person.expected(time) for person in due]
        # Those who are followed come first: a newcomer may be one of them in another crop. Of two who are followed, and
        # look the same now, the one stays who was expected there.
        order = found.box_scores.copy()
        for row, place in enumerate(places):
            order[row] = 1 + order[row] * measure_agreement(found, place, row)
        rows = np.flatnonzero(seen)
        rows = np.sort(rows[pose_nms(found.keypoints[rows], found.scores[rows], found.boxes[rows], order[rows])])
        kept = found.rows(rows)
        expected = [places[row].points if row < count else None for row in rows.tolist()]
        lost, doubtful = find_claimed_joints(kept, expected)
        kept = without_joints(kept, lost)
        again = [due[row] for row in rows.tolist() if row < count]
        unseen = [person.expected(time) for person in self._people if not any(person is other for other in again)]
        doubtful |= find_doubtful_joints(kept, expected, unseen)
        if lost.any() or doubtful.any():
            self._confusions.joint(time)
        for index, person in enumerate(due):
            if index in rows:
                continue
            behind = any(touch(places[index].box, box) for box in found.boxes[rows])
            if behind:
                self._confusions.person(time)
            if not behind or time - person.time > _HIDDEN:
                self._people = [other for other in self._people if other is not person]
                self._searches.note_loss(person, time)
                self._losses.lose(person, time)
        people = []
        for index, row in enumerate(rows.tolist()):
            if row < count:
                person = due[row]
                person.update(kept, index, time, turned[row], lost[index])
            else:
                person = Followed.start(kept, index, new_scores[row - count], time, turned[row])
                self._people.append(person)
                self._losses.find(person, time)
                self._begun.append(Followed.start(kept, index, person.box_score, -time, turned[row]))
            people.append(person)
        # Who is followed, and the tracker, go on with all joints: a wrong doubt lasts no longer than its frame.
        scores = np.where(doubtful, np.minimum(kept.scores, _DOUBTED), kept.scores)
        box_scores = np.array([person.box_score for person in people], kept.box_scores.dtype)
        return replace_unchecked(kept, scores=scores, box_scores=box_scores), people


def _place(found: Detections, row: int) -> Place:
    """Where a newcomer is, turned as the search saw it."""
    points = found.keypoints[row]
    angle = body_angle(points, found.scores[row], found.skeleton)
    place = Place(found.boxes[row], 0.0, points, found.scores[row])
    return place.turn(angle) if angle is not None and abs(angle) > LEANING else place
