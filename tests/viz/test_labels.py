import numpy as np
import pytest

from poselift.viz.labels import draw_label, draw_text, text_size


@pytest.fixture
def canvas():
    return np.full((80, 120, 3), 60, np.uint8)


def test_label_has_its_background_and_dark_or_light_text(canvas):
    draw_label(canvas, "12", 60.0, 50.0, 14, background=(250, 240, 40))
    covered = (canvas != 60).any(-1)
    rows, columns = np.flatnonzero(covered.any(1)), np.flatnonzero(covered.any(0))
    assert rows[-1] < 50
    assert columns.mean() == pytest.approx(60, abs=1.5)
    assert (canvas == (250, 240, 40)).all(-1).sum() > 200
    assert (canvas.max(-1) < 30).any()  # black on yellow
    draw_label(canvas, "12", 60.0, 50.0, 14, background=(10, 10, 40))
    assert (canvas.min(-1) > 200).any()  # light on dark blue


@pytest.mark.parametrize("place", [(-50.0, -50.0), (500.0, 500.0), (60.0, 0.0)])
def test_label_stays_inside(canvas, place):
    draw_label(canvas, "7", *place, 12, background=(250, 0, 0))
    assert (canvas == (250, 0, 0)).all(-1).sum() > 100


def test_label_larger_than_the_picture_is_cut():
    canvas = np.zeros((10, 10, 3), np.uint8)
    draw_label(canvas, "12345", 5.0, 5.0, 14, background=(250, 0, 0))
    assert canvas.any()


def test_text_covers_what_it_says(canvas):
    columns, rows = text_size("abc", 10)
    draw_text(canvas, "abc", 20.0, 30.0, 10, (255, 255, 255))
    changed = (canvas != 60).any(-1)
    assert changed.any()
    changed[30 : 30 + rows, 20 : 20 + columns] = False
    assert not changed.any()


def test_text_outside_is_not_drawn(canvas):
    draw_text(canvas, "abc", 300.0, 300.0, 10)
    assert (canvas == 60).all()
