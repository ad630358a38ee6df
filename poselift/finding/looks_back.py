"""Looks back in a file, for newcomers. They are followed backwards to the first frame that shows them."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from poselift.core.unchecked import replace_unchecked
from poselift.detection import PlaceDetector
from poselift.detection.duplicates import pose_nms
from poselift.finding.followed_person import Followed, Place
from poselift.finding.overlapping_people import find_claimed_joints, measure_agreement
from poselift.finding.place_looks import look_at_places
from poselift.structures import Detections
from poselift.video import Frame

_BACK = 0.6
"""Seconds of looks that are kept. Newcomers are found within 0.4 s (benchmarks/tracking.md)."""
_SPACING = 1 / 15
"""Least time between two pictures that are kept, seconds: nine at most."""
_LONGEST = 1920
"""Longer side of kept pictures at most, pixels: larger ones are thinned, so that memory stays below 60 MB."""
_SAME = 0.3
"""Least fit of a pose to the later one, moved back, of the same person."""


@dataclass
class _Look:
    """A frame's people, and its picture if it is kept.

    None for people without a look; and the pixels' distance there.
    """

    time: float
    found: Detections | None
    picture: UInt8[np.ndarray, "_ _ 3"] | None
    step: int


class LooksBack:
    """The last looks at a file, to which newcomers can be added.

    Args:
        detector: looks.
        quick: see `poselift.detection.PlaceDetector`.
    """

    def __init__(self, detector: PlaceDetector, quick: bool) -> None:
        self._detector, self._quick = detector, quick
        self._looks: deque[_Look] = deque()
        self._kept = -np.inf

    def add(self, frame: Frame, found: Detections | None) -> None:
        """A look that follows the ones before."""
        step, picture = -(-max(frame.image.shape) // _LONGEST), None
        if found is not None and frame.timestamp >= self._kept + _SPACING - 1e-6:
            self._kept = frame.timestamp
            picture = frame.image if step == 1 else np.ascontiguousarray(frame.image[::step, ::step])
        self._looks.append(_Look(frame.timestamp, found, picture, step))

    def follow(self, person: Followed) -> None:
        """Adds a newcomer to earlier looks, while pictures show this person.

        Args:
            person: begun with the last look, with its time negated: looks back are looks at a film in reverse.
        """
        for look in list(self._looks)[-2::-1]:
            if look.picture is None or look.found is None:
                continue
            found = self._find(person, look, look.picture, look.found)
            if found is None:
                return
            look.found = found

    def take_ready(self, time: float = np.inf) -> Iterator[tuple[Detections | None, float]]:
        """Hands out looks that no newcomer can join any more.

        Args:
            time: of the present, seconds; without it all looks are handed out.

        Yields:
            The people of a look, and its time in seconds.
        """
        while self._looks and self._looks[0].time < time - _BACK:
            look = self._looks.popleft()
            yield look.found, look.time

    def _find(
        self, person: Followed, look: _Look, picture: UInt8[np.ndarray, "_ _ 3"], there: Detections
    ) -> Detections | None:
        """A look's people and this person. None if the picture does not show anybody else."""
        place = person.expected(-look.time)
        others = [
            _scale(Place(there.boxes[row], 0.0, there.keypoints[row], there.scores[row]), look.step)
            for row in range(len(there))
        ]
        seen, turned = look_at_places(
            self._detector, picture, [_scale(place, look.step)], [person], -look.time, self._quick, others=others
        )
        seen = replace_unchecked(seen, boxes=seen.boxes * look.step, keypoints=seen.keypoints * look.step)
        if not person.recognises(float(seen.box_scores[0])):
            return None
        if measure_agreement(seen, place) < _SAME:
            return None
        both = Detections.join([there, seen])
        order = np.append(np.ones(len(there)), 0.0)
        if len(there) not in pose_nms(both.keypoints, both.scores, both.boxes, order):
            return None
        lost, _ = find_claimed_joints(both, [*there.keypoints, None])
        person.update(both, len(there), -look.time, turned[0], lost[-1])
        both.keypoints[lost], both.scores[lost] = np.nan, 0.0
        both.box_scores[-1] = person.box_score
        return both


def _scale(place: Place, step: int) -> Place:
    """A place in a picture of which every n-th pixel is left."""
    return Place(place.box / step, place.angle, place.points / step, place.scores)
