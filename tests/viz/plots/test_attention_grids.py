import numpy as np
import torch
from matplotlib.collections import LineCollection, PathCollection

from poselift.nn.attention.maps import AttentionMap
from poselift.skeleton import COCO17
from poselift.viz.plots.attention_grids import block_title, joint_attention_plot, time_attention_plot

POINTS = np.stack((np.linspace(100, 180, 17), np.linspace(50, 400, 17)), -1)


def over_time(layer="time_blocks.0.attention", heads=2):
    weights = torch.rand(heads, 3, 4, generator=torch.Generator().manual_seed(0))
    return AttentionMap(layer, weights, (-0.1, 0.0, 0.1), (-0.15, -0.05, 0.05, 0.15))


def over_joints(weights, names=("nose", "left_wrist", "right_wrist")):
    return AttentionMap("joint_blocks.0.attention", weights, names, names)


def test_a_matrix_for_each_head_in_seconds():
    figure = time_attention_plot([over_time(), over_time("time_blocks.1.attention"), over_joints(torch.rand(2, 3, 3))])
    assert len(figure.axes) == 4
    axes = figure.axes[0]
    (image,) = axes.images
    np.testing.assert_allclose(image.get_array(), over_time().weights[0].numpy())
    np.testing.assert_allclose(image.get_extent(), [-0.2, 0.2, 0.15, -0.15])
    assert axes.get_ylabel() == "block 1 of 2\nover time\nlooks from (s)"
    assert axes.get_title() == f"head 1, to {float(over_time().weights[0].max()):.2f}"
    assert figure.axes[3].get_xlabel() == "at (s)"


def test_links_go_to_what_is_looked_at_and_discs_grow_with_it():
    weights = torch.zeros(1, 3, 3)
    weights[0, 1, 0], weights[0, 2, 0], weights[0, 2, 1] = 0.8, 0.4, 0.2
    weights[0, 0, 0] = 1.0  # what a joint takes from itself is no link
    figure = joint_attention_plot([over_joints(weights)], POINTS, COCO17)
    (axes,) = figure.axes
    _, *links = [artist for artist in axes.collections if isinstance(artist, LineCollection)]
    ends = {
        (tuple(link.get_segments()[0][0].round(3)), tuple(link.get_segments()[-1][-1].round(3))): link.get_linewidths()
        for link in links
    }
    nose, left, right = (tuple(POINTS[COCO17.joints.index(name)].round(3)) for name in over_joints(weights).keys)
    assert set(ends) == {(left, nose), (right, nose), (right, left)}
    for widths in ends.values():
        assert widths[0] < widths[-1]  # thick at what is looked at
    assert ends[left, nose][-1] > ends[right, nose][-1] > ends[right, left][-1]
    (discs,) = [artist for artist in axes.collections if isinstance(artist, PathCollection)]
    sizes = discs.get_sizes()
    np.testing.assert_allclose(sizes, 2 + 45 * np.array([1.2, 0.2, 0.0]) / 1.2, rtol=1e-5)


def test_layers_are_named_by_what_they_are():
    layers = [f"time_blocks.{number}.attention" for number in range(5)] + ["joint_blocks.0.attention"]
    assert block_title(layers[2], layers) == "block 3 of 5\nover time"
    assert block_title(layers[-1], layers) == "block 1 of 1\nover joints"
    cross = ["decoder.0.attention", "decoder.0.cross_attention", "decoder.1.attention"]
    assert block_title(cross[1], cross) == "block 1 of 2\nof the decoder, over the encoder"
    assert block_title("attention", ["attention"]) == "attention"
