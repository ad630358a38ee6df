import numpy as np
import pytest
import torch

from benchmarks import uncertainty
from poselift.models import SpatioTemporalLifter, save_weights
from tests.benchmarks.conftest import SMALL

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
