import numpy as np
import pytest

from poselift.finding.followed_person import Followed
from poselift.finding.losses import Losses

PICTURE = 640, 480


def somebody(x=300.0, begun=0.0, time=2.0, **changed):
    """Who was seen until a time, 40 pixels wide and 200 high."""
    box = np.array([x - 20, 100, x + 20, 300])
    return Followed(box, np.zeros((17, 2)), np.ones(17), time, 0.8, 0.8, begun=begun, **changed)


def lost(person, *found):
    losses = Losses(PICTURE)
    losses.lose(person, person.time + 0.03)
    for again in found:
        losses.find(again, again.begun)
    return losses.warnings()


def test_somebody_in_the_middle_of_the_picture_is_missed():
    (line,) = lost(somebody())
    assert "not recognised: from 2.00 s" in line


@pytest.mark.parametrize(
    "person",
    [somebody(x=30.0), somebody(x=620.0), somebody(begun=1.8), somebody(misses=3)],
    ids=["leaves on the left", "leaves on the right", "was there for a moment", "was none"],
)
def test_others_are_not(person):
    assert lost(person) == []


def test_a_gap_ends_where_somebody_is_found_near():
    (line,) = lost(somebody(), somebody(x=340.0, begun=3.0))
    assert "from 2.00 s to 3.00 s" in line
    assert lost(somebody(), somebody(begun=2.2)) == [], "such a gap is interpolated"
    far = somebody(x=10_000.0, begun=3.0)
    assert "to 3.00 s" not in lost(somebody(), far)[0]


def test_many_losses_are_one_line():
    losses = Losses(PICTURE)
    for time in range(2, 14):
        losses.lose(somebody(time=float(time)), time + 0.03)
    (line,) = losses.warnings()
    assert line.endswith("and 7 more times")
