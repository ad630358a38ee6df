from dataclasses import replace

import numpy as np
import pytest

from poselift.geometry.camera import camera_for
from poselift.lifting.clips.clip_warnings import find_bent_lens, find_doubts, find_gaps, find_odd_rate, find_unsure
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.structures import Height, Keypoints2D, Motion
from tests.lifting.clips.test_plausible_bodies import body


@pytest.mark.parametrize(("fps", "warned"), [(5, True), (7, False), (60, False), (120, False), (240, True)])
def test_a_frame_rate_that_was_not_measured_is_named(fps, warned):
    warnings = find_odd_rate(1 / fps)
    assert [f"{fps} frames per second; lifters are made for 7 to 120" in text for text in warnings] == [True] * warned
    assert find_odd_rate(0.0) == []


def test_gaps_are_longer_than_five_intervals_and_a_quarter_second():
    assert find_gaps(np.array([0.0, 0.02, 0.04, 0.2, 0.22]), 0.02) == [], "eight intervals, but short"
    assert find_gaps(np.array([0.0, 0.1, 0.2, 0.6, 0.7]), 0.1) == [], "long, but four intervals"
    (warning,) = find_gaps(np.array([0.0, 0.1, 0.7, 0.8, 1.6]), 0.1)
    assert warning.startswith("gaps in the timestamps: 2, the longest of 0.80 s after 0.80 s")


def test_a_lens_as_wide_as_an_action_cameras_needs_its_bend():
    size = (1920, 1080)
    (warning,) = find_bent_lens(camera_for(size, fov=120.0))
    assert warning.kind == "camera"
    assert warning.startswith("a field of view of 120 degrees is that of a lens that bends straight lines")
    assert find_bent_lens(camera_for(size, fov=120.0, fisheye=(0.0, 0.0, 0.0, 0.0))) == []
    assert find_bent_lens(camera_for(size, fov=120.0, distortion=(0.1, 0.0, 0.0, 0.0))) == []
    assert "--distortion (0,0,0,0 if it does not)" in warning
    assert find_bent_lens(camera_for(size, fov=120.0, distortion=(0.0, 0.0, 0.0, 0.0))) == []
    assert find_bent_lens(camera_for(size, fov=106.0)) == [], "phones' widest lenses; they straighten the picture"
    assert find_bent_lens(camera_for(size)) == []


def test_joints_that_the_lifter_does_not_know_show_nothing():
    """A face and a shoulder, in half of the frames: the body is a guess to a lifter of Human3.6M's joints."""
    scores = np.zeros((4, 17))
    scores[:2, :6] = 0.9
    times = np.arange(4) / 30
    keypoints = Keypoints2D(np.full((4, 17, 2), 100.0), scores, times, COCO17, (640, 480))
    motion = Motion(np.zeros((4, 17, 3)), np.ones((4, 3)), times, np.zeros(4, bool), H36M17, "camera", keypoints)
    guess = "person 1 shows 1.0 joints a frame, on average: the rest of the body is a guess"
    assert guess in find_doubts(motion, H36M17)
    # Six joints are enough.
    assert not any("is a guess" in doubt for doubt in find_doubts(motion, COCO17))


def test_children_are_named_until_somebody_gives_their_height(monkeypatch):
    """What is childlike is tested with the proportions; here what is said of it."""
    child = replace(body(), height=Height(1.6, 0.25))
    monkeypatch.setattr("poselift.lifting.clips.clip_warnings.is_childlike", lambda motion, height: motion is child)
    (warning,) = [text for text in find_doubts(child, CMU28) if "child" in text]
    assert warning.startswith("person 1 has a child's proportions: the height of 1.60 m")
    assert warning.endswith("give --height")
    assert (warning.kind, warning.person) == ("person", 1)
    assert not any("child" in text for text in find_doubts(body(), CMU28))


@pytest.mark.parametrize(("unsure", "warned"), [(0.1, False), (0.3, True)])
def test_the_share_of_unsure_keypoints_is_told(unsure, warned):
    """Keypoints that are missing are not unsure."""
    scores = np.full((10, 17), 0.7)
    scores[:, 11:] = 0.0
    scores[:, : round(11 * unsure)] = 0.25
    motion = replace(
        body(), keypoints=Keypoints2D(scores[..., None] + [1.0, 2.0], scores, np.arange(10) / 30, COCO17, (64, 48))
    )
    found = find_unsure(motion, COCO17, 20)
    assert [warning.kind for warning in found] == ["person"] * warned
    if warned:
        assert found[0].startswith(
            "person 1: 27% of the keypoints are unsure (score below 0.4), seen in 50% of the clip"
        )
