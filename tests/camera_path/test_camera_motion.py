import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from poselift.camera_path.camera_motion import camera_motion
from poselift.lifting import Camera
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from poselift.video import Frame

SIZE = (480, 270)
CAMERA = Camera(np.array([[400.0, 0, 240], [0, 400, 135], [0, 0, 1]]), SIZE, "given")


@pytest.fixture(scope="module")
def wall():
    """A wall with a pattern, larger than the picture."""
    noise = np.random.default_rng(0).integers(0, 255, (75, 150, 3), dtype=np.uint8)
    return cv2.resize(noise, (1200, 600), interpolation=cv2.INTER_CUBIC)


def _render(wall, shifts):
    """A clip that looks at the wall from further and further to the right, pixels; 10 pictures a second."""
    width, height = SIZE
    return [Frame(wall[100 : 100 + height, 100 + x : 100 + x + width].copy(), k / 10, k) for k, x in enumerate(shifts)]


def _told(clip, tracks=()):
    return camera_motion(clip, (clip[0].timestamp, clip[-1].timestamp), tracks, CAMERA)


def _walker(clip, size=100, step=12):
    """Someone with another pattern who walks through the picture, and the keypoints of their box."""
    pattern = cv2.resize(np.random.default_rng(1).integers(0, 255, (30, 20, 3), dtype=np.uint8), (size, 200))
    points = np.full((len(clip), 17, 2), np.nan)
    for k, frame in enumerate(clip):
        x = 10 + step * k
        frame.image[40:240, x : x + size] = pattern
        points[k, 0], points[k, 16] = (x + 20, 60), (x + size - 20, 220)
    times = np.array([frame.timestamp for frame in clip])
    scores = np.where(np.isfinite(points).all(-1), 0.9, 0.0)
    return Keypoints2D(points, scores, times, COCO17, SIZE)


def test_a_camera_on_a_stand_is_still(wall):
    clip = _render(wall, [0] * 20)
    noise = np.random.default_rng(2)
    for frame in clip:
        frame.image[:] = np.clip(frame.image + noise.normal(0, 4, frame.image.shape), 0, 255).astype(np.uint8)
    motion = _told(clip, [_walker(clip)])
    assert motion.pixels < 0.5
    assert motion.still


def test_a_pan_is_measured(wall):
    motion = _told(_render(wall, np.linspace(0, 40, 20).astype(int)))
    assert motion.pixels == pytest.approx(40, abs=0.5)
    assert motion.degrees == pytest.approx(math.degrees(math.atan(40 / 400)), abs=0.1)
    assert not motion.still


@pytest.mark.parametrize(("roll", "zoom"), [(0, 1.05), (3, 1)])
def test_a_zoom_and_a_roll_about_the_middle_are_seen(wall, roll, zoom):
    clip = []
    for k in range(10):
        turn = cv2.getRotationMatrix2D((600, 300), roll * k / 9, 1 + (zoom - 1) * k / 9)
        clip.append(Frame(cv2.warpAffine(wall, turn, (1200, 600))[165:435, 360:840].copy(), k / 10, k))
    to_corner = math.hypot(240, 135)
    assert _told(clip).pixels == pytest.approx(to_corner * max(zoom - 1, math.radians(roll)), rel=0.1)
    assert not _told(clip).still


def test_another_scene_is_no_still_camera(wall):
    elsewhere = cv2.resize(np.random.default_rng(3).integers(0, 255, (75, 150, 3), dtype=np.uint8), (1200, 600))
    clip = _render(wall, [0] * 10) + [
        replace(frame, timestamp=1 + frame.timestamp) for frame in _render(elsewhere, [0] * 10)
    ]
    motion = _told(clip)
    assert motion.pixels == math.inf
    assert not motion.still


def test_large_pictures_are_measured_in_their_own_pixels(wall):
    large = [replace(frame, image=cv2.resize(frame.image, (1920, 1080))) for frame in _render(wall, [0, 5, 10])]
    camera = Camera(np.diag([1600.0, 1600.0, 1.0]), (1920, 1080), "given")
    assert camera_motion(large, (0.0, 0.2), [], camera).pixels == pytest.approx(40, abs=1.5)
