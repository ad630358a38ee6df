from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.data.virtual import VirtualSampler
from poselift.models import EncoderDecoder, EncoderDecoderConfig, RecurrentConfig, build_model
from poselift.optim.schedules import linear_warmup
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.training.masking import Masking
from poselift.training.task import LiftingTask

DEFAULT = {"position": 1.0, "velocity": 0.05, "scale_free": 0.5, "bone_length": 0.2}


@pytest.fixture
def batch(batches):
    return next(iter(batches(1, batch_size=8)))


@pytest.fixture
def make_task(monkeypatch, lifter):
    def make(loss=DEFAULT, rate=5e-3, **options):
        torch.manual_seed(0)
        new = build_model(lifter.config)
        task = LiftingTask(new, partial(torch.optim.AdamW, lr=rate), linear_warmup(5), loss, 0.02, 24, **options)
        monkeypatch.setattr(task, "log", lambda *arguments, **options: None)  # there is no trainer
        return task

    return make


def train(task, batch, change=lambda batch, step: batch):
    """The mean loss of the last of 40 steps, all on one batch, which is changed in each."""
    optimizer = task.configure_optimizers()["optimizer"]
    losses = []
    for step in range(40):
        loss = task.training_step(change(batch, step), step)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses[-10:]) / 10


def shuffled(batch, step):
    """Keypoints of other windows, of others in each step."""
    shift = 1 + step % (len(batch.valid) - 1)
    return replace(batch, keypoints=batch.keypoints.roll(shift, 0), scores=batch.scores.roll(shift, 0))


@pytest.mark.slow
def test_it_learns_from_the_keypoints(make_task, batch):
    """With its own keypoints it gets well below the mean pose, which is all that others' keypoints can teach."""
    assert train(make_task(rate=1e-2), batch) < 0.8 * train(make_task(rate=1e-2), batch, shuffled)


def test_hidden_keypoints_do_not_reach_the_lifter_and_are_asked_for(make_task, batch):
    everything = make_task(masking=Masking(joints=1.0))
    assert everything.training_step(batch, 0).item() > 0
    nothing = replace(batch, keypoints=torch.full_like(batch.keypoints, torch.nan))
    plain = make_task()
    assert everything.training_step(batch, 0).item() == plain.training_step(nothing, 0).item()


def test_norms_and_biases_are_not_decayed(make_task):
    task = make_task()
    decayed, plain = task.configure_optimizers()["optimizer"].param_groups
    assert decayed["weight_decay"] == 0.02
    assert plain["weight_decay"] == 0.0
    assert all(p.ndim >= 2 for p in decayed["params"])
    assert sum(len(group["params"]) for group in (decayed, plain)) == len(list(task.parameters()))


def test_what_writes_pose_after_pose_is_fed_the_truth_in_training_and_its_own_in_use(make_task, batch, monkeypatch):
    task = make_task()
    task.lifter = EncoderDecoder(EncoderDecoderConfig(dim=16, depth=1, heads=2, noise=0.0))
    fed = []
    forward = task.lifter.forward
    monkeypatch.setattr(
        task.lifter, "forward", lambda encoded, target=None: fed.append(target) or forward(encoded, target)
    )
    task.training_step(batch, 0).backward()
    assert fed[0] is batch.joints
    assert task.lifter.decoder_in.weight.grad.any(), "the truth has gone in"
    task.eval()
    task.on_validation_epoch_start()
    with torch.no_grad():
        task.validation_step(render_views(synthetic_corpus(1, 30, seed=0), seed=0)[0].convert(CMU28, H36M17), 0)
    assert fed[1:] == [None] * (len(fed) - 1)


@pytest.fixture
def coco_batch():
    source = VirtualSampler(synthetic_corpus(2, 60, seed=0), 8, CMU28, COCO17, {"cmu28": 1.0})
    return source.sample(2, torch.Generator().manual_seed(0))


