"""Every class averages the values of its function, however the data is divided into batches, views and processes."""

import pickle

import pytest
import torch
from torch.testing import assert_close
from torchmetrics import MetricCollection

from poselift import metrics as M
from poselift.skeleton import H36M17

CLIPS, FRAMES, JOINTS = 4, 9, len(H36M17)
GENERATOR = torch.Generator().manual_seed(0)
TARGET = torch.randn(CLIPS, FRAMES, JOINTS, 3, generator=GENERATOR)
PRED = TARGET + 0.1 * torch.randn(TARGET.shape, generator=GENERATOR)
MASK = torch.rand(TARGET.shape[:-1], generator=GENERATOR) < 0.8
ANGLES, BONES, LIMBS = len(M.angle_names(H36M17)), len(H36M17.bones), len(M.LIMBS)

# A new metric with its elements apart, and the values of its function.
CASES = {
    "mpjpe": (lambda: M.MPJPE(JOINTS), M.joint_errors),
    "p_mpjpe": (lambda: M.PMPJPE(JOINTS), M.aligned_joint_errors),
    "n_mpjpe": (lambda: M.NMPJPE(JOINTS), M.scaled_joint_errors),
    "mpjve": (lambda: M.MPJVE(JOINTS), M.velocity_errors),
    "acceleration": (lambda: M.AccelerationError(JOINTS), M.acceleration_errors),
    "pck3d": (lambda: M.PCK3D(100.0, JOINTS), lambda p, t, m: M.correct_joints(p, t, m, 100.0)),
    "pck2d": (lambda: M.PCK2D(0.02, JOINTS), lambda p, t, m: M.correct_pixels(p[..., :2], t[..., :2], m, 0.02)),
    "curve": (lambda: M.PCK3DCurve(JOINTS), M.correct_joints_by_threshold),
    "auc3d": (lambda: M.AUC3D(JOINTS), M.joint_areas),
    "pdj": (lambda: M.PDJ(H36M17, (0.1, 0.2), JOINTS), lambda p, t, m: M.detected_joints(p, t, H36M17, (0.1, 0.2), m)),
    "pcp": (lambda: M.PCP(H36M17, False, LIMBS), lambda p, t, m: M.correct_limbs(p, t, H36M17, m, False)),
    "mjae": (lambda: M.MJAE(H36M17, ANGLES), lambda p, t, m: M.angle_errors(p, t, H36M17, m)),
    "bones": (lambda: M.BoneLengthError(H36M17, BONES), lambda p, t, m: M.bone_length_errors(p, t, H36M17, m)),
    "variation": (
        lambda: M.BoneLengthVariation(H36M17, BONES),
        lambda p, _, m: M.bone_length_variations(p, H36M17, m),
    ),
    "jitter": (lambda: M.Jitter(JOINTS), lambda p, _, m: M.jerks(p, 50.0, m)),
}


def update(metric, *clips, pred=PRED, mask=MASK):
    for clip in clips:
        axes = slice(2 if isinstance(metric, M.PCK2D) else 3)
        pair = pred[clip][..., axes], TARGET[clip][..., axes], mask[clip]
        if isinstance(metric, M.PairMetric):
            metric.update(*pair)
        elif isinstance(metric, M.Jitter):
            metric.update(pair[0], 50.0, pair[2])
        else:
            metric.update(pair[0], pair[2])
    return metric


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def test_every_class_is_a_case():
    classes = {name for name in M.__all__ if isinstance(getattr(M, name), type)}
    covered = {type(new()).__name__ for new, _ in CASES.values()}
    assert covered == classes - {"ElementMean", "ElementValues", "PairMetric", "PerGroup"}


def test_batches_views_and_pickles_add_up_to_the_function(case):
    new, function = case
    values = function(PRED, TARGET, MASK)
    axes = tuple(range(values.values.ndim - len(new().keep)))
    expected = values.mean(axes)
    parts = [update(new(), slice(0, 1), slice(1, 3)), pickle.loads(pickle.dumps(update(new(), slice(3, 4))))]
    parts[0].merge_state(parts[1])
    found = parts[0].compute()
    assert found.dtype == torch.float64
    assert_close(found, expected)
    assert_close(parts[0].count, values.counts.sum(axes).double())
    assert_close(parts[0].mean(), values.mean())


def test_nothing_counted_is_nan(case):
    new, _ = case
    metric = update(new(), slice(None), mask=torch.zeros_like(MASK))
    assert metric.compute().isnan().all()
    assert metric.mean().isnan()
    assert metric.count.sum() == 0


def test_a_nan_shows_where_it_counts_and_only_there(case):
    new, function = case
    hidden, shown = (PRED.masked_fill(where[..., None], torch.nan) for where in (~MASK, MASK))
    assert_close(update(new(), slice(None), pred=hidden).mean(), function(PRED, TARGET, MASK).mean())
    assert update(new(), slice(None), pred=shown).mean().isnan()


