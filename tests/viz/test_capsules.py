import numpy as np
import pytest

from poselift.viz.capsules import capsule_outlines, fill_outlines, hull_outline


@pytest.fixture
def canvas():
    return np.zeros((60, 100, 3), np.uint8)


def test_width_and_round_ends(canvas):
    outlines = capsule_outlines(np.array([[[20.0, 30.0], [70.0, 30.0]]]), np.array([[6.0, 6.0]]))
    fill_outlines(canvas, list(outlines), [(255, 0, 0)])
    interpolated = canvas[..., 0] > 127
    rows = np.flatnonzero(interpolated[:, 45])
    assert len(rows) == pytest.approx(13, abs=1)
    assert rows.mean() == pytest.approx(30, abs=0.5)
    columns = np.flatnonzero(interpolated[30])
    assert (columns[0], columns[-1]) == (pytest.approx(14, abs=1), pytest.approx(76, abs=1))
    assert not interpolated[25, 14]  # the end is round


def test_unknown_and_far_away_ends_are_left_out(canvas):
    for value in (np.nan, 1e12):
        outlines = capsule_outlines(np.array([[[20.0, 30.0], [value, 30.0]]]), np.array([[6.0, 6.0]]))
        fill_outlines(canvas, list(outlines), [(255, 0, 0)])
    assert not canvas.any()


def test_a_hull_goes_around_its_discs(canvas):
    corners = np.array([[20.0, 15.0], [70.0, 15.0], [45.0, 45.0]])
    fill_outlines(canvas, [hull_outline(corners, np.array([5.0, 5.0, 8.0]))], [(255, 0, 0)])
    for x, y in ((17, 15), (73, 15), (45, 51), (45, 12), (45, 30)):
        assert canvas[y, x, 0] > 200
    assert not canvas[45, 25].any()
    assert len(hull_outline(corners * np.nan, np.ones(3))) == 0
