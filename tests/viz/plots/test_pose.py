import numpy as np
import pytest
from numpy.testing import assert_allclose

from poselift.skeleton import H36M17
from poselift.viz.plots.pose import pose_plot
from poselift.viz.plots.scene import SIDES, Scene, project


@pytest.fixture
def people(make_motion):
    return [make_motion(1, place=(-1, 0, 4)), make_motion(2, place=(1, 0, 5), start=1.0)]


def test_bodies_are_upright_on_the_ground_and_as_far_apart_as_they_are(people):
    first, second = np.split(Scene(people).points(1.5), 2)
    assert_allclose(second[0] - first[0], [2, 1, 0], atol=0.05)
    for joints in (first, second):
        assert_allclose(joints[H36M17.index("left_ankle"), 2], 0, atol=0.05)
        assert_allclose(joints[H36M17.index("head_top"), 2], 1.66, atol=0.05)
    assert len(Scene(people).bodies(0.2)) == 1


def test_panels_have_one_scale_on_all_axes(people, check_texts):
    figure = pose_plot(people, [0.2, 1.5])
    for axes in figure.axes:
        limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
        sizes = np.diff(limits)[:, 0]
        assert_allclose(axes._box_aspect / axes._box_aspect[0], sizes / sizes[0], rtol=1e-6)
    for limits in ("get_xlim", "get_ylim", "get_zlim"):
        assert_allclose(*(getattr(axes, limits)() for axes in figure.axes))
    one, both = (axes.collections for axes in figure.axes)
    assert (len(one), len(both)) == (1, 2)
    assert {"0.20 s", "1.50 s", "left", "right"} <= set(check_texts(figure))


def test_left_and_right_have_their_colours(people):
    (axes,) = pose_plot(people[:1], [0.2]).axes
    colors = [tuple(color) for color in axes.collections[0].get_edgecolor()]
    assert len(set(colors)) == len(SIDES)


def test_what_is_near_is_drawn_last(people):
    ((ends, colors),) = Scene(people).bodies(0.2)
    assert (np.diff(project(ends)[..., 2].mean(1)) >= 0).all()
    assert len(colors) == len(ends)
    right, up, _ = project(np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]]))
    assert right[0] > 0.8
    assert up[1] > 0.9
