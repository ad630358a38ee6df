"""Files on which poselift failed, kept beside the checkout, each with its right value."""

from pathlib import Path

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.skeleton import COCO17, COCO18

CASES = Path(__file__).parents[3] / "shared" / "cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases is not there")

RIGHT = {
    "alphapose_tracked/alphapose-results-forvis-tracked.json": ("alphapose", COCO17),
    "other_formats/dwpose.json": ("openpose", COCO18),
    "other_formats/sleap.analysis.h5": ("sleap", COCO17),
    "other_formats/yolo_json": ("ultralytics", COCO17),
    "frame_order/labels.json": ("coco", COCO17),
    "second_category/firstcat.json": ("coco", COCO17),
    "second_category/secondcat.json": ("coco", COCO17),
}
"""Format and skeleton of files with one person in frames 0 to 89."""


@pytest.mark.parametrize("name", RIGHT)
def test_all_frames_are_read(name):
    file = read_keypoints(CASES / name)
    assert (file.format, file.skeleton) == RIGHT[name]
    assert {number: len(there) for number, there in file.frames.items()} == dict.fromkeys(range(90), 1)
    nose = np.array([file.frames[number][0].points[0] for number in range(90)])
    assert np.abs(np.diff(nose, axis=0)).max() < 20, "the person walks on, without jumps in time"


def test_both_categories_are_the_same_people():
    first, second = (read_keypoints(CASES / "second_category" / f"{name}cat.json") for name in ("first", "second"))
    for number in range(90):
        np.testing.assert_array_equal(first.frames[number][0].points, second.frames[number][0].points)


def test_scores_of_0_are_told():
    with pytest.raises(InputError, match="all scores are 0"):
        read_keypoints(CASES / "zero_scores" / "alpha_score0.json")


def test_every_third_picture_beside_a_video():
    file, video = read_keypoints(CASES / "lower_rate" / "tenfps.json"), CASES / "lower_rate" / "clip.mp4"
    clip = KeypointClip(file, video=video, fps=10)
    times = [time for _, time in clip.people()]
    np.testing.assert_allclose(times, np.arange(30) / 10)
    clip = KeypointClip(file, video=video)
    list(clip.people())
    assert any("90 pictures = 3 x 30 frames" in warning for warning in clip.warnings)
