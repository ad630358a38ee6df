from dataclasses import replace

import numpy as np
import pytest
import torch

from poselift import metrics as M
from poselift.core.errors import InputError
from poselift.reports.comparison import compare
from poselift.reports.evaluation import score_view, summarise
from poselift.reports.protocols import get_protocol
from poselift.skeleton import H36M17

CMU = get_protocol("cmu_bench")


@pytest.fixture(scope="module")
def scores(views, predicted):
    return [score_view(view, predicted[view.name], H36M17, CMU) for view in views]


def test_numbers_are_those_of_the_functions(views, predicted, scores, truth):
    results = summarise(scores, CMU)
    poses = [torch.from_numpy(pose).double() for pose in predicted.values()]
    truths = [torch.from_numpy(truth(view)).double() for view in views]
    pairs = [(pose - pose[:, :1], right) for pose, right in zip(poses, truths, strict=True)]
    pred, target = (torch.cat(side) for side in zip(*pairs, strict=True))
    functions = {
        "mpjpe": M.joint_errors,
        "p_mpjpe": M.aligned_joint_errors,
        "n_mpjpe": M.scaled_joint_errors,
        "pck150": M.correct_joints,
        "auc": M.joint_areas,
    }
    for name, function in functions.items():
        assert results["metrics"][name]["frames"] == pytest.approx(float(function(pred, target).mean()), rel=1e-9)
    # Not across the ends of clips.
    steps = [M.velocity_errors(*pair).mean() for pair in pairs]
    assert results["metrics"]["mpjve"]["frames"] == pytest.approx(float(torch.stack(steps).mean()), rel=1e-9)
    wrist = H36M17.index("left_wrist")
    per_joint = M.joint_errors(pred, target).mean(0)
    assert results["metrics"]["mpjpe"]["joints"]["left_wrist"] == pytest.approx(float(per_joint[wrist]), rel=1e-9)
    for name, strict in (("pcp", True), ("pcp_mean", False)):
        expected = float(M.correct_limbs(pred, target, H36M17, strict=strict).mean())
        assert results["limbs"][name]["mean"] == pytest.approx(expected)
    assert results["limbs"]["pcp"]["mean"] < results["limbs"]["pcp_mean"]["mean"]
    curve = results["curves"]["pdj"]
    detected = M.detected_joints(pred, target, H36M17, curve["thresholds"])
    np.testing.assert_allclose(curve["mean"], detected.mean((0, 2)).numpy())
    pixels = [compare(view, pose, H36M17, CMU).pixels() for view, pose in zip(views, predicted.values(), strict=True)]
    correct = M.correct_pixels(*(torch.cat(side) for side in zip(*pixels, strict=True)))
    assert results["metrics"]["pck2d"]["frames"] == pytest.approx(float(correct.mean()), rel=1e-9)
    assert 50 < results["metrics"]["pck2d"]["mean"] < 100


def test_the_headline_is_the_mean_over_groups_or_over_frames(views, predicted, make_view, truth):
    short = make_view(truth(views[0])[:10], subject="other")
    first = predicted[views[0].name]
    pairs = [(views[0], first, CMU), (short, first[:10] + 0, CMU)]
    pairs[1][1][:, 1:] += 0.3
    mpjpe = summarise([score_view(view, pose, H36M17, p) for view, pose, p in pairs], CMU)["metrics"]["mpjpe"]
    first, second = mpjpe["groups"][views[0].subject], mpjpe["groups"]["other"]
    assert mpjpe["mean"] == pytest.approx((first + second) / 2)
    assert mpjpe["frames"] == pytest.approx((60 * first + 10 * second) / 70)
    pooled = get_protocol("surreal")
    mpjpe = summarise([score_view(view, pose, H36M17, pooled) for view, pose, _ in pairs], pooled)["metrics"]["mpjpe"]
    assert mpjpe["mean"] == mpjpe["frames"] != pytest.approx(sum(mpjpe["groups"].values()) / 2)


def test_a_prediction_without_unit_has_only_what_scale_does_not_change(views, predicted):
    protocol = get_protocol("h36m_p2")
    walking = [score(view, pose, protocol) for view, pose in zip(views, predicted.values(), strict=True)]
    results = summarise(walking, protocol)
    assert set(results["metrics"]) == {"p_mpjpe", "n_mpjpe", "mjae", "bone_variation"}
    assert results["limbs"] == results["curves"] == {}
    larger = [score(view, 7 * pose, protocol) for view, pose in zip(views, predicted.values(), strict=True)]
    for name, metric in summarise(larger, protocol)["metrics"].items():
        assert metric["mean"] == pytest.approx(results["metrics"][name]["mean"], rel=1e-4)
    with pytest.raises(InputError, match="protocol h36m_p1 compares by mpjpe, which predictions without a unit"):
        summarise(walking, get_protocol("h36m_p1"))


def score(view, pose, protocol):
    return score_view(replace(view, action="Walking 1"), pose, H36M17, protocol, lengths=False)


def test_nothing_to_count_is_said(make_view):
    nothing = make_view(np.full((5, 17, 3), np.nan))
    with pytest.raises(InputError, match="no frame counts under protocol cmu_bench"):
        summarise([score_view(nothing, np.zeros((5, 17, 3), np.float32), H36M17, CMU)], CMU)