def test_half_precision_keeps_float64_sums_and_reset_forgets(case):
    new, function = case
    metric = update(new().half(), slice(None))
    metric.reset()
    update(metric, slice(0, 2))
    assert_close(metric.mean(), function(PRED[:2], TARGET[:2], MASK[:2]).mean())


def test_two_processes_have_the_value_of_both(case):
    """By the hooks of torchmetrics: what the other process would send."""
    new, function = case
    mine, other = update(new(), slice(0, 1)), update(new(), slice(1, None))
    sent = {id(getattr(mine, name)): getattr(other, name) for name in mine.metric_state}
    mine.distributed_available_fn = lambda: True
    mine.dist_sync_fn = lambda state, group: [state, sent[id(state)]]
    values = function(PRED, TARGET, MASK)
    assert_close(mine.compute(), values.mean(tuple(range(values.values.ndim - len(mine.keep)))))


def test_without_elements_there_is_one_mean():
    metric = update(M.MPJPE(), slice(None))
    assert_close(metric.compute(), M.joint_errors(PRED, TARGET, MASK).mean())


def test_the_mean_over_one_of_two_kept_axes():
    metric = update(M.PCK3DCurve(JOINTS), slice(None))
    assert_close(metric.mean(1), M.correct_joints_by_threshold(PRED, TARGET, MASK).mean((0, 1, 3)))


def test_a_collection_does_not_take_equal_numbers_for_equal_metrics():
    collection = MetricCollection({"auc": M.AUC3D(), "50": M.PCK3D(50.0), "150": M.PCK3D()})
    collection.update(TARGET + 9, TARGET)  # nothing is correct at first: three zeros
    collection.update(PRED, TARGET)
    both = torch.cat((TARGET + 9, PRED)), torch.cat((TARGET, TARGET))
    found = collection.compute()
    assert_close(found["auc"], M.joint_areas(*both).mean())
    assert_close(found["50"], M.correct_joints(*both, threshold_mm=50.0).mean())
    assert_close(found["150"], M.correct_joints(*both).mean())


def of_clips(clips):
    return update(M.MPJPE(), clips)


@pytest.fixture
def per_group():
    errors = M.PerGroup()
    for group, clip in (("walk", 0), ("sit", 1), ("walk", 2)):
        errors.add(group, of_clips(slice(clip, clip + 1)))
    errors.add("nobody", update(M.MPJPE(), slice(3, 4), mask=torch.zeros_like(MASK)))
    return errors


def error(*clips):
    return float(M.joint_errors(PRED[list(clips)], TARGET[list(clips)], MASK[list(clips)]).mean())


def test_groups_and_their_mean(per_group):
    assert per_group.mean() == pytest.approx((error(0, 2) + error(1)) / 2)
    assert float(per_group.all().mean()) == pytest.approx(error(0, 1, 2))
    assert per_group.means() == pytest.approx({"walk": error(0, 2), "sit": error(1)}), "all() changes no group"


def test_a_nan_that_counts_shows_in_the_mean_of_groups(per_group):
    per_group.add("broken", update(M.MPJPE(), slice(3, 4), pred=PRED * torch.nan))
    assert torch.tensor(per_group.mean()).isnan()


def test_adding_changes_no_view():
    view, errors = of_clips(slice(0, 1)), M.PerGroup()
    errors.add("walk", view)
    errors.add("walk", of_clips(slice(1, 2)))
    assert float(view.mean()) == pytest.approx(error(0))


def test_groups_of_all_processes_are_the_same_in_each(per_group, monkeypatch):
    """What two processes send each other; tests/integration/test_ddp.py has real ones."""
    other = M.PerGroup()
    for group, clip in (("run", 0), ("sit", 3)):
        other.add(group, of_clips(slice(clip, clip + 1)))
    ranks = [per_group, other]

    def all_gather_object(parts, _):
        parts[:] = pickle.loads(pickle.dumps([rank.metrics for rank in ranks]))

    for name, fake in (("is_initialized", lambda: True), ("get_world_size", lambda: 2)):
        monkeypatch.setattr(torch.distributed, name, fake)
    monkeypatch.setattr(torch.distributed, "all_gather_object", all_gather_object)
    found = [rank.gather() for rank in ranks]
    assert (
        found[0].means()
        == found[1].means()
        == pytest.approx({"run": error(0), "sit": error(1, 3), "walk": error(0, 2)})
    )
    assert list(found[0].means()) == ["run", "sit", "walk"]
    assert float(found[0].all().mean()) == float(found[1].all().mean()) == pytest.approx(error(0, 1, 3, 0, 2))
    assert per_group.means().keys() == {"walk", "sit"}, "what was counted here stays as it is"
