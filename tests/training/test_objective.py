from dataclasses import replace

import cv2
import numpy as np
import pytest
import torch

from poselift.losses import position_loss, reprojection_loss, symmetry_loss
from poselift.skeleton import CMU28, H36M17
from poselift.training.objective import LOSSES, Objective


@pytest.fixture
def batch(batches):
    return next(iter(batches(1, batch_size=4)))


def predict(batch):
    noise = torch.randn(batch.joints.shape, generator=torch.Generator().manual_seed(0))
    return batch.joints.nan_to_num() + 0.05 * noise


def test_the_sum_is_weighted(batch):
    weights = {name: 0.1 * (1 + number) for number, name in enumerate(LOSSES)}
    uncertainty = torch.full_like(batch.joints[..., 0], 0.1)
    losses = Objective(weights, CMU28, H36M17)(predict(batch), batch, uncertainty)
    total = sum(weight * losses[name] for name, weight in weights.items())
    torch.testing.assert_close(losses.pop("loss"), total)
    assert set(losses) == set(LOSSES)
    assert all(float(value) > 0 for value in losses.values())


def test_losses_of_weight_zero_are_left_out(batch):
    assert set(Objective({"position": 1, "velocity": 0.0}, CMU28, H36M17)(predict(batch), batch)) == {
        "position",
        "loss",
    }


def test_the_newest_frames_have_a_loss_of_their_own(batch):
    predicted = batch.joints.nan_to_num()
    objective = Objective({"newest": 1.0}, CMU28, H36M17)
    early, late = predicted.clone(), predicted.clone()
    early[:, :-4] += 0.1
    late[:, -4:] += 0.1
    assert float(objective(early, batch)["loss"]) < 1e-3
    assert float(objective(late, batch)["loss"]) == pytest.approx(0.1 * 3**0.5, rel=0.01)


def test_without_3d_the_keypoints_are_what_is_compared_with(batch):
    """Shared joints by name, weighted by their scores; through the lens where it bends."""
    distortion = torch.tensor([0.1, -0.05, 0.001, 0.002, 0.0]).expand(4, 5)
    unknown = torch.full_like(batch.joints, torch.nan)
    flat = replace(batch, joints=unknown, root=torch.full_like(batch.root, torch.nan), distortion=distortion)
    predicted = predict(batch)
    losses = Objective({"position": 1.0, "reprojection": 2.0, "symmetry": 0.5}, CMU28, H36M17)(predicted, flat)
    rays = torch.full_like(unknown, torch.nan)
    scores = torch.zeros(unknown.shape[:-1])
    for k, joint in enumerate(H36M17.joints):
        if joint in CMU28.joints:
            j = CMU28.index(joint)
            rays[:, :, k] = undistorted(batch.keypoints[:, :, j], batch.K, distortion)
            scores[:, :, k] = batch.scores[:, :, j].where(rays[:, :, k].isfinite().all(-1), 0.0)
    assert losses["position"] == 0
    torch.testing.assert_close(losses["reprojection"], reprojection_loss(predicted, rays, scores), rtol=1e-3, atol=0)
    torch.testing.assert_close(losses["symmetry"], symmetry_loss(predicted, batch.valid, H36M17))


def undistorted(pixels, K, distortion):
    """By OpenCV."""
    rays = [
        cv2.undistortPoints(pixels[b].double().numpy()[:, None], K[b].double().numpy(), distortion[b].double().numpy())
        for b in range(len(pixels))
    ]
    return torch.nn.functional.pad(torch.tensor(np.stack(rays))[:, :, 0].float(), (0, 1), value=1.0)


def test_a_batch_of_both_kinds(batch):
    """A window without 3D changes nothing in the losses of the others' 3D."""
    joints, root = batch.joints.clone(), batch.root.clone()
    joints[2], root[2] = torch.nan, torch.nan
    mixed, predicted = replace(batch, joints=joints, root=root), predict(batch)
    losses = Objective({"position": 1.0, "reprojection": 1.0}, CMU28, H36M17)(predicted, mixed)
    kept = [0, 1, 3]
    mask = batch.joints[kept].isfinite().all(-1) & batch.valid[kept, :, None]
    torch.testing.assert_close(
        losses["position"], position_loss(predicted[kept], batch.joints[kept].nan_to_num(), mask)
    )
    assert losses["reprojection"] > 0


def test_joints_beyond_human36m_weigh_less(batch):
    """The feet of a lifter that gives them: off by as much, they cost 0.3 of what another joint costs."""
    skeleton = CMU28
    batch = replace(batch, joints=torch.zeros(*batch.valid.shape, len(skeleton), 3))
    objective = Objective({"position": 1.0}, CMU28, skeleton)
    costs = []
    for joint in ("left_ankle", "left_heel"):
        predicted = batch.joints.clone()
        predicted[:, :, skeleton.index(joint), 0] = 1.0
        costs.append(float(objective(predicted, batch)["loss"]))
    assert costs[1] / costs[0] == pytest.approx(0.3)
    assert costs[0] == pytest.approx(1 / (17 + 11 * 0.3))
