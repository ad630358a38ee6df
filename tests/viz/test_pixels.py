import numpy as np

from poselift.viz.pixels import pixels_of

K = np.array([[500.0, 0, 320], [0, 400, 240], [0, 0, 1]])


def test_pixels_and_nan_beside_and_behind_the_camera():
    points = np.array([[0.0, 0, 2], [1, -1, 2], [1, 1, 0.05], [1, 1, -3]])
    nowhere = [np.nan, np.nan]
    np.testing.assert_allclose(pixels_of(points, K), [[320, 240], [570, 40], nowhere, nowhere])
