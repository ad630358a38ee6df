"""Finds people by searching whole pictures alone. It serves detectors that cannot look at a place."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from poselift.core.caution import Caution
from poselift.detection import Detector
from poselift.finding.darkness import Darkness
from poselift.finding.qualities import Pace, Ticks, pair_with_later_frames
from poselift.structures import Detections
from poselift.video import Frame

_BATCH = 4
"""Frames in one call of a detector that searches whole pictures."""


class SearchingFinder:
    """Searches whole frames for everybody, without a memory of where people were.

    Args:
        detector: of any kind.
        pace: there are half as many searches a second as it has crop detections.
    """

    def __init__(self, detector: Detector, pace: Pace) -> None:
        self._detector = detector
        self._rate = pace.rate / 2
        self._clock, self._tick = Ticks(self._rate), -1
        self._darkness = Darkness()

    @property
    def warnings(self) -> list[Caution]:
        """A warning of people in the dark."""
        return self._darkness.warnings()

    def look(self, frame: Frame) -> Detections | None:
        """The people in a frame; None where the finder does not look."""
        return self._detect([frame])[0] if self._is_due(frame) else None

    def find(self, frames: Iterable[Frame]) -> Iterator[tuple[Detections | None, float]]:
        """The people in each frame, several frames at once; see `PeopleFinder`."""
        marked = ((frame, self._is_due(frame) or last) for frame, _, last in pair_with_later_frames(frames, self._rate))
        while batch := list(islice(marked, _BATCH)):
            found = iter(self._detect([frame for frame, due in batch if due]))
            for frame, due in batch:
                yield next(found) if due else None, frame.timestamp

    def _detect(self, frames: Sequence[Frame]) -> list[Detections]:
        found = self._detector.detect([frame.image for frame in frames])
        for frame, people in zip(frames, found, strict=True):
            self._darkness.note(frame.image, people.boxes, frame.timestamp)
        return found

    def _is_due(self, frame: Frame) -> bool:
        last, self._tick = self._tick, self._clock.tick(frame.timestamp)
        return self._tick > last
