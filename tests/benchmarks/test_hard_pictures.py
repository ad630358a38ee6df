import numpy as np
import pytest

from benchmarks.hard_pictures import CHANGES


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("place", [(60, 90), (180, 150)])
def test_a_place_in_a_changed_picture_is_brought_back(name, place):
    width, height = 320, 480
    picture = np.zeros((height, width, 3), np.uint8)
    x, y = place
    picture[y - 20 : y + 21, x - 20 : x + 21] = 255
    changed = CHANGES[name].change(picture)
    light = changed[..., 0].astype(float) * (changed[..., 0] != 114)
    rows, columns = np.indices(light.shape)
    middle = np.array([[(light * columns).sum(), (light * rows).sum()]]) / light.sum()
    np.testing.assert_allclose(CHANGES[name].back(middle, width, height), [place], atol=3)
