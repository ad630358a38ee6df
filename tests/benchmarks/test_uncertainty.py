from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from benchmarks import uncertainty
from poselift.kinematics.whole_body import add_body_uncertainty
from poselift.models import SpatioTemporalLifter, save_weights
from tests.benchmarks.conftest import SMALL
from tests.kinematics.conftest import pose

pytestmark = pytest.mark.slow


def tables(files, tmp_path, capsys, bias):
    """The rows of both tables for a lifter whose uncertainties are all about exp(bias) times 5 cm."""
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(SMALL)
    torch.nn.init.zeros_(lifter.uncertainty_head[2].weight)
    torch.nn.init.constant_(lifter.uncertainty_head[2].bias, bias)
    save_weights(tmp_path / "l.safetensors", lifter, 40, {})
    settings = ["--skeletons", "h36m17", "--keypoints", "det"]
    uncertainty.main([*files[:4], "--weights", str(tmp_path / "l.safetensors"), *settings])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    _, within, head, feet = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    assert head == ["joints in", "2D", "ankles", "big toes", "toes within"]
    return within, feet


@pytest.mark.parametrize(("bias", "share"), [(6.0, "100.0"), (-12.0, "0.0")])
def test_large_uncertainties_hold_all_joints_and_small_ones_none(files, tmp_path, capsys, bias, share):
    within, feet = tables(files, tmp_path, capsys, bias)
    assert within[:3] == ["h36m17", "det", share]
    assert feet[:2] == ["h36m17", "det"]
    assert feet[4] == share
    assert 10 < float(feet[2]) < 5000, "mm"
    assert feet[2] != feet[3]


def test_each_subject_is_judged_by_the_scale_of_the_others():
    """Subject b errs twice as much as a and c."""
    steps = np.linspace(0.01, 1, 100)
    shares = uncertainty.left_out({"coco17 det": {"a": steps, "b": 2 * steps, "c": steps}})["coco17 det"]
    assert shares["b"] == pytest.approx(45, abs=1)
    assert shares["a"] == 100


def test_a_true_body_that_is_lifted_too_large():
    """20 % are beyond the radius of an unknown size, 11 % are not; scaled to its true size it has no error."""
    body = pose({}, 4)
    radii = np.full(body.joints.shape[:2], 1e-3)
    lifted = add_body_uncertainty(replace(body, joints=1.2 * body.joints, uncertainty=radii))
    view = SimpleNamespace(joints=torch.from_numpy(body.joints), skeleton=body.skeleton)
    found = uncertainty.outside(view, lifted, ["left_ankle", "right_wrist"])
    np.testing.assert_array_equal(found[:, :5], np.tile([100.0, 100.0, 100.0, 0.0, 100.0], (8, 1)))
    far = 100 * np.linalg.norm(body.joints[:, body.skeleton.indices(["left_ankle", "right_wrist"])], axis=-1)
    np.testing.assert_allclose(found[:, 5], 1.645 * 0.05 * far.reshape(-1), rtol=1e-3)


def test_people_of_other_sizes(files, capsys):
    settings = ["--skeletons", "h36m17", "--keypoints", "det", "--outside"]
    uncertainty.main([*files, *settings])
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| h36m17 det")]
    assert len(row.strip("| ").split(" | ")) == 9
