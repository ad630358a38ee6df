from dataclasses import replace

import cv2
import numpy as np
import pytest
import torch

from poselift.data.h36m import SUBJECTS
from poselift.data.h36m_cameras import CAMERAS, h36m_camera, h36m_lens
from poselift.geometry import world_to_camera


def loop(point):
    """Camera 54138969 as S9 had it: a point of the world, in metres, to the camera frame and to pixels, by hand.

    The rotation matrix is written out from the quaternion; the distortion is the sum over powers of r².
    """
    w, x, y, z = 0.15540587902069092, -0.15548215806484222, -0.7532095313072205, 0.6199594736099243
    to_world = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    place = [2.04445849609375, 4.9351171875, 1.4812275390625]
    moved = [point[axis] - place[axis] for axis in range(3)]
    camera = [sum(to_world[row][column] * moved[row] for row in range(3)) for column in range(3)]
    plane = [camera[0] / camera[2], camera[1] / camera[2]]
    r2 = plane[0] ** 2 + plane[1] ** 2
    p = [-0.0009756988729350269, -0.00142447161488235]
    factor = 1 + p[0] * plane[0] + p[1] * plane[1]
    for power, k in enumerate([-0.20709891617298126, 0.24777518212795258, -0.0030751503072679043], start=1):
        factor += k * r2**power
    f, c = [1145.0494384765625, 1143.7811279296875], [512.54150390625, 515.4514770507812]
    return camera, [f[axis] * (plane[axis] * factor + p[axis] * r2) + c[axis] for axis in range(2)]


def room(seed):
    """Points where people move."""
    return np.random.default_rng(seed).uniform([-1.5, -1.5, 0], [1.5, 1.5, 2], (50, 3))


def in_frame(camera, points):
    """Points of the world in the camera frame."""
    return torch.from_numpy(world_to_camera(points, *camera.extrinsics))


def test_a_point_of_the_world_in_the_picture_to_a_thousandth_of_a_pixel():
    camera = h36m_camera("S9", "54138969")
    points = room(0)
    in_camera = in_frame(camera, points)
    pixels = h36m_lens(camera.name).project(in_camera)
    for point, found, pixel in zip(points, in_camera, pixels, strict=True):
        expected, seen = loop(point)
        np.testing.assert_allclose(found, expected, atol=1e-6)
        np.testing.assert_allclose(pixel, seen, atol=1e-3)
    assert pixels.min() > 0
    assert pixels.max() < 1000


@pytest.mark.parametrize("name", CAMERAS)
def test_without_tangential_distortion_it_is_opencvs(name):
    camera, lens = h36m_camera("S1", name), h36m_lens(name)
    straight = replace(lens, tangential=torch.zeros(2, dtype=torch.float64))
    points = in_frame(camera, room(1))
    k1, k2, k3 = lens.radial.tolist()
    expected, _ = cv2.projectPoints(points.numpy(), np.zeros(3), np.zeros(3), camera.K, np.array([k1, k2, 0, 0, k3]))
    np.testing.assert_allclose(straight.project(points), expected[:, 0], atol=1e-6)


def test_every_camera_looks_into_the_room():
    for subject in (*SUBJECTS["train"], *SUBJECTS["test"]):
        for name in CAMERAS:
            camera = h36m_camera(subject, name)
            np.testing.assert_allclose(camera.R @ camera.R.T, np.eye(3), atol=1e-8)
            assert np.linalg.det(camera.R) > 0
            feet, head = in_frame(camera, np.array([[0.0, 0, 0], [0, 0, 1.7]]))
            assert 4 < feet[2] < 7
            assert 1.5 < feet[1] - head[1] < 1.75, "y points down"
            pixels = h36m_lens(name).project(torch.stack((feet, head)))
            assert pixels.min() > 100
            assert pixels.max() < 900
