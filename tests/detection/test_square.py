import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poselift.detection.square import Square


def blob(x, y, sigma, shape):
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    values = 255 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * sigma**2))
    return np.repeat(values.round().astype(np.uint8)[..., None], 3, axis=-1)


def centroid(picture):
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    weights = picture[..., 0].astype(float)
    return np.array([(columns * weights).sum(), (rows * weights).sum()]) / weights.sum()


@pytest.mark.parametrize(
    ("x", "y", "square"),
    [
        (300.3, 200.7, Square(100, 50, 400)),  # shrunk
        (205.0, 180.5, Square(180, 150, 60)),  # enlarged
        (30.0, 25.0, Square(-150, -120, 300)),  # beyond the top left corner
        (620.0, 455.0, Square(500, 300, 333)),  # beyond the bottom right corner
    ],
)
def test_what_is_seen_in_the_square_is_brought_back_to_its_place(x, y, square):
    picture = blob(x, y, 4.0, (480, 640))
    found = square.to_picture(centroid(square.cut(picture, 256)), 256)
    np.testing.assert_allclose(found, [x, y], atol=0.1)


def test_beyond_the_picture_is_black():
    cut = Square(-100, -50, 200).cut(np.full((300, 300, 3), 200, np.uint8), 100)
    assert (cut[:25] == 0).all()
    assert (cut[:, :50] == 0).all()
    assert (cut[25:, 50:] == 200).all()


def test_a_square_wholly_outside_is_black():
    picture = np.full((40, 40, 3), 200, np.uint8)
    for square in (Square(-90, 0, 50), Square(60, 0, 50), Square(0, -90, 50), Square(0, 60, 50)):
        assert (square.cut(picture, 32) == 0).all()


@given(st.floats(-500, 2000), st.floats(-500, 2000), st.floats(1, 900), st.floats(1, 900))
def test_around_is_centred_and_holds_the_box(x, y, width, height):
    square = Square.around(np.array([x, y, x + width, y + height]), 1.2)
    centre = np.array([square.left, square.top]) + (square.side - 1) / 2
    np.testing.assert_allclose(centre, [x + width / 2, y + height / 2], atol=0.51)
    assert abs(square.side - 1.2 * max(width, height)) <= 0.5
