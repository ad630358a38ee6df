"""Detects people in crops at their places. Where doubts remain, crops at other angles follow."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from poselift.core.threads import pool
from poselift.core.unchecked import replace_unchecked
from poselift.detection import PlaceDetector
from poselift.detection.orientation import LEANING, SURE, angle_between, body_angle, other_angles
from poselift.finding.followed_person import Followed, Place
from poselift.finding.overlapping_people import measure_agreement, paint_out_others, touch
from poselift.structures import Detections
from poselift.video import Frame

_CONVINCING = 0.1
"""By how much the mean joint score must be higher for somebody who is followed to be turned by a quarter or more."""
_FITS = 0.7
"""Fit of a crop detection to what was expected, below which another one follows with all others painted out."""
_NEAR, _ALIKE = 0.05, 0.1
"""Largest distance between the edges of two places that are as good as one, as a share of the longer side, and between
their angles, radians."""


@dataclass(frozen=True)
class EarlyDetection:
    """A crop detection in a later frame, made by another core meanwhile.

    It runs at the same time as the detection before it.

    Attributes:
        person: who is followed.
        time: of the later frame, seconds.
        place: where the person was expected there, before the detection between.
        found: what it gives.
    """

    person: Followed
    time: float
    place: Place
    found: "Future[Detections]"

    @classmethod
    def start(cls, detector: PlaceDetector, frame: Frame, person: Followed, quick: bool) -> "EarlyDetection":
        """Begins a detection."""
        place = person.expected(frame.timestamp)
        return cls(person, frame.timestamp, place, pool().submit(_look_at, detector, frame.image, [place], quick))

    def serves(self, people: Sequence[Followed], time: float) -> bool:
        """Whether a crop detection now would be at the same place.

        The time is in seconds; nearly the same place is enough.
        """
        if time != self.time or len(people) != 1 or people[0] is not self.person:
            return False
        now = self.person.expected(time)
        shift = np.abs(now.box - self.place.box).max()
        return angle_between(now.angle, self.place.angle) <= _ALIKE and bool(shift <= _NEAR * self.person.size)


def look_at_places(
    detector: PlaceDetector,
    frame: UInt8[np.ndarray, "_ _ 3"],
    places: Sequence[Place],
    people: Sequence[Followed],
    time: float,
    quick: bool = False,
    found: Detections | None = None,
    others: Sequence[Place] = (),
) -> tuple[Detections, list[bool]]:
    """Each place's person, and whether the crop was turned.

    Where a crop detection leaves doubts, others at other angles follow, and the best score decides.

    Args:
        detector: finds one person in each crop.
        frame: RGB.
        places: of the people who are followed, then those of newcomers.
        people: who are followed.
        time: of the frame, seconds.
        quick: see `poselift.detection.PlaceDetector`.
        found: the person in each place, if they were looked at already.
        others: where those who are followed, and not among these places, are expected.
    """
    followed = [*places[: len(people)], *others]
    hidden = [
        [other for other in (followed if row < len(people) else [*places, *others]) if other is not place]
        for row, place in enumerate(places)
    ]
    if found is None:
        found = _look(detector, frame, places, hidden, quick)
    tried = list(enumerate(places))
    worth = found.box_scores.tolist()
    for row, place in enumerate(places):
        angle = body_angle(found.keypoints[row], found.scores[row], found.skeleton)
        measured = place.angle if angle is None else angle
        if row >= len(people):
            doubts = worth[row] < SURE or place.angle != 0 or abs(measured) > LEANING
        elif doubts := people[row].is_doubtful(worth[row], measured, time):
            people[row].compared = time
        for other in other_angles(place.angle, measured) if doubts else []:
            tried.append((row, place.turn(other)))
            worth.append(-_CONVINCING if row < len(people) and angle_between(other, measured) > LEANING else 0.0)
    if len(tried) == len(places):
        return found, [bool(place.angle) for place in places]
    again = tried[len(places) :]
    more = _look(detector, frame, [place for _, place in again], [hidden[row] for row, _ in again], quick)
    worth[len(places) :] = (more.box_scores + worth[len(places) :]).tolist()
    best = [
        max((index for index, (which, _) in enumerate(tried) if which == row), key=lambda index: worth[index])
        for row in range(len(places))
    ]
    return Detections.join([found, more]).rows(best), [bool(tried[index][1].angle) for index in best]


def _look(
    detector: PlaceDetector,
    frame: UInt8[np.ndarray, "_ _ 3"],
    places: Sequence[Place],
    hidden: Sequence[Sequence[Place]],
    quick: bool,
) -> Detections:
    """Each place's person, in a picture without overlapping people of `hidden`."""
    near = [
        [other for other in others if touch(place.box, other.box)] for place, others in zip(places, hidden, strict=True)
    ]
    crowded = [row for row, others in enumerate(near) if others]
    if not crowded:
        return _look_at(detector, frame, places, quick)

    def look(row: int) -> Detections:
        tries = []
        for shared in (True, False):
            part, corner = paint_out_others(frame, places[row], near[row], detector.skeleton, shared)
            found = _look_at(detector, part, [places[row].move(-corner)], quick)
            boxes, keypoints = found.boxes + np.tile(corner, 2), found.keypoints + corner
            tries.append(replace_unchecked(found, boxes=boxes, keypoints=keypoints))
            if measure_agreement(tries[-1], places[row]) >= _FITS:
                break
        return max(tries, key=lambda found: measure_agreement(found, places[row]) * found.box_scores[0])

    alone = [row for row, others in enumerate(near) if not others]
    several = [_look_at(detector, frame, [places[row] for row in alone], quick)] if alone else []
    return Detections.join([*several, *pool().map(look, crowded)]).rows(np.argsort([*alone, *crowded]))


def _look_at(
    detector: PlaceDetector, frame: UInt8[np.ndarray, "_ _ 3"], places: Sequence[Place], quick: bool
) -> Detections:
    boxes = np.array([place.box for place in places]).reshape(-1, 4)
    return detector.look(frame, boxes, np.array([place.angle for place in places], float), quick)
