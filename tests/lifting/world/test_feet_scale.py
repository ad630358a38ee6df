"""The scale of a camera's path from feet whose places are known."""

from dataclasses import replace

import numpy as np
import pytest

from poselift.lifting.world.feet_scale import find_scale
from poselift.structures import Motion
from tests.lifting.walking import render, standing_pose, walk

TIMES = np.arange(0, 4, 1 / 30)
UNIT = 5.0
"""Metres for each unit of the path."""


def seen_from(motion: Motion, place: np.ndarray) -> Motion:
    """What a camera sees that is at these places of the still camera's frame, with axes that do not turn."""
    return replace(motion, root=(motion.root - place).astype(np.float32))


def way(*speed: float) -> np.ndarray:
    return TIMES[:, None] * np.array(speed)


def walker(noise: float = 0.0) -> Motion:
    joints, down = walk(TIMES)
    return render(joints, TIMES, down, noise=noise).motion


def stander(noise: float = 0.0) -> Motion:
    return render(np.repeat(standing_pose()[None], len(TIMES), 0), TIMES, noise=noise).motion


@pytest.mark.parametrize(
    "speed", [(0.3, 0, 0), (0.8, 0, 0), (0.8, 0, 0.8), (-0.9, 0.0, -0.8)], ids=["slow", "aside", "ahead", "back"]
)
@pytest.mark.parametrize("person", [walker, stander])
def test_feet_that_stand_give_the_scale(person, speed):
    place = way(*speed)
    found = find_scale([seen_from(person(0.01), place)], [place / UNIT])
    assert found is not None
    assert found.sure
    assert found.metres == pytest.approx(UNIT, rel=0.1)


def test_a_slow_camera_that_follows_a_walker_is_not_trusted():
    """Lifted strides are a little too short or too long, and the error is that of the walker's speed."""
    place = way(0, 0, 0.3)
    found = find_scale([seen_from(walker(0.01), place)], [place / UNIT])
    assert found is not None
    assert not found.sure


def test_a_camera_that_goes_along_the_line_of_sight_is_less_sure():
    """Distances are lifted worse than what lies across."""
    ahead, aside = (
        find_scale([seen_from(walker(0.01), place)], [place / UNIT]) for place in (way(0, 0, 1.1), way(1.1, 0, 0))
    )
    assert ahead is not None
    assert aside is not None
    assert ahead.spread > 1.2 * aside.spread
    assert aside.sure
    assert not ahead.sure


def test_several_people_agree():
    place = way(0.5, 0, 0.2)
    people = [seen_from(person, place) for person in (walker(), stander())]
    found = find_scale(people, [place / UNIT] * 2)
    assert found is not None
    assert found.sure
    assert found.metres == pytest.approx(UNIT, rel=0.05)


def test_no_feet_or_no_path_have_no_scale():
    place, person = way(0.5, 0, 0), walker()
    unseen = replace(person.keypoints, scores=np.zeros_like(person.keypoints.scores))
    assert find_scale([seen_from(replace(person, keypoints=unseen), place)], [place / UNIT]) is None
    assert find_scale([person], [np.zeros_like(place)]) is None
    assert find_scale([], []) is None


def test_somebody_who_is_carried_by_the_camera_is_not_trusted():
    """The same feet stand still for a camera that stands still, and for none that moves."""
    place = way(0.6, 0, 0)
    found = find_scale([stander()], [place / UNIT])
    assert found is None or not found.sure


def test_people_who_disagree_are_not_trusted():
    """Somebody stands on the ground, and somebody on a cart that goes the other way."""
    place = way(0.6, 0, 0)
    found = find_scale([seen_from(stander(), place), seen_from(stander(), place + way(0.5, 0, 0))], [place / UNIT] * 2)
    assert found is not None
    assert not found.sure


def test_somebody_who_flies_is_not_trusted():
    """Feet that never stand still, whatever the scale."""
    person = walker()
    turns = np.stack([np.cos(9 * TIMES), np.sin(9 * TIMES), np.sin(7 * TIMES)], 1)
    flying, place = replace(person, root=(person.root + turns).astype(np.float32)), way(0.5, 0, 0)
    found = find_scale([seen_from(flying, place)], [place / UNIT])
    assert found is None or not found.sure


def test_one_short_step_is_not_enough():
    place, person = way(0.6, 0, 0), walker()
    found = find_scale([seen_from(person, place)[:5]], [place[:5] / UNIT])
    assert found is None or not found.sure
