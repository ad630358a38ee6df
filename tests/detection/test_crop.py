import numpy as np
import pytest

from poselift.detection.crop import Crop

SIZE = (12, 16)


def blob(x, y, sigma, shape):
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    values = 255 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * sigma**2))
    return np.repeat(values.round().astype(np.uint8)[..., None], 3, axis=-1)


def centroid(picture):
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    weights = picture[..., 0].astype(float)
    return np.array([(columns * weights).sum(), (rows * weights).sum()]) / weights.sum()


def box_of(left, top, side):
    """The box whose square without a margin has these columns and rows."""
    return np.array([left, top, left + side - 1, top + side - 1], float) + [-0.5, -0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("x", "y", "box"),
    [
        (300.3, 200.7, box_of(100, 50, 400)),  # shrunk
        (205.0, 180.5, box_of(180, 150, 60)),  # enlarged
        (30.0, 25.0, box_of(-150, -120, 300)),  # beyond the upper left corner
        (620.0, 455.0, box_of(500, 300, 333)),  # beyond the lower right corner
    ],
)
def test_points_of_every_crop_go_back_to_their_place(x, y, box):
    picture = blob(x, y, 4.0, (480, 640))
    crops = [Crop.square(picture, box, 256, 1.0), Crop.top_down(picture, box, (192, 256), 1.0)]
    crops += [Crop.whole(picture, (256, 256), multiple=32), Crop.whole(picture, (900, 700), fill=0)]
    for crop in crops:
        np.testing.assert_allclose(crop.to_picture(centroid(crop.image)), [x, y], atol=0.15)


@pytest.mark.parametrize(
    ("box", "part"),
    [
        # Tall: 80 high with its padding, so 60 wide; wide: 60 wide, so 80 high.
        ([100, 40, 110, 104], (60, 80)),
        ([10, 40, 58, 44], (60, 80)),
    ],
)
def test_a_top_down_crop_is_the_padded_box_in_the_proportions_of_the_input(box, part):
    crop = Crop.top_down(np.zeros((8, 8, 3), np.uint8), np.array(box, float), SIZE, 1.25)
    np.testing.assert_allclose(crop.to_picture(np.array(SIZE) / 2), [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    np.testing.assert_allclose(SIZE * crop.scale, part)


@pytest.mark.parametrize(
    ("options", "shape", "scale"),
    [
        ({"multiple": 32}, (160, 256), (2.5, 2.5)),
        ({"fill": 114}, (256, 256), (2.5, 2.5)),
    ],
)
def test_a_whole_picture_is_padded_below_and_on_the_right(options, shape, scale):
    crop = Crop.whole(np.full((360, 640, 3), 50, np.uint8), (256, 256), **options)
    assert crop.image.shape[:2] == shape
    np.testing.assert_allclose(crop.scale, scale)
    assert (crop.image[:144] == 50).all()
    assert (crop.image[144:] == options.get("fill", 0)).all()


def test_angles_that_rounding_has_put_apart_give_the_same_pixels():
    random = np.random.default_rng(0)
    picture = random.integers(0, 256, (120, 160, 3), dtype=np.uint8)
    for angle in random.uniform(-3, 3, 20):
        one, other = (Crop.square(picture, box_of(40, 20, 90), 64, 1.0, angle + little) for little in (0.0, 1e-6))
        np.testing.assert_array_equal(one.image, other.image)
        assert one.angle == other.angle == pytest.approx(angle, abs=0.5 / 256)
    upright, nearly, turned = (Crop.square(picture, box_of(40, 20, 90), 64, 1.0, angle) for angle in (0.0, 1e-3, 3e-3))
    np.testing.assert_array_equal(nearly.image, upright.image)
    assert turned.angle == 1 / 256
