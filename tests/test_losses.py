import pytest
import torch

from poselift.losses import bone_length_loss, position_loss, scale_free_loss, velocity_loss
from poselift.skeleton import H36M17


@pytest.fixture
def pair():
    generator = torch.Generator().manual_seed(0)
    predicted, target = torch.randn(2, 2, 5, 17, 3, generator=generator, dtype=torch.float64)
    return predicted, target, torch.ones(2, 5, 17, dtype=torch.bool)


TIMES = torch.arange(5).expand(2, 5).double() * 0.5


def test_hand_computed():
    predicted = torch.zeros(1, 2, 2, 3)
    target = torch.zeros(1, 2, 2, 3)
    target[0, 1, 1] = torch.tensor([3.0, 4.0, 0.0])
    mask = torch.ones(1, 2, 2, dtype=torch.bool)
    assert float(position_loss(predicted, target, mask)) == pytest.approx(5 / 4)
    # The second joint is off by 5 m more after 0.5 s: 10 m/s, over two joints.
    assert float(velocity_loss(predicted, target, mask, torch.tensor([[0.0, 0.5]]))) == pytest.approx(5.0)
    assert float(bone_length_loss(predicted, target, mask, ((0, 1),))) == pytest.approx(2.5, abs=1e-3)


def test_what_does_not_count_has_no_say(pair):
    predicted, target, mask = pair
    mask[:, :, 4] = False
    changed = predicted.clone()
    changed[:, :, 4] += 10
    for loss in (position_loss, scale_free_loss):
        assert loss(changed, target, mask) == loss(predicted, target, mask)
    assert velocity_loss(changed, target, mask, TIMES) == velocity_loss(predicted, target, mask, TIMES)
    bones = H36M17.bone_indices
    assert bone_length_loss(changed, target, mask, bones) == bone_length_loss(predicted, target, mask, bones)


def test_nothing_that_counts_is_zero_with_a_gradient(pair):
    predicted, target, mask = pair
    predicted.requires_grad_()
    none = torch.zeros_like(mask)
    total = position_loss(predicted, target, none) + velocity_loss(predicted, target, none, TIMES)
    total = total + scale_free_loss(predicted, target, none) + bone_length_loss(predicted, target, none, ((0, 1),))
    total.backward()
    assert total.item() == 0
    assert (predicted.grad == 0).all()


def test_invariances(pair):
    _, target, mask = pair
    assert scale_free_loss(3 * target, target, mask) < 1e-6
    moved = target + torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    assert velocity_loss(moved, target, mask, TIMES) < 1e-9
    assert bone_length_loss(moved, target, mask, H36M17.bone_indices) < 1e-6


def test_a_perfect_prediction_has_a_finite_gradient(pair):
    _, target, mask = pair
    predicted = target.clone().requires_grad_()
    position_loss(predicted, target, mask).backward()
    assert predicted.grad.isfinite().all()
