import numpy as np
import pytest

from poselift.detection.crop import Crop
from poselift.detection.orientation import body_angle, box_along, rotation
from poselift.skeleton import COCO17

BODY = np.zeros((17, 2))
BODY[[5, 6]], BODY[[11, 12]], BODY[[15, 16]] = [[18, -70], [-18, -70]], [[10, -15], [-10, -15]], [[8, 75], [-8, 75]]
SEEN = np.ones(17)


@pytest.mark.parametrize("degrees", [30, 90, 179, -135])
def test_the_angle_of_a_turned_body(degrees):
    turned = BODY @ rotation(np.radians(degrees)).T + 200
    assert body_angle(turned, SEEN, COCO17) == pytest.approx(np.radians(degrees))
    box = box_along(turned, np.radians(degrees))
    np.testing.assert_allclose(box[2:] - box[:2], [36, 145])


def test_without_ankles_or_hips():
    scores = SEEN.copy()
    scores[[15, 16]] = 0.1
    assert body_angle(BODY, scores, COCO17) == pytest.approx(0)
    scores[[11, 12]] = 0.1
    assert body_angle(BODY, scores, COCO17) is None


@pytest.mark.parametrize("degrees", [37, 90, 180, -120])
def test_points_of_a_turned_crop_go_back_to_their_place(degrees):
    rows, columns = np.mgrid[:300, :400]
    picture = 255 * np.exp(-((columns - 230.3) ** 2 + (rows - 140.7) ** 2) / 50)
    picture = np.repeat(picture.round().astype(np.uint8)[..., None], 3, -1)
    crop = Crop.square(picture, np.array([180.0, 90, 260, 210]), 96, 1.2, np.radians(degrees))
    weights = crop.image[..., 0].astype(float)
    rows, columns = np.mgrid[:96, :96]
    centroid = np.array([(columns * weights).sum(), (rows * weights).sum()]) / weights.sum()
    np.testing.assert_allclose(crop.to_picture(centroid), [230.3, 140.7], atol=0.3)
    assert crop.image.shape == (96, 96, 3)
