"""The finder for a detector and a quality."""

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from poselift.core.caution import Caution
from poselift.core.choices import choose
from poselift.detection import Detector, MoveNetBlazePose, PlaceDetector
from poselift.detection.checked import check_detector
from poselift.finding.finder import Finder
from poselift.finding.qualities import DEFAULT_QUALITY, QUALITIES, SECOND_RATES, Pace
from poselift.finding.searching_finder import SearchingFinder
from poselift.finding.second_model import SecondModel
from poselift.structures import Detections
from poselift.video import Frame


@runtime_checkable
class PeopleFinder(Protocol):
    """Finds the people of successive frames."""

    @property
    def warnings(self) -> list[Caution]:
        """When people were confused, one line each."""
        ...

    def look(self, frame: Frame) -> Detections | None:
        """The people in a frame; None where the detector does not run."""
        ...

    def find(self, frames: Iterable[Frame]) -> Iterator[tuple[Detections | None, float]]:
        """Each frame's people, as of `look`, and its timestamp. The detector runs in the last frame in any case."""
        ...


class JoiningFinder:
    """Finds the people of successive frames with two models; see `PeopleFinder`.

    Args:
        detector: both models.
        pace: how often the first one looks.
        rate: crop detections a second of each person by the second one.
        wait: see `poselift.finding.finder.Finder`.
    """

    def __init__(self, detector: MoveNetBlazePose, pace: Pace, rate: float, wait: bool = True) -> None:
        self._second = SecondModel(detector, rate, wait)
        self._finder = Finder(detector.first, pace, wait, self._second)

    @property
    def warnings(self) -> list[Caution]:
        """When people were confused, or might be."""
        return self._finder.warnings

    def look(self, frame: Frame) -> Detections | None:
        """The people in a frame; None where the detector does not run."""
        return self._second.join(self._finder.look(frame), frame.timestamp)

    def find(self, frames: Iterable[Frame]) -> Iterator[tuple[Detections | None, float]]:
        """What `look` gives, with newcomers from the first frame that shows them."""
        for found, time in self._finder.find(frames):
            yield self._second.join(found, time), time


def build_finder(
    detector: Detector, quality: str = DEFAULT_QUALITY, wait: bool = True, wait_first: bool = False
) -> PeopleFinder:
    """The finder of a quality.

    It follows people if the detector can look at a place.

    Args:
        detector: of any kind.
        quality: one of `QUALITIES`.
        wait: see `Finder`.
        wait_first: likewise.

    Raises:
        InputError: no quality has this name.
    """
    pace = choose("quality", quality, QUALITIES)
    if isinstance(detector, MoveNetBlazePose):
        return JoiningFinder(detector, pace, SECOND_RATES[quality], wait)
    detector = check_detector(detector)
    if not isinstance(detector, PlaceDetector):
        return SearchingFinder(detector, pace)
    return Finder(detector, pace, wait, wait_first=wait_first)
