from dataclasses import replace

import numpy as np
import pytest

from benchmarks import robustness
from benchmarks.robustness import (
    COLUMNS,
    conditions,
    measured,
    within,
)
from poselift.data.cmu_bench import CmuBench
from poselift.lifting.view import keypoints_of
from poselift.skeleton import H36M17
from poselift.structures import Motion

pytestmark = pytest.mark.slow


@pytest.fixture
def views(cmu_files):
    return list(CmuBench(*cmu_files))


def true_joints(view):
    return view.joints[:, view.skeleton.indices(H36M17.joints)].numpy().copy()


def motion_of(view, joints, root=None):
    """A prediction for a view."""
    root = view.root.numpy() if root is None else root
    interpolated = np.zeros(len(view), bool)
    return Motion(joints, root, view.times.numpy(), interpolated, H36M17, "camera", keypoints_of(view))


def test_measures_by_hand(views):
    view = views[0]
    joints = true_joints(view)
    joints[:, H36M17.index("left_wrist")] += [0.0, 0.0, 0.17]  # 170 mm of one joint of 17 are 10 mm of all
    root = view.root.numpy() + np.float32([0.03, 0.0, 0.04])
    values = measured([view], [motion_of(view, joints, root)])
    assert values["mpjpe"] == pytest.approx(10, abs=0.02)
    assert values["root"] == pytest.approx(50, abs=0.01)
    assert values["bone_length"] > 1
    larger = measured([view], [motion_of(view, 1.1 * true_joints(view))])
    assert larger["p_mpjpe"] < 0.01 < 10 < larger["mpjpe"]


def test_all_tables(files, capsys):
    robustness.main([*files, "--limit", "1", "--skeleton", "coco17"])
    lines = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    columns = [*COLUMNS, "within"]  # the last one in one table only
    rows = {line[0].strip(): dict(zip(columns, map(str.strip, line[1:]), strict=False)) for line in lines}
    assert [name for name in rows if name] == list(dict.fromkeys(row.name for row in conditions("coco17")))
    for name, row in rows.items():
        if name:
            assert 0 < float(row["mpjpe"]) < 2000
    assert float(rows["no legs, hips to ankles"]["hidden"]) > 0
    assert rows["120 fps"]["hidden"] == ""
    assert 0 <= float(rows["every second frame empty"]["within"]) <= 100
    assert "within" not in rows["120 fps"]
    assert rows["known"]["root"] != rows["unknown"]["root"]


def test_share_within_the_uncertainty(views):
    view = views[0]
    joints, hidden = true_joints(view), np.zeros((len(view), 17), bool)
    hidden[:50] = True
    joints[:25, 1:, 0] += 0.06
    joints[50:, 1:, 0] += 0.06
    motion = replace(motion_of(view, joints), uncertainty=np.full((len(view), 17), 0.05, np.float32))
    assert within([view], [motion], [hidden]) == {"within": 50.0}
    assert within([view], [motion_of(view, joints)], [hidden]) == {}
