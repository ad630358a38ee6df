import numpy as np

from poselift.viz.colors import BACKGROUND, person_colors


def _distance(a, b):
    return np.linalg.norm(np.subtract(a, b))


def test_people_are_told_apart():
    colors = [person_colors(person).middle for person in range(1, 8)]
    for i, color in enumerate(colors):
        assert _distance(color, BACKGROUND) > 120
        assert all(_distance(color, other) > 50 for other in colors[:i])


def test_left_is_lighter_and_right_darker():
    for person in range(1, 8):
        colors = person_colors(person)
        assert sum(colors.left) > sum(colors.middle) + 60 > sum(colors.right) + 120
        assert colors.of_side("left") == colors.left
        assert colors.of_side("right") == colors.right
        assert colors.of_side("middle") == colors.middle
