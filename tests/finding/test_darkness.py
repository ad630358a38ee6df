"""A warning where people are in the dark."""

import numpy as np
import pytest

from poselift.finding.darkness import Darkness

BOX = np.array([20.0, 10.0, 60.0, 90.0])


def picture(brightest, rest=20, rows=100):
    """A person's box of which a fifth is bright, in a bright picture."""
    image = np.full((rows, 100, 3), 250, np.uint8)
    image[10:90, 20:60] = rest
    image[10:26, 20:60] = brightest
    return image


@pytest.mark.parametrize(("brightest", "told"), [(60, True), (81, True), (143, False), (210, False)])
def test_the_brightest_part_of_a_box_decides(brightest, told):
    """81 is the brightest of eight clips with 1/8 of the light, 143 the darkest of them as they are."""
    dark = Darkness()
    for number in range(60):
        dark.note(picture(brightest), [BOX], number / 30)
    assert [f"has {brightest} of 255" in text for text in dark.warnings()] == [True] * told


def test_somebody_in_black_in_a_bright_room_is_not_in_the_dark():
    dark = Darkness()
    dark.note(picture(200, rest=5), [BOX], 0.0)
    assert dark.warnings() == []


@pytest.mark.parametrize(("of_ten", "told"), [(2, False), (4, True)])
def test_the_share_of_the_pictures_decides(of_ten, told):
    dark = Darkness()
    for number in range(10):
        dark.note(picture(50 if number < of_ten else 200), [BOX], float(number))
    assert any(f"in {10 * of_ten}% of the pictures" in text for text in dark.warnings()) == told


def test_two_looks_a_second_are_enough():
    dark = Darkness()
    for number in range(30):
        dark.note(picture(50 if number % 15 else 200), [BOX], number / 30)
    assert dark.warnings() == [], "the looks at 0 and 0.5 s are bright"


@pytest.mark.parametrize("box", [[-50.0, -50, -10, -10], [200.0, 10, 300, 90], [np.nan] * 4])
def test_who_is_outside_the_picture_is_not_looked_at(box):
    dark = Darkness()
    dark.note(picture(50), [np.array(box)], 0.0)
    assert dark.warnings() == []
