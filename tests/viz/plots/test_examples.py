import numpy as np
import pytest
from matplotlib.colors import to_rgba
from numpy.testing import assert_allclose

from poselift.skeleton import H36M17
from poselift.viz.plots.examples import Example, example_plot
from poselift.viz.plots.style import PALE


@pytest.fixture
def example(make_motion):
    motion = make_motion(1)
    truth = motion.joints[0].astype(float)
    return Example(("worst: 80.0 mm", "S9 Walking 1", "frame 12 (0.24 s)"), truth, truth + [0, 0, 0.2])


def drawn(axes):
    """The lines of each body in the panel, and their colours."""
    return [(np.array(part.get_segments()), part.get_colors()) for part in axes.collections]


def test_the_prediction_is_beside_the_truth_in_both_views(example):
    camera, beside, side, beside_of_side = example_plot([example], H36M17).axes
    ((truth, _),) = drawn(camera)
    parent, child = H36M17.bones[0]
    ends = example.truth[H36M17.indices([parent, child])][:, :2] * [1, -1]
    assert any(np.allclose(line, ends) for line in truth)
    (behind, pale), (prediction, _) = drawn(beside)
    assert_allclose(behind, truth)
    assert_allclose(prediction, truth)  # the error is along the camera's axis
    assert {tuple(color) for color in pale} == {to_rgba(PALE)}
    (truth, _), (_, (prediction, _)) = *drawn(side), drawn(beside_of_side)
    assert_allclose(prediction, truth + [0.2, 0])
