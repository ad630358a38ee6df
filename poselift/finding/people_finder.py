"""The finder for a detector and a quality."""

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from poselift.core.caution import Caution
from poselift.core.choices import choose
from poselift.detection import Detector, MoveNetBlazePose, PlaceDetector
from poselift.detection.checked import check_detector
from poselift.finding.finder import Finder
from poselift.finding.qualities import DEFAULT_QUALITY, QUALITIES, SECOND_RATES
from poselift.finding.searching_finder import SearchingFinder
from poselift.finding.second_model import JoiningFinder
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
