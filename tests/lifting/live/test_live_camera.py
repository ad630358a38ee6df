"""A stream tells if its camera moves."""

import cv2
import numpy as np
import pytest

from poselift.lifting import Camera
from poselift.lifting.live.live_camera import LiveCamera
from poselift.video import Frame

SIZE = (480, 270)
CAMERA = Camera(np.array([[400.0, 0, 240], [0, 400, 135], [0, 0, 1]]), SIZE, "given")
NOISE = np.random.default_rng(0).integers(0, 255, (75, 150, 3), dtype=np.uint8)
WALL = cv2.resize(NOISE, (1200, 600), interpolation=cv2.INTER_CUBIC)
CLOSE = np.array([[120.0, 30.0], [360.0, 240.0]]), np.ones(2)
"""Keypoints and scores of somebody who hides the middle of the picture."""


def told(places, people=None):
    """The lines about a stream of a picture each half second. It looks at the wall from these places, pixels."""
    lines: list[str] = []
    camera = LiveCamera(CAMERA, lines.append)
    for row, x in enumerate(places):
        image = np.ascontiguousarray(WALL[100 : 100 + SIZE[1], 100 + x : 100 + x + SIZE[0]])
        if people:
            image[30:240, 120:360] = 255 - WALL[7 * row : 7 * row + 210, :240]
        camera.look(Frame(image, row / 2, row), people or {})
    return lines


def test_a_still_camera_says_nothing_whoever_moves_before_it():
    assert told([0] * 12) == []
    assert told([0] * 12, {1: CLOSE}) == []


@pytest.mark.parametrize("places", [[0, 7, 14, 21, 28, 35, 42, 49], [0, 0, 28, 28, 28, 28, 28, 28]])
def test_a_camera_that_turns_is_told_once(places):
    """28 pixels after 2 s, at a focal length of 400: 4 degrees."""
    assert told(places) == [
        "warning: the camera moves by 4.0 degrees, and poses of a stream in the world frame are only right for a still "
        "camera: record it, and use `poselift lift --world`"
    ]


def test_a_jolt_that_comes_back_is_not_told():
    assert told([0, 0, 28, 0, 0, 0, 28, 0, 0, 0]) == []
