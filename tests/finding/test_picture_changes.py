import numpy as np
import pytest

from poselift.finding.picture_changes import Changes

NOBODY = np.zeros((0, 4))


def picture(*boxes, size=(720, 1280), seed=0, noise=4.0):
    rng = np.random.default_rng(seed)
    image = np.full((*size, 3), 120.0)
    for left, top, right, bottom in boxes:
        image[top:bottom, left:right] = (60, 80, 150)
    return (image + rng.normal(0, noise, image.shape)).clip(0, 255).astype(np.uint8)


@pytest.fixture
def searched():
    changes = Changes()
    changes.note_search(picture(), NOBODY)
    return changes


def test_without_a_search_everything_is_new():
    assert Changes().has_changed(picture(), NOBODY)


@pytest.mark.parametrize("noise", [2.0, 10.0])
def test_noise_is_no_change(searched, noise):
    assert not searched.has_changed(picture(seed=1, noise=noise), NOBODY)


@pytest.mark.parametrize("left", [0, 5, 640, 1250])
def test_somebody_of_80_pixels_is_one(searched, left):
    assert searched.has_changed(picture((left, 300, left + 30, 380), seed=1), NOBODY)


def test_a_leaf_is_none(searched):
    assert not searched.has_changed(picture((100, 100, 112, 112), (500, 400, 512, 412), seed=1), NOBODY)


def test_those_who_are_followed_are_none_wherever_they_go():
    before, now = (300, 200, 400, 500), (380, 200, 480, 500)
    changes = Changes()
    changes.note_search(picture(before), np.array([before], float))
    assert not changes.has_changed(picture(now), np.array([now], float))
    assert changes.has_changed(picture(now, (900, 200, 950, 400)), np.array([now], float))
