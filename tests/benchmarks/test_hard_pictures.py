import numpy as np
import pytest

from benchmarks.hard_pictures import CHANGES, _Clip


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


def test_a_board_hides_the_legs_and_nothing_else():
    points = np.full((23, 2), np.nan)
    points[:17] = np.stack([np.full(17, 150.0), np.linspace(50, 450, 17)], -1)
    picture = np.full((480, 320, 3), 255, np.uint8)
    changed = CHANGES["legs hidden"].change(picture, [points])
    hidden = (changed == 114).all(-1)
    knee, ankle = points[13, 1], points[16, 1]
    assert hidden[round(knee) : round(ankle), 150].all()
    assert not hidden[: round(knee) - 25].any()
    assert not hidden[:, :120].any()
    assert (picture == 255).all()
    unknown = np.full((23, 2), np.nan)
    np.testing.assert_array_equal(CHANGES["legs hidden"].change(picture, [unknown]), picture)


def test_people_keep_their_partner_in_the_other_camera():
    body = np.random.default_rng(0).uniform(0, 100, (23, 2))
    man, woman, stranger = ({0: (body + (left, 0), np.ones(23))} for left in (0, 150, 600))
    clip = _Clip([], [], [], [(man, woman), (woman, man)])
    assert clip.pairs([[stranger, woman, man], [man, woman]]) == [(2, 1), (1, 0)]
    assert clip.pairs([[stranger, man], [man, woman]]) == [(1, 1)], "nobody takes the place of somebody who is lost"
    assert clip.pairs([[], [man]]) == []
