"""A second model's crop detections of followed people.

How far two models are apart changes slowly, because it is mostly a matter of how a body looks from one side. So the
second model runs at every few frames: between them its difference from the first one is interpolated, and added.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.threads import background_pool, pool
from poselift.core.unchecked import replace_unchecked
from poselift.detection.joined import MoveNetBlazePose, first_joints, join_rows
from poselift.detection.joining import ModelDifference, compare, join, same_sides
from poselift.finding.followed_person import Followed, Place
from poselift.finding.overlapping_people import measure_agreement, touch
from poselift.finding.qualities import Ticks
from poselift.structures import THRESHOLD, Detections
from poselift.video import Frame

_UNCLEAR = 0.4
"""Mean joint score of the first model below which the second one is asked: poses that MoveNet makes up score so."""
_SURELY, _FITS, _BOTH = 0.6, 0.5, 1.2
"""Least probability of a person in the second model's crop, least fit to what was expected, and least sum of both, to
vouch for somebody whom the first model no longer recognises."""
_SURELY_BESIDE = 0.8
"""The same probability beside others, whose bodies may be in the crop."""
_WHOLLY, _FULL = 0.97, 0.93
"""Least probability and size, compared with the last whole body, of the next one."""
_SAME_BODY = 0.9
"""Least fit of the bodies of two crops to each other, for a third crop not to tell more."""
_BODIES = 5
"""Last whole bodies whose median counts, so that no joint that is far off moves the crop."""
_SHRUNK, _WIDER = 0.45, 1.25
"""Least size of a pose compared with the last whole body. Size of a second crop at that body's place."""
_LESS = 0.5
"""Factor of the second model's scores where the first one does not recognise anybody."""
_LASTS = 0.4
"""Seconds for which a difference holds after or before its frame, at most three times the pause between differences."""


@dataclass
class _Seen:
    """Somebody's crop detections by the second model, in order.

    Attributes:
        person: who is followed.
        times: of the frames, seconds.
        differences: to the first model, or those that are being computed.
    """

    person: Followed
    times: list[float] = field(default_factory=list)
    differences: "list[Future[ModelDifference]]" = field(default_factory=list)

    def at(self, time: float, wait: bool) -> ModelDifference | None:
        """The difference at a time, seconds; None without one nearby.

        Args:
            time: seconds.
            wait: for differences that are being computed; else they count as missing.
        """
        done = [row for row, difference in enumerate(self.differences) if wait or difference.done()]
        times = [self.times[row] for row in done]
        after = bisect_right(times, time)
        before, later = (done[after - 1] if after else None), (done[after] if after < len(done) else None)
        if before is not None and time - self.times[before] > _LASTS:
            before = None
        if later is not None and self.times[later] - time > _LASTS:
            later = None
        if before is None or later is None:
            near = later if before is None else before
            return None if near is None else self._decided(near, done)
        share = (time - self.times[before]) / (self.times[later] - self.times[before])
        return self._decided(before, done).towards(self._decided(later, done), share)

    def _decided(self, row: int, done: Sequence[int]) -> ModelDifference:
        """A row's difference, decided by those before and after. `done` has the rows that may be used."""
        own = self.times[row]
        others = [(self.times[other] - own, self.differences[other]) for other in done if other != row]
        near = [(seconds, difference.result()) for seconds, difference in others if abs(seconds) <= _LASTS]
        return self.differences[row].result().decide(near)


def _middle_of(bodies: Iterable[Place]) -> Place | None:
    """The median of the last whole bodies, joint by joint.

    None without one.
    """
    given = list(bodies)
    if not given:
        return None
    points = np.array([body.points for body in given])
    known = np.isfinite(points).all((0, 2))
    middle = np.full(points.shape[1:], np.nan)
    middle[known] = np.median(points[:, known], axis=0)
    if not known.any():
        return given[-1]
    box = np.concatenate([middle[known].min(0), middle[known].max(0)])
    return Place(box, 0.0, middle, np.max([body.scores for body in given], axis=0))


