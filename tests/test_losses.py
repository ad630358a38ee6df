import itertools
import math

import pytest
import torch

from poselift.geometry import root_from_rays
from poselift.losses import (
    bone_length_loss,
    position_loss,
    reprojection_loss,
    scale_free_loss,
    symmetry_loss,
    uncertainty_loss,
    velocity_loss,
)
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


def test_the_uncertainty_loss_is_least_at_the_quantile():
    """Of errors 1 to 100 mm, 90 are within 90 mm; the loss is by hand there, and larger to both sides."""
    target = torch.zeros(1, 100, 1, 3, dtype=torch.float64)
    predicted = target.clone()
    predicted[0, :, 0, 0] = torch.arange(1, 101) / 1000
    mask = torch.ones(1, 100, 1, dtype=torch.bool)

    def loss(uncertainty):
        return float(
            uncertainty_loss(torch.full((1, 100, 1), uncertainty, dtype=torch.float64), predicted, target, mask)
        )

    by_hand = [0.9 * math.log(k / 90) if k > 90 else 0.1 * math.log(90 / k) for k in range(1, 101)]
    assert loss(0.09) == pytest.approx(sum(by_hand) / 100)
    assert min((loss(k / 1000), k) for k in range(1, 200))[1] in (90, 91)
    # The root joint, whose uncertainty is 0, does not count; the joints get no gradient.
    moved = predicted.requires_grad_()
    uncertainty = torch.tensor([0.0, 0.05], dtype=torch.float64).expand(1, 100, 2)
    both = uncertainty_loss(
        uncertainty, moved.expand(-1, -1, 2, -1), target.expand(-1, -1, 2, -1), mask.expand(-1, -1, 2)
    )
    assert float(both) == pytest.approx(loss(0.05))
    assert not both.requires_grad


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


def seen_from(joints, root):
    """Rays to joints that stand at a root."""
    placed = joints + root
    return placed / placed[..., 2:]


ROOT = torch.tensor([0.4, -0.2, 5.0], dtype=torch.float64)


def test_reprojection_of_a_pose_onto_its_own_picture_is_zero(pair):
    _, target, _ = pair
    rays = seen_from(0.3 * target, ROOT)
    weights = torch.ones(2, 5, 17).double()
    assert reprojection_loss(0.3 * target, rays, weights) < 1e-5
    # 2D does not say how large a person is.
    assert reprojection_loss(0.6 * target, rays, weights) < 1e-5
    assert reprojection_loss(0.3 * target.flip(2), rays, weights) > 0.1


def test_reprojection_is_the_distance_in_the_picture_times_depth(pair):
    """Against a loop over joints; a joint that is seen half as surely counts half."""
    predicted, target, _ = pair
    predicted = 0.3 * target + 0.02 * predicted
    rays = seen_from(0.3 * target, ROOT)
    weights = torch.ones(2, 5, 17).double()
    weights[:, :, 3], weights[:, 0, 8] = 0.5, 0.0
    total = count = 0.0
    root = root_from_rays(predicted, rays, weights)
    for b, t, j in itertools.product(range(2), range(5), range(17)):
        x, y, z = (predicted[b, t, j] + root[b, t]).tolist()
        u, v, _ = rays[b, t, j].tolist()
        total += float(weights[b, t, j]) * math.hypot(x / z - u, y / z - v) * float(root[b, t, 2])
        count += float(weights[b, t, j])
    assert float(reprojection_loss(predicted, rays, weights)) == pytest.approx(total / count)


def test_reprojection_teaches_from_2d_alone(pair):
    """Descent on the picture brings turned limbs back, and never blows up where nothing is seen."""
    predicted, target, _ = pair
    rays = seen_from(0.3 * target, ROOT)
    rays[:, 0] = torch.nan
    weights = torch.ones(2, 5, 17).double()
    weights[:, 0] = 0
    weights[:, 1, 5:] = 0  # five joints do not say where somebody stands
    guess = (0.3 * target + 0.05 * predicted).requires_grad_()
    first = reprojection_loss(guess, rays, weights)
    first.backward()
    assert guess.grad.isfinite().all()
    assert (guess.grad[:, :2] == 0).all()
    assert (guess.grad[:, 2:].abs().sum((0, 2, 3)) > 0).all()
    nearer = guess.detach() - 0.1 * guess.grad / guess.grad.norm()
    assert reprojection_loss(nearer, rays, weights) < first


@pytest.mark.parametrize("scale", [-0.3, 0.0])
def test_reprojection_also_teaches_what_fits_its_picture_upside_down(pair, scale):
    """As an untrained lifter's poses do: by itself such a pose would stand behind the camera."""
    predicted, target, _ = pair
    rays = seen_from(0.3 * target, ROOT)
    weights = torch.ones(2, 5, 17).double()
    guess = (scale * target + 1e-3 * predicted).requires_grad_()
    optimizer = torch.optim.Adam([guess], 0.04)
    assert reprojection_loss(guess.detach(), rays, weights) > 0.01
    for _ in range(80):
        optimizer.zero_grad()
        reprojection_loss(guess, rays, weights).backward()
        assert (guess.grad.abs().sum((-1, -2)) > 0).all()
        optimizer.step()
    root = root_from_rays(guess.detach(), rays, weights)
    placed = guess.detach() + root[..., None, :]
    off = (placed / placed[..., 2:] - rays).abs().amax(-1)
    assert (off < 0.02).double().mean() > 0.95  # these poses are noise: a joint of them may stay behind


def test_symmetry_compares_a_bone_with_its_partner():
    standing = rest_pose()
    mask = torch.ones(1, 1, dtype=torch.bool)
    assert symmetry_loss(standing, mask, H36M17) < 1e-6
    for side in ("left", "right"):
        longer = standing.clone()
        knee, ankle = H36M17.index(f"{side}_knee"), H36M17.index(f"{side}_ankle")
        shin = torch.nn.functional.normalize(longer[..., ankle, :] - longer[..., knee, :], dim=-1)
        longer[..., ankle, :] += 0.1 * shin
        # One of the six pairs is 10 cm apart: hips, knees, ankles, shoulders, elbows, wrists.
        assert float(symmetry_loss(longer, mask, H36M17)) == pytest.approx(0.1 / 6, abs=1e-5)
        assert float(symmetry_loss(longer, ~mask, H36M17)) == 0


def rest_pose():
    """Left and right bones of one length, in a pose that is not symmetric."""
    generator = torch.Generator().manual_seed(0)
    lengths, places = {}, {}
    for row in H36M17.topological_order:
        joint, parent = H36M17.joints[row], H36M17.parents[row]
        name = joint.split("_", 1)[-1]
        lengths.setdefault(name, 0.1 + float(torch.rand((), generator=generator)))
        step = torch.nn.functional.normalize(torch.randn(3, generator=generator), dim=-1) * lengths[name]
        places[joint] = torch.zeros(3) if parent is None else places[parent] + step
    return torch.stack([places[joint] for joint in H36M17.joints])[None, None]
