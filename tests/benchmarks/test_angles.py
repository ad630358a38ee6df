from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import angles
from benchmarks.angles import angle_rows, compared, flexion_rows
from poselift.data.cmu_bench import CmuBench
from poselift.lifting import lift_view


def test_a_motion_that_is_true_has_no_errors(cmu_files, weights):
    view = CmuBench(*cmu_files, "coco17")[0]
    lifted = lift_view(view, weights)
    joints = view.joints[:, view.skeleton.indices(lifted.skeleton.joints)].numpy()
    true = SimpleNamespace(**lifted.__dict__)
    found = dict(compared(view, lifted.__class__(**{**true.__dict__, "joints": joints, "root": view.root.numpy()}), 2))
    assert {"knee_flexion", "trunk_lean_ahead"} <= set(found)
    for name, values in found.items():
        np.testing.assert_allclose(values[:, 0], 0, atol=1e-2, err_msg=name)


def test_shares_and_views_by_hand():
    """Errors of 1, 2, 3 and 4 degrees, half of them from the front, beside half-widths of 2.5."""
    values = np.array([[1, 2.5, 10, 0], [-2, 2.5, 20, 10], [3, 2.5, 40, 80], [-4, 2.5, 80, 90]], float)
    (row,) = angle_rows({"knee_flexion": values})
    assert row[:8] == ["knee flexion", "1.5", "-", "3.5", "2.5", "-0.5", "2.5", "50"]
    rows = list(flexion_rows({"elbow_flexion": values, "knee_flexion": values}))
    assert rows[0] == ["elbow flexion", "0 to 15", "1", "10.0", "11.0", "1.0"]


@pytest.mark.parametrize("keypoints", ["det", "gt"])
def test_the_tables(files, keypoints, table):
    angles.main([*files, "--keypoints", keypoints, "--every", "3"])
    rows = table()
    assert ["angle", *angles.COLUMNS] in rows
    assert {"hip flexion", "shank lean out"} <= {row[0] for row in rows}


def test_data_is_needed(capsys):
    with pytest.raises(SystemExit):
        angles.main([])
    assert "--corpus and --bench, or --data" in capsys.readouterr().err
