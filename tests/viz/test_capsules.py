import numpy as np
import pytest

from poselift.viz.capsules import capsule_outlines, fill_outline


@pytest.fixture
def canvas():
    return np.zeros((60, 100, 3), np.uint8)


def test_width_and_round_ends(canvas):
    outlines = capsule_outlines(np.array([[[20.0, 30.0], [70.0, 30.0]]]), np.array([[6.0, 6.0]]))
    fill_outline(canvas, outlines[0], (255, 0, 0))
    interpolated = canvas[..., 0] > 127
    rows = np.flatnonzero(interpolated[:, 45])
    assert len(rows) == pytest.approx(13, abs=1)
    assert rows.mean() == pytest.approx(30, abs=0.5)
    columns = np.flatnonzero(interpolated[30])
    assert (columns[0], columns[-1]) == (pytest.approx(14, abs=1), pytest.approx(76, abs=1))
    assert not interpolated[25, 14]  # the end is round


def test_taper(canvas):
    outlines = capsule_outlines(np.array([[[20.0, 30.0], [70.0, 30.0]]]), np.array([[3.0, 12.0]]))
    fill_outline(canvas, outlines[0], (255, 0, 0))
    assert (canvas[:, 25, 0] > 127).sum() < (canvas[:, 65, 0] > 127).sum() - 8


def test_a_point_is_a_disc(canvas):
    outlines = capsule_outlines(np.array([[[50.0, 30.0], [50.0, 30.0]]]), np.array([[8.0, 8.0]]))
    fill_outline(canvas, outlines[0], (255, 0, 0))
    assert (canvas[..., 0] > 127).sum() == pytest.approx(np.pi * 8.5**2, rel=0.08)


def test_unknown_and_far_away_ends_are_left_out(canvas):
    for value in (np.nan, 1e12):
        outlines = capsule_outlines(np.array([[[20.0, 30.0], [value, 30.0]]]), np.array([[6.0, 6.0]]))
        fill_outline(canvas, outlines[0], (255, 0, 0))
    assert not canvas.any()
