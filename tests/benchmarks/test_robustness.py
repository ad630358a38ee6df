from dataclasses import replace

import numpy as np
import pytest

from benchmarks import robustness
from benchmarks.robustness import (
    measured,
    within,
)
from poselift.data.cmu_bench import CmuBench
from poselift.lifting.dataset_views import keypoints_of
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


def test_one_table(files, capsys):
    robustness.main([*files, "--limit", "1", "--table", "without keypoints"])
    printed = capsys.readouterr().out
    assert "## Frames without keypoints (`test`, h36m17, 1 views of bench.npz)" in printed
    rows = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in printed.splitlines() if line.startswith("| ")}
    assert 0 < float(rows["every second frame empty"][0]) < 2000
    assert 0 <= float(rows["every second frame empty"][-1]) <= 100


def test_share_within_the_uncertainty(views):
    view = views[0]
    joints, hidden = true_joints(view), np.zeros((len(view), 17), bool)
    hidden[:50] = True
    joints[:25, 1:, 0] += 0.06
    joints[50:, 1:, 0] += 0.06
    motion = replace(motion_of(view, joints), uncertainty=np.full((len(view), 17), 0.05, np.float32))
    assert within([view], [motion], [hidden]) == {"within": 50.0}
    assert within([view], [motion_of(view, joints)], [hidden]) == {}
