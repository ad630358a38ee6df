import numpy as np
import pytest

from poselift.viz.shot import Shot, ViewCamera

CORNERS = np.indices((2, 2, 2)).reshape(3, -1).T


@pytest.mark.parametrize("size", [(400, 700), (700, 300)])
@pytest.mark.parametrize("azimuth", [-0.6, 1.4])
@pytest.mark.parametrize("elevation", [0.1, 1.1])
def test_the_box_fills_the_picture_and_stays_in_it(size, azimuth, elevation):
    shot = Shot(np.array([-1.0, 0, -3]), np.array([2.0, 1.8, 1]))
    camera = ViewCamera(shot, azimuth, elevation, size)
    pixels, depth = camera.project(shot.low + CORNERS * shot.size)
    assert (pixels > 0).all()
    assert (pixels < size).all()
    assert (np.ptp(pixels, axis=0) / size).max() > 0.7
    assert (depth > 0).all()


def test_from_the_front_x_is_right_and_y_is_up():
    camera = ViewCamera(Shot(np.array([-1.0, 0, -1]), np.array([1.0, 2, 1])), 0.0, 0.0, (300, 300))
    middle, right, up = camera.project(np.array([[0.0, 1, 0], [0.5, 1, 0], [0, 1.5, 0]]))[0]
    assert right[0] > middle[0] + 10
    assert up[1] < middle[1] - 10
    assert middle[0] == pytest.approx(149.5)
