import numpy as np
import pytest

from benchmarks import lying


@pytest.mark.slow
def test_people_who_lie_and_a_turned_camera(cmu_files, lifter_file, table):
    """The first clip of the train split lies on its side; that of the val split is upright."""
    corpus = cmu_files[0]
    arrays = dict(np.load(corpus))
    clip = arrays["root_relative"][:150]
    clip[..., [0, 1]] = clip[..., [1, 0]]
    np.savez(corpus, **arrays)
    lying.main(["--corpus", str(corpus), "--weights", str(lifter_file)])
    _, *rows = table()
    assert [(row[0].partition(" (")[0], row[1]) for row in rows] == [
        ("camera turned by 90", "1"),
        ("lying, crawling", "2"),
    ]
    assert all(float(cell) > 0 for row in rows for cell in row[2:])
