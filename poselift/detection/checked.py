"""A detector whose answers are checked where they come in. A fault of one's own detector is named at once."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.errors import InputError
from poselift.detection.detector_protocol import Detector, PlaceDetector, Search
from poselift.skeleton import Skeleton
from poselift.structures import Detections


def check_detector(detector: Detector) -> Detector:
    """The detector, with an `InputError` for answers that it must not give.

    Args:
        detector: of any kind; a `PlaceDetector` stays one.
    """
    return _CheckedPlaces(detector) if isinstance(detector, PlaceDetector) else _Checked(detector)


class _Checked:
    """A detector that searches whole pictures."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self.name, self.skeleton, self.weights = detector.name, detector.skeleton, detector.weights
        if not isinstance(self.skeleton, Skeleton):
            raise InputError(f"the skeleton of the detector {self.name} is {self.skeleton!r:.60}; give a Skeleton")

    def detect(self, frames: Sequence[UInt8[np.ndarray, "_ _ 3"]]) -> list[Detections]:
        """The people in each frame."""
        if not frames:
            return []
        try:
            found = self._detector.detect(frames)
        except StopIteration as error:  # in a generator, Python makes it an error without a name
            raise InputError(
                f"detect of the detector {self.name} ran out of items; return one for each picture"
            ) from error
        if not isinstance(found, list | tuple) or len(found) != len(frames):
            what = f"{len(found)} items" if isinstance(found, list | tuple) else f"a {type(found).__name__}"
            raise InputError(
                f"the detector {self.name} returned {what} for {len(frames)} pictures; detect must return a list with "
                "one Detections per picture, of length 0 for a picture without people"
            )
        return [self._one(people, "detect") for people in found]

    def _one(self, people: object, method: str) -> Detections:
        """The people of one picture."""
        if not isinstance(people, Detections):
            raise InputError(
                f"{method} of the detector {self.name} returned a {type(people).__name__} for a picture; return "
                "Detections, of length 0 for a picture without people"
            )
        if people.skeleton != self.skeleton:
            raise InputError(
                f"{method} of the detector {self.name} returned keypoints of {people.skeleton.name}, but its skeleton "
                f"is {self.skeleton.name}; make them the same"
            )
        return people


class _CheckedPlaces(_Checked):
    """A detector that looks at places too."""

    _detector: PlaceDetector

    def search(self, frame: UInt8[np.ndarray, "_ _ 3"], how: Search) -> Detections:
        """The people in a whole picture."""
        return self._one(self._detector.search(frame, how), "search")

    def look(
        self,
        frame: UInt8[np.ndarray, "_ _ 3"],
        boxes: Float[np.ndarray, "n 4"],
        angles: Float[np.ndarray, " n"],
        quick: bool = False,
    ) -> Detections:
        """The person in each box."""
        found = self._one(self._detector.look(frame, boxes, angles, quick), "look")
        if len(found) != len(boxes):
            raise InputError(
                f"look of the detector {self.name} returned {len(found)} people for {len(boxes)} boxes; return one for "
                "each, with low scores where nobody is"
            )
        return found
