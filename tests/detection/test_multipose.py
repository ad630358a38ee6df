import numpy as np

from poselift.detection import build_detector
from poselift.detection.multipose import MultiPose
from poselift.samples import demo_video
from poselift.video import VideoReader


def test_people_are_those_whom_movenet_detects():
    """The second look that MoveNet has at each one changes their joints alone."""
    finder, detector = MultiPose("cpu"), build_detector("movenet", "cpu")
    frame = next(iter(VideoReader(demo_video()))).image
    boxes, scores = finder.people(frame)
    (found,) = detector.detect([frame])
    assert len(found) == 2
    np.testing.assert_array_equal(boxes, found.boxes)
    np.testing.assert_array_equal(scores, found.box_scores)
    boxes, scores = finder.people(np.zeros((60, 90, 3), np.uint8))
    assert boxes.shape == (0, 4)
    assert scores.shape == (0,)
