import copy

import pytest
import torch
from torch import nn

from poselift.optim.muon import MuonAdamW, _orthogonal


@pytest.fixture
def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(48, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 3))


def groups(model, decay=0.0):
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    rest = [p for p in model.parameters() if p.ndim < 2]
    return [{"params": matrices, "weight_decay": decay}, {"params": rest, "weight_decay": 0.0}]


def step(model, optimizer, seed):
    x = torch.randn(32, 48, generator=torch.Generator().manual_seed(seed))
    optimizer.zero_grad()
    loss = (model(x) - x[:, :3]).square().mean()
    loss.backward()
    optimizer.step()
    return float(loss.detach())


def test_a_matrix_goes_as_far_in_all_directions():
    parameter = nn.Parameter(torch.zeros(64, 48))
    left, right = (torch.linalg.qr(torch.randn(n, 48, generator=torch.Generator().manual_seed(n)))[0] for n in (64, 48))
    parameter.grad = left @ torch.diag(torch.logspace(-1, 1, 48)) @ right.mT
    MuonAdamW([{"params": [parameter]}], lr=0.01).step()
    lengths = torch.linalg.svdvals(parameter.detach())
    # 0.2 sqrt(64) times a rotation, up to what five rounds of Newton and Schulz leave; the gradient's differ 100 times.
    assert float(lengths.max()) < 0.01 * 0.2 * 8 * 1.35
    assert float(lengths.max() / lengths.min()) < 4


@pytest.mark.parametrize("shape", [(40, 64), (48, 48)])
def test_steps_are_those_of_pytorchs_muon_but_for_its_rounding(shape):
    """PyTorch's is in bfloat16, which has three digits."""
    draw = torch.Generator().manual_seed(0)
    own, theirs = (nn.Parameter(torch.ones(shape)) for _ in range(2))
    optimizer = MuonAdamW([{"params": [own], "weight_decay": 0.1}], lr=0.01)
    other = torch.optim.Muon([theirs], 0.01, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for _ in range(3):
        own.grad = torch.randn(shape, generator=draw)
        theirs.grad = own.grad.clone()
        optimizer.step()
        other.step()
    moved = (theirs - 1).norm()
    assert 0 < (own - theirs).norm() < 0.02 * moved
    assert optimizer.state[own].keys() == other.state[theirs].keys(), "checkpoints of both can be resumed"


def test_what_is_no_matrix_is_stepped_as_by_adamw(model):
    other = copy.deepcopy(model)
    optimizer, adamw = MuonAdamW(groups(model), lr=0.01), torch.optim.AdamW(groups(other), 0.01, betas=(0.9, 0.98))
    step(model, optimizer, 0)
    step(other, adamw, 0)
    for name in ("0.bias", "1.weight", "3.weight", "3.bias"):  # 3.weight has three rows
        assert torch.equal(model.get_parameter(name), other.get_parameter(name)), name
    assert not torch.equal(model[0].weight, other[0].weight)


def test_it_learns_and_decays(model):
    optimizer = MuonAdamW(groups(model), lr=0.02)
    losses = [step(model, optimizer, seed) for seed in range(60)]
    assert losses[-1] < 0.2 * losses[0]
    decayed = copy.deepcopy(model)
    step(model, MuonAdamW(groups(model), lr=0.02), 1)
    step(decayed, MuonAdamW(groups(decayed, 0.5), lr=0.02), 1)
    assert decayed[0].weight.norm() < model[0].weight.norm()


def test_goes_on_from_its_state_exactly(model):
    optimizer = MuonAdamW(groups(model), lr=0.01)
    for seed in range(3):
        step(model, optimizer, seed)
    again = copy.deepcopy(model)
    other = MuonAdamW(groups(again), lr=0.5)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for seed in range(3, 6):
        step(model, optimizer, seed)
        step(again, other, seed)
    for own, theirs in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(own, theirs)


def test_a_schedule_sets_the_rate_of_all(model):
    optimizer = MuonAdamW(groups(model), lr=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda number: 0.5**number)
    step(model, optimizer, 0)
    scheduler.step()
    assert {group["lr"] for group in optimizer.param_groups} == {0.005}
    before = model[0].weight.detach().clone()
    step(model, optimizer, 1)
    assert float(torch.linalg.svdvals(model[0].weight.detach() - before).max()) < 0.01 * 0.2 * 8 * 0.8


def test_only_matrices_or_none():
    for shape in ((40, 40), (5,)):
        parameter = nn.Parameter(torch.randn(shape))
        optimizer = MuonAdamW([{"params": [parameter]}], lr=0.1)
        before = parameter.detach().clone()
        optimizer.step(lambda p=parameter: p.square().sum().backward())
        assert not torch.equal(parameter, before)


def test_matrices_together_are_stepped_as_each_alone():
    """A GPU takes those of one shape together."""
    shape = (40, 64)
    matrices = (
        torch.randn(3, *shape, generator=torch.Generator().manual_seed(0)) * torch.tensor([1, 10, 0.1])[:, None, None]
    )
    alone = torch.cat([_orthogonal(matrix[None]) for matrix in matrices])
    assert torch.allclose(_orthogonal(matrices), alone, atol=1e-5)
