import numpy as np
import pytest

from poselift.detection.crop import Crop

SIZE = (12, 16)


@pytest.mark.parametrize(
    ("box", "part"),
    [
        # Tall: 80 high with its padding, so 60 wide; wide: 60 wide, so 80 high.
        ([100, 40, 110, 104], (60, 80)),
        ([10, 40, 58, 44], (60, 80)),
    ],
)
def test_a_part_is_the_padded_box_made_to_the_proportions_of_the_input(box, part):
    crop = Crop.around(np.array(box, float), SIZE, 1.25)
    assert crop.centre == ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    np.testing.assert_allclose(np.array(SIZE) * crop.scale, part)


def test_pixels_are_those_of_the_picture():
    """Against bilinear interpolation, pixel by pixel; black outside."""
    picture = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    crop = Crop.around(np.array([-4.0, 20, 20, 47]), SIZE, 1.25)
    found = crop.cut(picture)
    assert found.shape == (16, 12, 3)
    for row in range(16):
        for column in range(12):
            x, y = crop.to_picture(np.array([column, row], float))
            expected = np.zeros(3)
            for i in (int(np.floor(x)), int(np.floor(x)) + 1):
                for j in (int(np.floor(y)), int(np.floor(y)) + 1):
                    if 0 <= i < 50 and 0 <= j < 40:
                        expected += picture[j, i] * (1 - abs(x - i)) * (1 - abs(y - j))
            # OpenCV works with shares of 1/32 of a pixel.
            np.testing.assert_allclose(found[row, column], expected, atol=255 / 16)


def test_points_go_to_the_picture_by_hand():
    crop = Crop((50.0, 20.0), 2.5, SIZE)
    np.testing.assert_allclose(
        crop.to_picture(np.array([[6.0, 8.0], [0, 0], [7, 10]])), [[50, 20], [35, 0], [52.5, 25]]
    )
