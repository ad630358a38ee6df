import numpy as np
import pytest

from poselift.viz.labels import draw_label, draw_text


@pytest.fixture
def canvas():
    return np.full((80, 120, 3), 60, np.uint8)


@pytest.mark.parametrize("place", [(-50.0, -50.0), (500.0, 500.0), (60.0, 0.0)])
def test_label_stays_inside(canvas, place):
    draw_label(canvas, "7", *place, 12, background=(250, 0, 0))
    assert (canvas == (250, 0, 0)).all(-1).sum() > 100


def test_label_larger_than_the_picture_is_cut():
    canvas = np.zeros((10, 10, 3), np.uint8)
    draw_label(canvas, "12345", 5.0, 5.0, 14, background=(250, 0, 0))
    assert canvas.any()


def test_text_outside_is_not_drawn(canvas):
    draw_text(canvas, "abc", 300.0, 300.0, 10)
    assert (canvas == 60).all()
