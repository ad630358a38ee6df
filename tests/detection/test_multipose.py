import cv2
import numpy as np
import pytest

from poselift.detection import Search, build_detector
from poselift.detection.multipose import MultiPose, cut_tiles, is_crowded
from poselift.samples import demo_video
from poselift.video import VideoReader


@pytest.mark.slow
def test_people_are_those_whom_movenet_detects():
    """MoveNet's crop detection of each one changes their joints alone."""
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


def test_tiles_cover_the_picture_and_overlap():
    for shape in ((1080, 1920), (480, 640), (2160, 3840), (1920, 1080)):
        side, corners = cut_tiles(shape)
        for length, along in zip(shape[1::-1], corners.T, strict=True):
            starts = np.unique(along)
            assert starts[0] == 0
            assert starts[-1] + side >= length
            assert (np.diff(starts) <= 0.7 * side + 1).all()


@pytest.mark.slow
def test_twelve_people_are_found():
    """MultiPose gives six at most; the twelve are the two of the demo clip, pasted six times."""
    frame = next(iter(VideoReader(demo_video()))).image
    finder = MultiPose("cpu")
    boxes, _ = finder.people(frame)
    picture = np.full((720, 1280, 3), 110, np.uint8)
    for number in range(12):
        x0, y0, x1, y1 = boxes[number % 2].astype(int)
        person = cv2.resize(frame[y0:y1, x0:x1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        row, column = divmod(number, 6)
        x, y = 60 + 210 * column, 120 + 330 * row
        picture[y : y + person.shape[0], x : x + person.shape[1]] = person
    found, scores = finder.people(picture)
    assert len(found) == len(scores) == 12


def test_where_nobody_is_found_everybody_may_be_small():
    nobody = np.zeros((0, 4))
    assert is_crowded(nobody, (2160, 3840, 3))
    assert not is_crowded(nobody, (540, 720, 3)), "the fine search does not shrink it"
    assert not is_crowded(np.array([[0.0, 0.0, 500.0, 1500.0]]), (2160, 3840, 3))


@pytest.mark.slow
def test_two_small_people_of_a_4k_picture_are_found(shared):
    """Of 200 pixels, in a strip that is 3840 wide; without tiles nobody is found."""
    frame = next(iter(VideoReader(shared / "cases" / "small200.mp4"))).image[1160:1860]
    finder = MultiPose("cpu")
    assert len(finder.find(frame, Search())[1]) == 0
    boxes, _ = finder.people(frame)
    assert len(boxes) == 2
    assert (np.abs((boxes[:, 3] - boxes[:, 1]) - 190) < 60).all()
