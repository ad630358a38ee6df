"""Follows newcomers backwards, to the first frame that shows them."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from poselift.core.unchecked import replace_unchecked
from poselift.detection import PlaceDetector
from poselift.detection.duplicates import pose_nms
from poselift.finding.crop_detections import look_at_places
from poselift.finding.followed_person import Followed, Place
from poselift.finding.overlapping_people import find_claimed_joints, measure_agreement, without_joints
from poselift.structures import Detections
from poselift.video import Frame

_BACK = 0.6
"""Seconds of frames that are kept. Newcomers are found within 0.4 s (benchmarks/tracking.md)."""
_SPACING = 1 / 15
"""Least time between two pictures that are kept, seconds: nine at most."""
_LONGEST = 1920
"""Longer side of kept pictures at most, pixels: larger ones are thinned, so that memory stays below 60 MB."""
_SAME = 0.3
"""Least fit of a pose to the later one, moved back, of the same person."""


@dataclass
class _KeptFrame:
    """A frame's people, and its picture if it is kept.

    The people are None where no detector ran. `step` is the distance of the picture's pixels in the frame.
    """

    time: float
    found: Detections | None
    picture: UInt8[np.ndarray, "_ _ 3"] | None
    step: int


class BackwardTracking:
    """The last frames of a file, to which newcomers can be added.

    Args:
        detector: finds a newcomer in the earlier pictures.
        quick: see `poselift.detection.PlaceDetector`.
    """

    def __init__(self, detector: PlaceDetector, quick: bool) -> None:
        self._detector, self._quick = detector, quick
        self._frames: deque[_KeptFrame] = deque()
        self._kept = -np.inf

    def add(self, frame: Frame, found: Detections | None) -> None:
        """Keeps a frame that follows the ones before."""
        step, picture = -(-max(frame.image.shape) // _LONGEST), None
        if found is not None and frame.timestamp >= self._kept + _SPACING - 1e-6:
            self._kept = frame.timestamp
            picture = frame.image if step == 1 else np.ascontiguousarray(frame.image[::step, ::step])
        self._frames.append(_KeptFrame(frame.timestamp, found, picture, step))

    def follow(self, person: Followed) -> None:
        """Adds a newcomer to earlier frames, while pictures show this person.

        Args:
            person: begun with the last detection, with its time negated: the film runs in reverse.
        """
        for kept in list(self._frames)[-2::-1]:
            if kept.picture is None or kept.found is None:
                continue
            found = self._find(person, kept, kept.picture, kept.found)
            if found is None:
                return
            kept.found = found

    def take_ready(self, time: float = np.inf) -> Iterator[tuple[Detections | None, float]]:
        """Hands out frames that no newcomer can join any more.

        Args:
            time: of the present, seconds; without it all frames are handed out.

        Yields:
            The people of a frame, and its time in seconds.
        """
        while self._frames and self._frames[0].time < time - _BACK:
            kept = self._frames.popleft()
            yield kept.found, kept.time

    def _find(
        self, person: Followed, kept: _KeptFrame, picture: UInt8[np.ndarray, "_ _ 3"], there: Detections
    ) -> Detections | None:
        """A frame's people and this person. None if the picture does not show anybody else."""
        place = person.expected(-kept.time)
        others = [
            _scale(Place(there.boxes[row], 0.0, there.keypoints[row], there.scores[row]), kept.step)
            for row in range(len(there))
        ]
        seen, turned = look_at_places(
            self._detector, picture, [_scale(place, kept.step)], [person], -kept.time, self._quick, others=others
        )
        seen = replace_unchecked(seen, boxes=seen.boxes * kept.step, keypoints=seen.keypoints * kept.step)
        if not person.recognises(float(seen.box_scores[0])):
            return None
        if measure_agreement(seen, place) < _SAME:
            return None
        both = Detections.join([there, seen])
        order = np.append(np.ones(len(there)), 0.0)
        if len(there) not in pose_nms(both.keypoints, both.scores, both.boxes, order):
            return None
        lost, _ = find_claimed_joints(both, [*there.keypoints, None])
        person.update(both, len(there), -kept.time, turned[0], lost[-1])
        box_scores = np.append(there.box_scores, person.box_score).astype(both.box_scores.dtype)
        return replace_unchecked(without_joints(both, lost), box_scores=box_scores)


def _scale(place: Place, step: int) -> Place:
    """A place in a picture of which every n-th pixel is left."""
    return Place(place.box / step, place.angle, place.points / step, place.scores)
