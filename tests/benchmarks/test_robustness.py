from dataclasses import replace

import numpy as np
import pytest
import torch

from benchmarks import robustness
from benchmarks.changed_views import hide
from benchmarks.robustness import (
    COLUMNS,
    Condition,
    assumed_camera,
    conditions,
    hidden_errors,
    hidden_joints,
    lifted,
    measured,
    rows_of,
    true_camera,
    within,
    wrong_camera,
)
from poselift.data.cmu_bench import CmuBench
from poselift.kinematics.height import estimate_height
from poselift.lifting.dataset_views import keypoints_of
from poselift.skeleton import CMU28, H36M17
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


def test_hidden_joints_are_measured_where_they_are_hidden(views):
    view, wrist = views[1], H36M17.index("left_wrist")
    hidden = torch.zeros(len(view), 28, dtype=torch.bool)
    hidden[50:100, CMU28.index("left_wrist")] = True
    gone = hidden_joints(view, hide(view, hidden))
    assert gone.sum() == 50
    assert gone[50:100, wrist].all()
    joints = true_joints(view)
    joints[50:75, wrist, 0] += 0.10
    joints[75:100, wrist, 0] += 0.02
    joints[:40, H36M17.index("left_knee"), 0] += 1.0  # was not hidden
    assert hidden_errors([view], [motion_of(view, joints)], [gone]) == pytest.approx(60, abs=0.01)


def test_subjects_weigh_the_same(views, weights, monkeypatch):
    """One subject has two views, another has one."""
    third = replace(views[0], subject="another", name="c")
    errors = {"a": 10.0, "b": 30.0, "c": 50.0}

    def lifted(view, condition, weights):
        joints = true_joints(view)
        joints[:, 1:] += np.float32([errors[view.name] * 17 / 16 / 1000, 0, 0])
        return motion_of(view, joints)

    monkeypatch.setattr(robustness, "lifted", lifted)
    rows = list(rows_of([*views, third], weights, [Condition("table", "row"), Condition("table", "again")]))
    assert rows[0]["mpjpe"] == pytest.approx((20 + 50) / 2, abs=0.01)
    assert rows[0]["change"] == rows[1]["change"] == 0
    assert "hidden" not in rows[0]


def test_cameras(views):
    true = true_camera(views[0])
    assert true.fov == pytest.approx(np.degrees(2 * np.arctan(0.5)))
    assert wrong_camera(1.15)(views[0]).fov == pytest.approx(1.15 * true.fov)
    assert assumed_camera(views[0]).origin == "assumed"


def test_a_known_height_brings_the_true_size(views, weights):
    true = estimate_height(true_joints(views[0]), H36M17).metres
    motion = lifted(views[0], Condition("", "", height=True), weights)
    assert estimate_height(motion.joints, motion.skeleton).metres == pytest.approx(true, rel=1e-4)


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


def test_one_table(files, capsys):
    robustness.main([*files, "--limit", "1", "--table", "without keypoints"])
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("## ")] == [
        "## Frames without keypoints (`test`, h36m17, 1 views of bench.npz)"
    ]


def test_share_within_the_uncertainty(views):
    view = views[0]
    joints, hidden = true_joints(view), np.zeros((len(view), 17), bool)
    hidden[:50] = True
    joints[:25, 1:, 0] += 0.06
    joints[50:, 1:, 0] += 0.06
    motion = replace(motion_of(view, joints), uncertainty=np.full((len(view), 17), 0.05, np.float32))
    assert within([view], [motion], [hidden]) == {"within": 50.0}
    assert within([view], [motion_of(view, joints)], [hidden]) == {}
