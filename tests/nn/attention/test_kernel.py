import pytest
import torch

from poselift.nn.attention import AttentionContext, takes_rotation
from poselift.nn.attention.kernel import KernelAttention
from poselift.nn.positions import RotaryTime, rotate
from tests.nn.attention.formula import share


def elu(x):
    return torch.where(x > 0, x, x.exp() - 1) + 1


def relu(x):
    return x.clamp(min=0) + 0.001


@pytest.mark.parametrize(("name", "phi"), [("elu", elu), ("relu", relu)])
def test_agrees_with_the_formula(agrees, name, phi):
    agrees(KernelAttention, lambda layer, head, q, k, i, j: phi(q) @ phi(k), share, feature_map=name)


@pytest.mark.parametrize("causal", [False, True])
def test_the_rotary_code_turns_the_numerator_alone(causal):
    """Su et al. 2021, equation 19."""
    torch.manual_seed(0)
    layer = KernelAttention(8, 2, causal=causal).double()
    tokens, mask = torch.randn(2, 5, 8, dtype=torch.float64), torch.tensor([[1, 1, 0, 1, 1], [1] * 5]) > 0
    rotation = RotaryTime(4)(torch.rand(2, 5)).double()
    q, k, v = (x.unflatten(-1, (2, 4)).transpose(1, 2) for x in layer.qkv(tokens).chunk(3, -1))
    turned = rotate(elu(q), rotation) @ rotate(elu(k), rotation).mT
    plain = elu(q) @ elu(k).mT
    seen = mask[:, None, None] | torch.eye(5, dtype=torch.bool)
    seen = seen.tril() if causal else seen
    weights = (turned * seen) / (plain * seen).sum(-1, keepdim=True)
    context = AttentionContext(tokens, mask, rotation)
    torch.testing.assert_close(layer(context), layer.out((weights @ v).transpose(1, 2).flatten(2)))
    torch.testing.assert_close(layer.attention_map(context), weights)


def test_windows_over_kernel_scores_take_no_rotary_code():
    assert takes_rotation("kernel")
    assert not takes_rotation({"name": "local_predictive", "score": "kernel", "distribution": "proportional"})


def test_scores_are_computed_twice_for_the_rotary_code_alone(monkeypatch):
    layer, calls = KernelAttention(8, 2), []
    scores = layer.scores
    monkeypatch.setattr(layer, "scores", lambda q, k: calls.append(1) or scores(q, k))
    tokens, mask = torch.randn(1, 5, 8), torch.ones(1, 5, dtype=torch.bool)
    layer(AttentionContext(tokens, mask))
    assert len(calls) == 1
    layer(AttentionContext(tokens, mask, RotaryTime(4)(torch.rand(1, 5))))
    assert len(calls) == 3