def test_a_decoder_is_fed_poses_as_it_gives_them(coco_batch, monkeypatch):
    """Relative to the first joint, here the nose, and not to the pelvis as the data."""
    lifter = EncoderDecoder(EncoderDecoderConfig(skeleton_out=COCO17.name, dim=16, heads=2))
    task = LiftingTask(lifter, partial(torch.optim.AdamW, lr=1e-3), linear_warmup(5), DEFAULT, 0.02, 8)
    monkeypatch.setattr(task, "log", lambda *arguments, **options: None)
    fed, from_camera = [], lifter.from_camera
    monkeypatch.setattr(
        lifter, "from_camera", lambda joints, encoded: fed.append(joints) or from_camera(joints, encoded)
    )
    task.training_step(coco_batch, 0)
    assert (fed[0][:, :, 0] == 0).all()
    assert (coco_batch.joints[:, :, 0].norm(dim=-1) > 0.2).all()


def test_validation_is_relative_to_the_first_joint(monkeypatch):
    view = render_views(synthetic_corpus(1, 40, seed=0), seed=1)[0]
    view = view.convert(view.keypoint_skeleton, COCO17)
    lifter = build_model(RecurrentConfig(skeleton_out=COCO17.name, dim=8))
    task = LiftingTask(lifter, partial(torch.optim.AdamW, lr=1e-3), linear_warmup(5), DEFAULT, 0.02, 8)
    exact = view.joints - view.joints[:, :1]
    monkeypatch.setattr("poselift.training.task.lift", lambda *arguments: SimpleNamespace(joints=exact.numpy()))
    task.on_validation_epoch_start()
    task.validation_step(view, 0)
    errors = task._errors["mpjpe"].means()
    assert list(errors) == [view.subject]
    assert errors[view.subject] < 1e-3


@pytest.fixture
def validated(make_task, monkeypatch):
    """What validation logs of views that the lifter takes for their truth, off by 10 and 40 mm along x."""

    def run(*views):
        task, logged = make_task(), {}
        monkeypatch.setattr(task, "log", lambda name, value, **options: logged.update({name: value}))
        task.on_validation_epoch_start()
        for view in views:
            off = torch.zeros(17, 3)
            off[1:, 0] = {"near": 0.017, "far": 0.068}[view.subject]  # 16 of 17 joints
            poses = SimpleNamespace(joints=(view.joints + off).numpy())
            monkeypatch.setattr("poselift.training.task.lift", lambda *_, poses=poses: poses)
            task.validation_step(view, 0)
        task.on_validation_epoch_end()
        return logged

    return run


def view_of(subject, frames, joints=lambda joints: joints):
    view = render_views(synthetic_corpus(1, frames, seed=0), seed=0)[0].convert(CMU28, H36M17)
    return replace(view, subject=subject, joints=joints(view.joints))


def test_validation_logs_the_mean_over_frames_and_over_subjects(validated):
    logged = validated(view_of("near", 30), view_of("far", 10), view_of("near", 30))
    assert logged["val/mpjpe"] == pytest.approx((6 * 16 + 1 * 64) / 7, rel=1e-4)
    assert logged["val/mpjpe_subjects"] == pytest.approx((16 + 64) / 2, rel=1e-4)
    assert logged["val/mpjve"] == pytest.approx(0, abs=1e-3)
    assert set(logged) == {f"val/{name}{of}" for name in ("mpjpe", "p_mpjpe", "mpjve") for of in ("", "_subjects")}


def test_subjects_without_3d_do_not_count_and_none_at_all_is_refused(validated):
    unknown = view_of("far", 10, lambda joints: torch.full_like(joints, torch.nan))
    assert validated(view_of("near", 10), unknown)["val/mpjpe_subjects"] == pytest.approx(16, rel=1e-4)
    with pytest.raises(ValueError, match="no validation view has 3D joints"):
        validated(unknown)
