import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from poselift.viz.plots.names import name_points


def axes_with(points):
    """Axes from 0 to 10 and, in pixels, what the points cover."""
    figure = Figure(figsize=(4, 3))
    axes = figure.subplots()
    axes.set(xlim=(0, 10), ylim=(0, 10))
    figure.draw_without_rendering()
    return axes, [Bbox([at, at]).padded(4) for at in axes.transData.transform(points)]


def test_a_name_stays_in_the_axes():
    axes, taken = axes_with([(9.9, 9.9)])
    (text,) = name_points(axes, ["a long name"], [(9.9, 9.9)], taken)
    box = text.get_window_extent()
    assert box.x1 <= axes.bbox.x1
    assert box.y1 <= axes.bbox.y1


def test_names_in_a_crowd_are_apart_and_joined_to_their_points():
    rng = np.random.default_rng(0)
    points = [tuple(point) for point in rng.uniform(4, 6, (12, 2))]
    axes, taken = axes_with(points)
    texts = name_points(axes, [f"method {number}" for number in range(12)], points, taken)
    axes.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text).padded(-0.5) for text in texts]
    assert sorted(tuple(text.xy) for text in texts) == sorted(points)
    for place, box in enumerate(boxes):
        assert box.count_overlaps(boxes[:place]) == 0
        assert box.count_overlaps(taken) == 0
    assert any(text.arrow_patch is not None for text in texts)
    far = [text for text in texts if np.hypot(*text.get_position()) > 60]
    assert all(text.arrow_patch is not None for text in far)
