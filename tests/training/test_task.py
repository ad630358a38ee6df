from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.data.virtual import VirtualSampler
from poselift.models import EncoderDecoder, SpatioTemporalLifter
from poselift.optim.schedules import linear_warmup
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.training.masking import Masking
from poselift.training.task import LiftingTask

DEFAULT = {"position": 1.0, "velocity": 0.05, "scale_free": 0.5, "bone_length": 0.2}


@pytest.fixture
def make_task(monkeypatch, lifter):
    def make(loss=DEFAULT, rate=5e-3, **options):
        torch.manual_seed(0)
        new = type(lifter)(**lifter.config)
        task = LiftingTask(new, partial(torch.optim.AdamW, lr=rate), linear_warmup(5), loss, 0.02, 24, **options)
        monkeypatch.setattr(task, "log", lambda *arguments, **options: None)  # there is no trainer
        return task

    return make


def train(task, data, change=lambda batch: batch):
    """The mean loss of the last steps, on batches that are changed."""
    optimizer = task.configure_optimizers()["optimizer"]
    losses = []
    for index, batch in enumerate(data):
        loss = task.training_step(change(batch), index)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses[-20:]) / 20


def shuffled(batch):
    """Keypoints of other windows."""
    return replace(batch, keypoints=batch.keypoints.roll(1, 0), scores=batch.scores.roll(1, 0))


def without_3d(batch):
    return replace(batch, joints=torch.full_like(batch.joints, torch.nan), root=torch.full_like(batch.root, torch.nan))


def test_it_learns_from_the_keypoints(make_task, batches):
    """With its own keypoints it gets well below the mean pose, which is all that others' keypoints can teach."""
    assert train(make_task(), batches(120)) < 0.8 * train(make_task(), batches(120), shuffled)


def test_it_learns_from_2d_alone(make_task, batches):
    """Windows without any 3D bring it nearer to where keypoints are seen, and the losses of 3D say nothing."""
    task = make_task({**DEFAULT, "reprojection": 1.0, "symmetry": 0.1})
    first = task.training_step(without_3d(next(iter(batches(1)))), 0).item()
    assert train(task, batches(80), without_3d) < 0.5 * first
    assert make_task().training_step(without_3d(next(iter(batches(1)))), 0).item() == 0


def test_hidden_keypoints_do_not_reach_the_lifter_and_are_asked_for(make_task, batches):
    batch = next(iter(batches(1)))
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


def test_settings_that_the_optimizer_refuses_are_said(make_task):
    with pytest.raises(ValueError, match="optimizer or its schedule cannot be made"):
        make_task(rate="").configure_optimizers()


def test_what_writes_pose_after_pose_is_fed_the_truth_in_training_and_its_own_in_use(make_task, batches, monkeypatch):
    task = make_task()
    task.lifter = EncoderDecoder(dim=16, depth=1, heads=2, noise=0.0)
    batch, fed = next(iter(batches(1))), []
    forward = task.lifter.forward
    monkeypatch.setattr(
        task.lifter, "forward", lambda encoded, target=None: fed.append(target) or forward(encoded, target)
    )
    task.training_step(batch, 0).backward()
    assert fed[0] is batch.joints
    assert task.lifter.decoder_in.weight.grad.any(), "the truth has gone in"
    task.eval()
    with torch.no_grad():
        task.validation_step(render_views(synthetic_corpus(1, 30, seed=0), seed=0)[0].converted(CMU28, H36M17), 0)
    assert fed[1:] == [None] * (len(fed) - 1)


def test_the_penalty_of_attention_is_in_the_loss(make_task, batches):
    batch, losses, gradients = next(iter(batches(1))), [], []
    for weight in (0.0, 0.01):
        task = make_task()
        torch.manual_seed(0)
        attention = {"name": "adaptive_span", "max_span": 64, "span_weight": weight}
        task.lifter = SpatioTemporalLifter(**{**task.lifter.config, "attention": attention})
        loss = task.training_step(batch, 0)
        loss.backward()
        losses.append(loss.item())
        gradients.append(task.lifter.time_blocks[0].attention.span_logits.grad.mean().item())
    # One layer, whose spans start at an eighth of the longest.
    assert losses[1] - losses[0] == pytest.approx(0.01 * 8.0, rel=1e-4)
    assert gradients[1] > gradients[0]


@pytest.fixture
def coco_batch():
    source = VirtualSampler(synthetic_corpus(2, 60, seed=0), 8, CMU28, COCO17, {"cmu28": 1.0})
    return source.sample(2, torch.Generator().manual_seed(0))


def test_a_decoder_is_fed_poses_as_it_gives_them(coco_batch, monkeypatch):
    """Relative to the first joint, here the nose, and not to the pelvis as the data."""
    lifter = EncoderDecoder(skeleton_out=COCO17.name, dim=16, heads=2)
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
    view = view.converted(view.keypoint_skeleton, COCO17)
    lifter = SpatioTemporalLifter(skeleton_out=COCO17.name, joint_dim=16, joint_heads=2, frame_dim=32, dim=32, heads=4)
    task = LiftingTask(lifter, partial(torch.optim.AdamW, lr=1e-3), linear_warmup(5), DEFAULT, 0.02, 8)
    exact = view.joints - view.joints[:, :1]
    monkeypatch.setattr("poselift.training.task.lift_view", lambda *arguments: SimpleNamespace(joints=exact.numpy()))
    task.on_validation_epoch_start()
    task.validation_step(view, 0)
    total, count = task._errors["mpjpe", view.subject]
    assert count > 0
    assert total / count < 1e-3