def _place_of(found: Detections, row: int) -> Place:
    """Where a detection's person is."""
    return Place(found.boxes[row], 0.0, found.keypoints[row], found.scores[row])


def _enlarge(place: Place) -> Place:
    """The same place for a crop that shows more around it."""
    middle = (place.box[:2] + place.box[2:]) / 2
    return replace(place, points=middle + _WIDER * (place.points - middle))


class SecondModel:
    """A second model's crop detections, asked for by the first one's finder.

    Args:
        detector: both models.
        rate: crop detections a second of each person.
        wait: whether frames wait for their crop detections, so that the same frames always give the same joints.
    """

    def __init__(self, detector: MoveNetBlazePose, rate: float, wait: bool) -> None:
        self._detector, self._wait = detector, wait
        self._clock, self._tick = Ticks(rate), -1
        self._seen: dict[int, _Seen] = {}
        # Each person's last whole bodies, for as long as somebody follows them: a number may be a newcomer's later.
        self._bodies: WeakKeyDictionary[Followed, deque[Place]] = WeakKeyDictionary()
        # Crop detections of this frame, by id of who was asked for: nobody is looked at twice.
        self._asked: dict[int, Detections] = {}
        self._frames: deque[tuple[float, list[Followed]]] = deque()
        self._shape: tuple[int, ...] = (0, 0)

    def note(self, frame: Frame, found: Detections, people: Sequence[Followed]) -> None:
        """Takes over the first model's people, and may detect them too.

        Args:
            frame: the picture.
            found: the people.
            people: who each of them is.
        """
        last, self._tick = self._tick, self._clock.tick(frame.timestamp)
        self._frames.append((frame.timestamp, list(people)))
        self._shape = frame.image.shape
        for row, person in enumerate(people):
            seen = self._seen.setdefault(id(person), _Seen(person))
            if self._tick == last and seen.times:
                continue
            threads = pool() if self._wait else background_pool()
            seen.times.append(frame.timestamp)
            again = self._asked.get(id(person))
            seen.differences.append(
                threads.submit(self._compare, frame.image, found.keypoints[row], found.scores[row], again)
            )

    def vouch(self, frame: Frame, found: Detections, people: Sequence[Followed]) -> tuple[Detections, list[int]]:
        """The first model's people, some seen by the second; their rows.

        It is asked where the first model recognises nobody, or scores as low as with poses that it makes up. Its pose
        counts if it is sure of a person, and the pose fits better to what was expected.

        Args:
            frame: the picture.
            found: those who are followed, then newcomers.
            people: who are followed.
        """
        parts, vouched = [found.rows([row]) for row in range(len(found))], []
        self._asked.clear()
        for row, person in enumerate(people):
            score, place = float(found.box_scores[row]), person.expected(frame.timestamp)
            recognised = person.recognises(score)
            if recognised and score >= _UNCLEAR:
                self._note_body(person, found, row)
                continue
            others = [other.expected(frame.timestamp).box for other in people if other is not person]
            beside = any(touch(place.box, box) for box in [*others, *found.boxes[len(people) :]])
            again = self._look_for(frame, person, recognised, beside)
            if again is None:
                continue
            if not recognised or measure_agreement(again, place) > measure_agreement(found, place, row):
                parts[row] = again
                vouched.append(row)
        return (Detections.join(parts) if vouched else found), vouched

    def join(self, found: Detections | None, time: float) -> Detections | None:
        """The people of a frame with the joints of both models.

        Args:
            found: by the first model; None where it did not run.
            time: of the frame, seconds.
        """
        self._forget(time)
        if found is None:
            return None
        people: list[Followed | None] = list(next((who for when, who in self._frames if when == time), []))
        people += [self._find_later(found, row, time) for row in range(len(people), len(found))]
        joined = []
        for row, person in enumerate(people[: len(found)]):
            seen = None if person is None else self._seen.get(id(person))
            difference = None if seen is None else seen.at(time, self._wait)
            joined.append(join(found.keypoints[row], found.scores[row], difference))
        return join_rows(found, joined, self._shape)

    def _note_body(self, person: Followed, found: Detections, row: int) -> None:
        bodies = self._bodies.setdefault(person, deque(maxlen=_BODIES))
        bodies.append(_place_of(found, row))

    def _look_for(self, frame: Frame, person: Followed, recognised: bool, beside: bool) -> Detections | None:
        """Who is at a person's place, with the first model's joints. None if the second model is not sure of a person.

        Of somebody whom the first model does not recognise, it looks at the place of the last whole body too, because
        what the first model makes up shrinks and wanders; until a body is whole, or two crops show the same one. Not
        beside others: one of them may be there by now, and would be followed twice. There the sides must fit as well.

        Args:
            frame: the picture.
            person: who is followed.
            recognised: whether the first model recognises them.
            beside: whether somebody else may be in the crop.
        """
        expected = person.expected(frame.timestamp)
        whole = None if beside else _middle_of(self._bodies.get(person, ()))
        best, most, wholly = None, 0.0, False
        for place in [expected] if recognised or whole is None else [expected, whole, _enlarge(whole)]:
            again = self._detector.second.look_at(frame.image, place.points, np.maximum(place.scores, THRESHOLD))
            if again.box_scores[0] < (_SURELY_BESIDE if beside else _SURELY):
                continue
            if not beside:
                order = same_sides(expected.points, expected.scores, again.keypoints[0])
                again = replace_unchecked(again, keypoints=again.keypoints[:, order], scores=again.scores[:, order])
            body = first_joints(again)
            seen = body.scores[0] > 0
            fit = max(measure_agreement(body, each) for each in (expected, whole or expected)) if seen.any() else 0.0
            if fit < _FITS or fit + again.box_scores[0] < _BOTH:
                continue
            points = body.keypoints[0, seen]
            box = np.concatenate([points.min(0), points.max(0)])
            found = replace_unchecked(body, boxes=box[None])
            size = float((box[2:] - box[:2]).max()) / (whole or expected).size
            worth = float(again.box_scores[0]) * float(body.scores.mean()) * min(size, 1.0)
            same = best is not None and measure_agreement(found, _place_of(best, 0)) >= _SAME_BODY
            if size >= _SHRUNK and worth > most:
                best, most, self._asked[id(person)] = found, worth, again
                wholly = bool(again.box_scores[0] > _WHOLLY and size > _FULL)
            if wholly or same:
                break
        if best is None:
            return None
        if wholly:
            self._note_body(person, best, 0)
        scores = _LESS * best.scores
        return replace_unchecked(best, box_scores=scores.mean(-1), scores=scores)

    def _compare(
        self,
        picture: UInt8[np.ndarray, "h w 3"],
        points: Float[np.ndarray, "17 2"],
        scores: Float[np.ndarray, " 17"],
        again: Detections | None,
    ) -> ModelDifference:
        if again is None:
            again = self._detector.second.look_at(picture, points, scores)
        return compare(points, scores, again.keypoints[0], again.scores[0])

    def _find_later(self, found: Detections, row: int, time: float) -> Followed | None:
        """Who was added to a frame backwards. The one who is nearest when first seen."""
        box = found.boxes[row]
        later = [seen for seen in self._seen.values() if seen.times and time < seen.times[0] <= time + _LASTS]
        if not later or not np.isfinite(box).all():
            return None
        apart = [np.abs(seen.person.box - box).max() / max(1.0, float((box[2:] - box[:2]).max())) for seen in later]
        nearest = int(np.argmin(apart))
        return later[nearest].person if apart[nearest] < 1 else None

    def _forget(self, time: float) -> None:
        """Forgets what frames from a time on, in seconds, do not need."""
        while self._frames and self._frames[0][0] < time:
            self._frames.popleft()
        for key, seen in list(self._seen.items()):
            while seen.times and seen.times[0] < time - _LASTS:
                del seen.times[0], seen.differences[0]
            if not seen.times:
                del self._seen[key]
