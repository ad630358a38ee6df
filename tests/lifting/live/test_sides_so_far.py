import numpy as np
import pytest

from benchmarks.made_worlds import Scene, see, walk
from poselift.lifting.live.sides_so_far import SidesSoFar, other_reading, part_columns
from poselift.lifting.prepare.exchanged_sides import exchange, group_pairs
from poselift.skeleton import COCO17

BODY, LEGS, ARMS, HEAD = group_pairs(COCO17)


def followed(exchanged_frames):
    """Whether the sides are exchanged after each check of a walk of 5 s from the side, over windows of 2 s."""
    right = see(Scene("", walk, 0, 10, seconds=5.0), noise=2.0)[0]
    given = exchange(right, exchanged_frames(np.arange(len(right))), BODY)
    sides, found = SidesSoFar(0.2), []
    for frame, time in enumerate(given.timestamps.tolist()):
        if sides.due(time):
            sides.check(given[max(0, frame - 62) : frame + 1])
            found.append(sides.exchanged)
    return found


def test_an_exchange_is_remembered_when_the_window_has_passed_it():
    found = followed(lambda frames: frames >= 60)
    assert len(found) == 9
    assert found == [False] * 3 + [False, *[True] * 5] or found == [False] * 3 + [True] * 6


def test_sides_that_come_back_are_forgotten_with_the_window():
    found = followed(lambda frames: (frames >= 40) & (frames < 60))
    assert any(found)
    assert not found[-1]
    assert not any(followed(lambda frames: frames < 0))


@pytest.mark.parametrize(("joints", "parts"), [(LEGS, ("legs",)), (ARMS, ("arms",)), (HEAD, ()), ([], ())])
def test_a_part_that_is_exchanged_alone_is_told(joints, parts):
    right = see(Scene("", walk, 30, 10, seconds=3.0), noise=2.0)[0]
    rows, sides = np.arange(len(right)), SidesSoFar(0.2)
    sides.check(exchange(right, (rows >= 40) & (rows < 54), joints))
    assert (sides.exchanged, sides.parts) == (False, parts)


def test_columns_of_parts():
    assert part_columns(COCO17, "legs") == LEGS
    assert part_columns(COCO17, "arms") == ARMS


def test_the_other_reading_looks_the_same_and_has_the_same_bones():
    """Far away, where the picture is a parallel projection."""
    joints = see(Scene("", walk, 40, 10, distance=500.0))[3][0]
    root = joints[[11, 12]].mean(0)
    flip = list(COCO17.flip_indices)
    other = other_reading(joints - root, root, flip)
    seen, wanted = ((body + root)[:, :2] / (body + root)[:, 2:] for body in (other, (joints - root)[flip]))
    np.testing.assert_allclose(seen, wanted, atol=1e-5)
    bones = ((5, 7), (11, 13), (13, 15))
    lengths = [[np.linalg.norm(body[a] - body[b]) for a, b in bones] for body in (other, joints)]
    assert lengths[0] == pytest.approx(lengths[1], abs=0.01)
    np.testing.assert_allclose(other_reading(other, root, flip), joints - root, atol=1e-9)
