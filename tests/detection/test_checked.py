"""Whatever a detector of one's own returns is checked where it comes in."""

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.detection import PlaceDetector, Search
from poselift.detection.checked import check_detector
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Detections

PICTURES = [np.zeros((48, 64, 3), np.uint8)] * 2


def people(count, skeleton=COCO17):
    boxes = np.tile([1.0, 2.0, 3.0, 4.0], (count, 1))
    return Detections(boxes, np.ones(count), np.full((count, 17, 2), 9.0), np.ones((count, 17)), skeleton)


class Own:
    """A detector of one's own, which returns this."""

    name, skeleton, weights = "own", COCO17, {}

    def __init__(self, answer):
        self.answer = answer

    def detect(self, frames):
        return self.answer


class Places(Own):
    """One that looks at places too."""

    def search(self, frame, how):
        return self.answer

    def look(self, frame, boxes, angles, quick=False):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            [people(1)],
            "the detector own returned 1 items for 2 pictures; detect must return a list with one Detections",
        ),
        (people(1), "the detector own returned a Detections for 2 pictures"),
        (None, "the detector own returned a NoneType for 2 pictures"),
        ([people(1), None], "detect of the detector own returned a NoneType for a picture; return Detections"),
        (
            [people(1), people(1, H36M17)],
            "returned keypoints of h36m17, but its skeleton is coco17; make them the same",
        ),
    ],
    ids=["too few", "no list", "nothing", "None", "skeleton"],
)
def test_answers_that_a_detector_must_not_give(answer, message):
    with pytest.raises(InputError, match=message):
        check_detector(Own(answer)).detect(PICTURES)


def test_looks_and_searches():
    detector = check_detector(Places(people(1)))
    assert isinstance(detector, PlaceDetector)
    assert len(detector.look(PICTURES[0], np.zeros((1, 4)), np.zeros(1))) == 1
    assert len(detector.search(PICTURES[0], Search())) == 1
    with pytest.raises(InputError, match="look of the detector own returned 1 people for 2 boxes; return one for each"):
        detector.look(PICTURES[0], np.zeros((2, 4)), np.zeros(2))
    with pytest.raises(InputError, match="search of the detector own returned a NoneType"):
        check_detector(Places(None)).search(PICTURES[0], Search())


def test_a_good_detector_is_not_changed():
    answer = [people(1), people(0)]
    detector = check_detector(Own(answer))
    assert detector.detect(PICTURES) == answer
    assert detector.detect([]) == []
    assert not isinstance(detector, PlaceDetector)
    assert (detector.name, detector.skeleton, detector.weights) == ("own", COCO17, {})


def test_a_detector_that_runs_out_of_items_is_named():
    own = Own([])
    own.detect = lambda frames: next(iter(()))
    with pytest.raises(InputError, match="detect of the detector own ran out of items"):
        check_detector(own).detect(PICTURES)


def test_a_skeleton_that_is_a_name_is_refused():
    own = Own([])
    own.skeleton = "coco17"
    with pytest.raises(InputError, match="the skeleton of the detector own is 'coco17'; give a Skeleton"):
        check_detector(own)
