import csv

import numpy as np

from poselift.export import write_csv
from poselift.skeleton import H36M17
from poselift.skeleton.hand import HAND21
from tests.export.conftest import recording_of
from tests.recordings.conftest import with_hands


def _read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_columns_in_order(tmp_path, motion, world_motion):
    write_csv(tmp_path / "a.csv", recording_of([world_motion]))
    expected = ["time_s", "interpolated", "root_x_m", "root_y_m", "root_z_m"]
    expected += [f"{joint}_{axis}_m" for joint in H36M17.joints for axis in ("x", "y", "z")]
    known = [*(f"{joint}_uncertainty_m" for joint in H36M17.joints), "left_foot_contact", "right_foot_contact"]
    seen = [f"{joint}_seen" for joint in H36M17.joints]
    rows = _read(tmp_path / "a.csv")
    assert rows[0] == expected + known + seen
    assert [len(row) for row in rows] == [len(rows[0])] * 7
    assert [float(cell) for cell in rows[2][-36:-19]] == [k / 1000 for k in range(17, 34)]
    assert [row[-19:-17] for row in rows[1:]] == [["1", "0"]] * 3 + [["1", "1"], ["0", "0"], ["0", "1"]]
    write_csv(tmp_path / "a.csv", recording_of([motion]))
    assert _read(tmp_path / "a.csv")[0] == expected + seen


def test_values_to_a_hundredth_of_a_millimetre(tmp_path, motion):
    write_csv(tmp_path / "a.csv", recording_of([motion]))
    table = np.genfromtxt(tmp_path / "a.csv", delimiter=",", names=True)
    np.testing.assert_allclose(table["time_s"], motion.timestamps, atol=5e-7)
    np.testing.assert_array_equal(table["interpolated"], motion.interpolated)
    np.testing.assert_allclose(table["root_z_m"], motion.root[:, 2], atol=5.1e-6)
    wrist = motion.joints[:, H36M17.index("left_wrist")]
    np.testing.assert_allclose(table["left_wrist_y_m"], wrist[:, 1], atol=5.1e-6)
    empty = _read(tmp_path / "a.csv")[1 + 4]
    assert empty[:2] == ["0.140000", "0"]
    assert set(empty[2:-17]) == {""}


def test_fingers_are_columns_relative_to_the_root(tmp_path, motion):
    motion = with_hands(motion)
    write_csv(tmp_path / "a.csv", recording_of([motion]))
    table = np.genfromtxt(tmp_path / "a.csv", delimiter=",", names=True)
    wrist = motion.joints[:, H36M17.index("left_wrist"), 0]
    tip = wrist + motion.hands.joints[:, 0, HAND21.index("index_tip"), 0]
    np.testing.assert_allclose(table["left_hand_index_tip_x_m"], tip, atol=6e-6)
    assert np.isnan(table["left_hand_index_tip_x_m"][1])
    assert np.isnan(table["right_hand_index_tip_x_m"]).all()
    np.testing.assert_allclose(table["left_hand_score"], motion.hands.scores[:, 0])
