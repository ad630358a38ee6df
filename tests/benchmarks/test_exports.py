import numpy as np

from benchmarks import exports
from benchmarks.exports import repeated, timed
from tests.kinematics.conftest import pose, turn


def test_a_motion_is_repeated_without_jumps_and_timed(tmp_path):
    walk = pose({"left_knee": turn("x", np.linspace(0, 90, 10))}, 10)
    longer = repeated(walk, 50)
    assert len(longer) == 50
    assert np.abs(np.diff(longer.joints, axis=0)).max() < 0.1
    np.testing.assert_allclose(np.diff(longer.timestamps), 1 / 30)
    seconds, size = timed("trc", longer, tmp_path)
    assert float(seconds) >= 0
    assert float(size) == round((tmp_path / "person_1.trc").stat().st_size / 1e6, 1)


def test_both_skeletons_are_timed(short_demo, table):
    exports.main(["--only", "trc", "--frames", "20"])
    _, (name, *cells) = table()
    assert name == "trc"
    assert len(cells) == 4
