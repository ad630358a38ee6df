"""Each class gives what its function gives, however the data is cut into batches."""

import copy
import itertools
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from torchmetrics import MetricCollection

from poselift import metrics
from poselift.metrics import functional as F
from poselift.skeleton import H36M17

CLIPS, FRAMES, JOINTS = 6, 5, len(H36M17)


def inputs(*kinds: str) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    target = torch.randn(CLIPS, FRAMES, JOINTS, 3, generator=generator)
    pred = target + 0.1 * torch.randn(target.shape, generator=generator)
    mask = torch.rand(target.shape[:-1], generator=generator) < 0.8
    size = 0.5 + torch.rand(CLIPS, FRAMES, generator=generator)
    everything = {
        "pred": pred,
        "target": target,
        "mask": mask,
        "root": pred[..., 0, :],
        "target_root": target[..., 0, :],
        "root_mask": mask[..., 0],
        "pred2d": pred[..., :2],
        "target2d": target[..., :2],
        "size": size,
        "scale": 0.1 + size[..., None, None].expand(pred[..., :1].shape),
    }
    return tuple(everything[kind] for kind in kinds)


PAIR = ("pred", "target", "mask")
PAIR2D = ("pred2d", "target2d", "mask")
SIZED = ("pred2d", "target2d", "size", "mask")
SIZED3D = ("pred", "target", "size", "mask")
ROOTS = ("root", "target_root", "root_mask")
SPREAD = ("pred", "target", "scale", "mask")
SIGMAS = (0.1,) * JOINTS

CASES = {
    "mpjpe": (metrics.MPJPE(), F.mpjpe, PAIR),
    "p_mpjpe": (metrics.PMPJPE(), F.p_mpjpe, PAIR),
    "n_mpjpe": (metrics.NMPJPE(), F.n_mpjpe, PAIR),
    "mrpe": (metrics.MRPE(), F.mrpe, ROOTS),
    "epe": (metrics.EPE(), F.epe, PAIR2D),
    "mpjve": (metrics.MPJVE(), F.mpjve, PAIR),
    "acceleration": (metrics.AccelerationError(), F.acceleration_error, PAIR),
    "jitter": (metrics.Jitter(50.0), lambda p, m: F.jitter(p, 50.0, m), ("pred", "mask")),
    "pck3d": (metrics.PCK3D(100.0), lambda p, t, m: F.pck3d(p, t, m, 100.0), PAIR),
    "auc3d": (metrics.AUC3D(), F.auc3d, PAIR),
    "pck": (metrics.PCK(0.1), lambda p, t, s, m: F.pck(p, t, s, 0.1, m), SIZED),
    "pckh": (metrics.PCKh(), F.pckh, SIZED),
    "pck_in_3d": (metrics.PCK(0.1), lambda p, t, s, m: F.pck(p, t, s, 0.1, m), SIZED3D),
    "pdj": (metrics.PDJ(H36M17), lambda p, t, m: F.pdj(p, t, H36M17, m), PAIR2D),
    "pdj_in_3d": (metrics.PDJ(H36M17, 0.1), lambda p, t, m: F.pdj(p, t, H36M17, m, 0.1), PAIR),
    "pcp": (metrics.PCP(H36M17, 0.2, False), lambda p, t, m: F.pcp(p, t, H36M17, m, 0.2, False), PAIR2D),
    "pcp_in_3d": (metrics.PCP(H36M17, 0.1), lambda p, t, m: F.pcp(p, t, H36M17, m, 0.1), PAIR),
    "mjae": (metrics.MJAE(H36M17), lambda p, t, m: F.mjae(p, t, H36M17, m), PAIR),
    "mjae_in_2d": (metrics.MJAE(H36M17), lambda p, t, m: F.mjae(p, t, H36M17, m), PAIR2D),
    "bone_length": (metrics.BoneLengthError(H36M17), lambda p, t, m: F.bone_length_error(p, t, H36M17, m), PAIR),
    "bone_variation": (
        metrics.BoneLengthVariation(H36M17),
        lambda p, m: F.bone_length_variation(p, H36M17, m),
        ("pred", "mask"),
    ),
    "trajectory": (metrics.TrajectoryError("rigid"), lambda p, t, m: F.trajectory_error(p, t, "rigid", m), ROOTS),
    "oks": (metrics.OKS(SIGMAS), lambda p, t, s, m: F.oks(p, t, s, m, SIGMAS).nanmean(), SIZED),
    "gaussian_nll": (metrics.GaussianNLL(), F.gaussian_nll, SPREAD),
    "laplace_nll": (metrics.LaplaceNLL(), F.laplace_nll, SPREAD),
    "calibration": (
        metrics.CalibrationError("laplace"),
        lambda p, t, s, m: F.calibration_error(p, t, s, "laplace", m),
        SPREAD,
    ),
}


