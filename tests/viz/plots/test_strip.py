import numpy as np
from numpy.testing import assert_allclose

from poselift.geometry.camera import Camera
from poselift.viz.plots.strip import strip_plot
from tests.viz.conftest import FOCAL, IMAGE_SIZE

K = np.array([[FOCAL, 0, (IMAGE_SIZE[0] - 1) / 2], [0, FOCAL, (IMAGE_SIZE[1] - 1) / 2], [0, 0, 1]])
CAMERA = Camera(K, (640, 480))


def test_bodies_lie_on_their_keypoints_in_pictures_of_one_size(make_motion, gray, check_texts):
    motion = make_motion(walk=(0.6, 0, 0))
    times = [0.0, 1.0, 1.96]
    figure = strip_plot([motion], times, [gray] * 3, CAMERA)
    pictures, bodies = figure.axes[:3], figure.axes[3:]
    sizes = [axes.images[0].get_array().shape for axes in pictures]
    assert len(set(sizes)) == 1
    assert sizes[0][0] < IMAGE_SIZE[1]
    for axes, time in zip(pictures, times, strict=True):
        frame = round(time * 25)
        drawn = np.concatenate(axes.collections[-1].get_segments())
        for keypoint in motion.keypoints.keypoints[frame]:
            assert np.linalg.norm(drawn - keypoint, axis=-1).min() < 0.5
        (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
        assert (drawn >= [left, top]).all()
        assert (drawn <= [right, bottom]).all()
    assert_allclose([np.ptp(axes.get_xlim()) for axes in bodies], np.ptp(bodies[0].get_xlim()))
    assert {"0.00 s", "1.00 s", "1.96 s"} <= set(check_texts(figure))


def test_who_is_partly_outside_is_shown_as_far_as_the_picture_goes(make_motion, gray):
    figure = strip_plot([make_motion(place=(-2.4, 0, 4))], [0.0], [gray], CAMERA)
    (left, right), (bottom, top) = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    assert left >= -0.5
    assert right <= IMAGE_SIZE[0]
    assert top >= -0.5
    assert bottom <= IMAGE_SIZE[1]
