import csv
from dataclasses import replace

import numpy as np
import pytest
import torch

from benchmarks import robustness
from benchmarks.anatomy import Anatomy
from benchmarks.changed_views import hide
from benchmarks.robustness import COLUMNS, Condition, conditions, hidden_joints, measure, run, wrong_camera
from poselift.data.cmu_bench import CmuBench
from poselift.models import SpatioTemporalLifter, Weights
from poselift.skeleton import CMU28, H36M17
from poselift.structures import Keypoints2D, Motion


@pytest.fixture(scope="module")
def anatomy(corpus):
    return Anatomy.of(corpus)


@pytest.fixture
def views(cmu_files):
    return list(CmuBench(*cmu_files))


@pytest.fixture
def weights(tmp_path):
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(joint_dim=16, joint_depth=1, joint_heads=2, frame_dim=32, dim=32, depth=1, heads=4)
    return Weights("test", lifter.eval(), 40, "0" * 64, tmp_path / "test.safetensors", {})


def motion_of(view, joints, root=None):
    """A prediction for a view."""
    keypoints = Keypoints2D(view.keypoints.numpy(), view.scores.numpy(), view.times.numpy(), CMU28, (1000, 800))
    root = view.root.numpy() if root is None else root
    return Motion(joints, root, view.times.numpy(), np.zeros(len(view), bool), H36M17, "camera", keypoints)


def means(sums):
    return {key: total / count for key, (total, count) in sums.items() if count}


def test_measures_by_hand(views, anatomy):
    view = views[0]
    joints = view.joints[:, :17].numpy().copy()
    joints[:, H36M17.index("left_wrist")] += [0.0, 0.0, 0.17]  # 170 mm of one joint of 17 are 10 mm of all
    joints[:30] = np.nan
    root = view.root.numpy() + np.float32([0.03, 0.0, 0.04])
    sums = measure(view, motion_of(view, joints, root), anatomy)
    values = means(sums)
    assert values["mpjpe"] == pytest.approx(10, abs=0.02)
    larger = means(measure(view, motion_of(view, 1.1 * view.joints[:, :17].numpy()), anatomy))
    assert larger["p_mpjpe"] < 0.01 < 10 < larger["mpjpe"]
    assert values["root"] == pytest.approx(50, abs=0.01)
    assert values["empty"] == pytest.approx(20)
    assert "hidden" not in values
    assert sums["impossible"][1] == 120, "empty frames are not looked at"


def test_hidden_joints_are_measured_where_they_were_hidden(views, anatomy):
    view = views[1]
    hidden = torch.zeros(len(view), 28, dtype=torch.bool)
    hidden[50:100, CMU28.index("left_wrist")] = True
    changed = hide(view, hidden)
    gone = hidden_joints(view, changed)
    assert gone.sum() == 50
    assert gone[50:100, H36M17.index("left_wrist")].all()
    base = view.joints[:, :17].numpy().copy()
    base[:, H36M17.index("left_wrist"), 0] += 0.01
    joints = base.copy()
    joints[50:75, H36M17.index("left_wrist"), 0] += 0.10
    joints[:40, H36M17.index("left_knee"), 0] += 1.0  # outside the spell: of no account to it
    values = means(measure(changed, motion_of(view, joints), anatomy, gone, motion_of(view, base)))
    assert values["hidden"] == pytest.approx((110 + 10) / 2, abs=0.01)
    assert values["seen"] == pytest.approx(10, abs=0.01)
    straight = means(measure(changed, motion_of(view, base), anatomy, gone, motion_of(view, base)))
    assert straight["bones"] < 2


def test_impossible_frames_of_a_spell(views, anatomy):
    view = views[0]
    joints = view.joints[:, :17].numpy().copy()
    elbow, wrist = H36M17.index("left_elbow"), H36M17.index("left_wrist")
    joints[:50, wrist] += 2 * (joints[:50, wrist] - joints[:50, elbow])
    hidden = torch.zeros(len(view), 17, dtype=torch.bool)
    hidden[25:75, 3] = True
    motion = motion_of(view, joints)
    assert means(measure(view, motion, anatomy))["impossible"] == pytest.approx(100 / 3)
    assert means(measure(view, motion, anatomy, hidden, motion))["impossible"] == pytest.approx(50)


def test_subjects_weigh_the_same(views, weights, anatomy, monkeypatch):
    """One subject with two views, another with one: by hand from the views' own errors."""
    third = replace(views[0], subject="another", name="c")
    errors = {"a": 10.0, "b": 30.0, "c": 50.0}

    def lift(view, condition, weights):
        joints = view.joints[:, :17].numpy().copy()
        joints[:, 1:] += np.float32([errors[view.name] * 17 / 16 / 1000, 0, 0])
        return motion_of(view, joints)

    monkeypatch.setattr(robustness, "lift", lift)
    rows = list(run([*views, third], weights, anatomy, [Condition("part", "row"), Condition("part", "again")]))
    assert rows[0]["mpjpe"] == pytest.approx((20 + 50) / 2, abs=0.01)
    assert rows[0]["change"] == rows[1]["change"] == 0
    assert np.isnan(rows[0]["hidden"])


def test_cameras(views):
    view = views[0]
    true = robustness.true_camera(view)
    assert true.fov == pytest.approx(np.degrees(2 * np.arctan(0.5)))
    assert wrong_camera(1.15)(view).fov == pytest.approx(1.15 * true.fov)
    assert robustness.assumed_camera(view).source == "assumed"


def test_a_given_height_brings_the_true_size(views, weights):
    lifted = robustness.lift(views[0], Condition("", "", tall=True), weights)
    true = robustness.estimate_height(views[0].joints[:, :17].numpy(), H36M17).metres
    assert robustness.estimate_height(lifted.joints, H36M17).metres == pytest.approx(true, rel=1e-4)


@pytest.fixture
def small(weights, monkeypatch):
    monkeypatch.setattr(robustness, "load_weights", lambda name: weights)


def test_all_tables(cmu_files, tmp_path, small, monkeypatch, capsys):
    corpus, bench = cmu_files
    out = tmp_path / "out.md"
    threads = torch.get_num_threads()
    arguments = ["--corpus", corpus, "--bench", bench, "--limit", 1, "--joints", "coco17", "--out", out]
    monkeypatch.setattr("sys.argv", ["robustness.py", *map(str, arguments)])
    robustness.main()
    torch.set_num_threads(threads)
    text = out.read_text()
    assert text.strip() in capsys.readouterr().out
    with open(out.with_suffix(".csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["condition"] for row in rows] == [row.name for row in conditions("coco17")]
    assert set(COLUMNS) < set(rows[0])
    by_name = {row["condition"]: row for row in rows}
    for row in rows:
        assert 0 < float(row["mpjpe"]) < 2000
        assert f"| {row['condition']} | {float(row['mpjpe']):.1f} |" in text
    assert float(by_name["no legs, hips to ankles"]["hidden"]) > 0
    assert by_name["120 fps"]["hidden"] == "nan"
    assert float(by_name["given"]["root"]) != float(by_name["not known"]["root"])
