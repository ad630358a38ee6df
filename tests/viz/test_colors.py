import numpy as np

from poselift.viz.colors import BACKGROUND, mix, person_colors


def _distance(a, b):
    return np.linalg.norm(np.subtract(a, b))


def test_people_are_told_apart():
    colors = [person_colors(person).middle for person in range(1, 8)]
    for i, color in enumerate(colors):
        assert _distance(color, BACKGROUND) > 120
        assert all(_distance(color, other) > 50 for other in colors[:i])


def test_colours_repeat_after_seven_people():
    assert person_colors(8) == person_colors(1)


def test_left_is_lighter_and_right_darker():
    for person in range(1, 8):
        colors = person_colors(person)
        assert sum(colors.left) > sum(colors.middle) + 60 > sum(colors.right) + 120
        assert colors.of_side("left") == colors.left
        assert colors.of_side("right") == colors.right
        assert colors.of_side("middle") == colors.middle


def test_mix():
    assert mix((0, 100, 200), (100, 100, 0), 0.25) == (25, 100, 150)