@pytest.fixture(params=CASES)
def case(request):
    metric, function, kinds = CASES[request.param]
    return copy.deepcopy(metric), function, inputs(*kinds)


def test_every_class_is_a_case():
    covered = {type(metric).__name__ for metric, _, _ in CASES.values()}
    assert covered | {"OKSAP", "PerGroup"} == set(metrics.__all__)


@given(cuts=st.sets(st.integers(1, CLIPS - 1)))
@settings(deadline=None, max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_batching_gives_the_function(case, cuts):
    metric, function, tensors = case
    metric.reset()
    ends = [0, *sorted(cuts), CLIPS]
    for start, end in itertools.pairwise(ends):
        metric.update(*(x[start:end] for x in tensors))
    value = metric.compute()
    assert value.dtype == torch.float64
    assert_close(value, function(*tensors))


def test_merging_adds_up(case):
    metric, function, tensors = case
    other = copy.deepcopy(metric)
    metric.update(*(x[:2] for x in tensors))
    other.update(*(x[2:] for x in tensors))
    metric.merge_state(other)
    assert_close(metric.compute(), function(*tensors))


def test_nothing_counted_is_nan(case):
    metric, _, (*tensors, mask) = case
    metric.update(*tensors, torch.zeros_like(mask))
    assert metric.compute().isnan()
    assert metric.count.sum() == 0


def test_survives_half_precision_pickling_and_reset(case):
    metric, function, tensors = case
    metric = pickle.loads(pickle.dumps(metric)).half()
    metric.update(*(x[:1] for x in tensors))
    metric.reset()
    metric.update(*tensors)
    assert_close(metric.compute(), function(*tensors))


def test_entries_are_kept_apart():
    pred, target, mask = inputs(*PAIR)
    metric = metrics.MPJPE(entries=JOINTS)
    for clip in range(CLIPS):
        metric.update(pred[clip], target[clip], mask[clip])
    assert_close(metric.compute(), F.joint_errors(pred, target, mask).mean_per_entry())
    assert_close(metric.count, mask.sum((0, 1)).double())
    with pytest.raises(ValueError, match="keeps 3 entries"):
        metrics.MPJPE(entries=3).update(pred, target, mask)


def test_a_collection_does_not_take_equal_numbers_for_equal_metrics():
    pred, target, _ = inputs(*PAIR)
    collection = MetricCollection({"auc": metrics.AUC3D(), "50": metrics.PCK3D(50.0), "150": metrics.PCK3D()})
    collection.update(target + 9, target)  # nothing is right at first: three zeros
    collection.update(pred, target)
    both = torch.cat((target + 9, pred)), torch.cat((target, target))
    found = collection.compute()
    assert_close(found["auc"], F.auc3d(*both))
    assert_close(found["50"], F.pck3d(*both, threshold_mm=50.0))
    assert_close(found["150"], F.pck3d(*both))


def make_images():
    generator = torch.Generator().manual_seed(0)
    made = []
    for count in (0, 1, 3, 4):
        target = 300 * torch.rand(count, 1, 2, generator=generator) + 50 * torch.rand(count, 17, 2, generator=generator)
        found = torch.cat((target + 4 * torch.randn(target.shape, generator=generator), torch.rand(1, 17, 2)))
        made.append(
            F.PosesInImage(
                found,
                torch.rand(count + 1, generator=generator),
                target,
                torch.full((count,), 2500.0),
                torch.rand(count, 17, generator=generator) < 0.8,
            )
        )
    return made


@pytest.fixture
def images():
    return make_images()


@pytest.mark.parametrize("cut", [0, 1, 2, 4])
def test_average_precision_over_any_batching(images, cut):
    metric = metrics.OKSAP()
    metric.update(images[:cut])
    metric.update(images[cut:])
    expected = F.oks_ap(images)
    assert 0 < expected < 1
    assert_close(metric.compute(), expected)


def test_average_precision_of_merged_metrics(images):
    metric, other = metrics.OKSAP(), metrics.OKSAP()
    metric.update(images[:2])
    other.update(images[2:])
    metric.merge_state(other)
    assert_close(metric.compute(), F.oks_ap(images))


def test_average_precision_of_nothing_is_nan():
    metric = metrics.OKSAP()
    metric.update([])
    assert metric.compute().isnan()


def test_by_group():
    pred, target, mask = inputs(*PAIR)
    metric = metrics.PerGroup(metrics.MPJPE(), ["walk", "sit", "nobody"])
    for clip in range(CLIPS):
        metric.update("walk" if clip < 4 else "sit", pred[clip], target[clip], mask[clip])
    found = metric.compute()
    walk, sit = F.mpjpe(pred[:4], target[:4], mask[:4]), F.mpjpe(pred[4:], target[4:], mask[4:])
    assert_close((found["walk"], found["sit"]), (walk, sit))
    assert_close(found["mean"], (walk + sit) / 2)
    assert found["nobody"].isnan()
    metric.reset()
    assert metric.compute()["mean"].isnan()
    with pytest.raises(ValueError, match="'run'; there are walk, sit"):
        metric.update("run", pred, target, mask)


@pytest.mark.parametrize(
    "function",
    sorted({function.__name__ for _, function, _ in CASES.values()} - {"<lambda>"})
    + ["jitter", "pck3d", "pck", "pdj", "pcp", "mjae", "bone_length_error", "bone_length_variation"]
    + ["trajectory_error", "oks", "oks_ap", "calibration_error"],
)
def test_every_metric_says_what_it_is(function):
    text = getattr(F, function).__doc__
    for part in ("Formula:", "Source:", "Range:", "Unseen:", "Traps:"):
        assert part in text
    assert "NaN" in text or "as for `pck`" in text


def test_over_two_real_processes(tmp_path):
    """Each of two processes sees its own clips, of unequal number; both then have the value of all."""
    script = Path(__file__).parent / "two_processes.py"
    workers = [
        subprocess.Popen([sys.executable, str(script), str(rank), str(tmp_path)], stderr=subprocess.PIPE, text=True)
        for rank in (0, 1)
    ]
    for worker in workers:
        _, errors = worker.communicate(timeout=120)
        assert worker.returncode == 0, errors
    for rank in (0, 1):
        found = torch.load(tmp_path / f"{rank}.pt", weights_only=True)
        assert set(found) == {*CASES, "oks_ap", "walk", "sit", "mean"}
        for name, (_, function, kinds) in CASES.items():
            assert_close(found[name], function(*inputs(*kinds)), msg=lambda text, name=name: f"{name}: {text}")
        assert_close(found["oks_ap"], F.oks_ap(make_images()))
        pred, target, mask = inputs(*PAIR)
        assert_close(found["walk"], F.mpjpe(pred[:2], target[:2], mask[:2]))
        assert_close(found["sit"], F.mpjpe(pred[2:], target[2:], mask[2:]))
