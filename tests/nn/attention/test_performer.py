import itertools
import math

import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import AttentionContext, ScaledDotAttention
from poselift.nn.attention.performer import PerformerAttention, orthogonal_gaussian
from poselift.nn.positions import RotaryTime, rotate
from tests.nn.attention.formula import everything, mix, share, visible


def features(layer, x):
    """f(x) = exp(W x - |x|^2 / 2) / sqrt(m), one direction at a time; x = q or k, scaled."""
    x = x / len(x) ** 0.25
    return torch.stack([(w @ x - x @ x / 2).exp() for w in layer.directions]) / math.sqrt(len(layer.directions))


def textbook(layer, tokens, mask):
    def score(head, q, k, i, j):
        return features(layer, q) @ features(layer, k)

    q, k, v = layer.q(tokens), *layer.kv(tokens).chunk(2, -1)
    return layer.out(mix(layer.heads, q, k, v, score, visible(layer, mask, itself=False), share))


@pytest.mark.parametrize("causal", [False, True])
def test_agrees_with_the_formula(causal):
    torch.manual_seed(0)
    layer = PerformerAttention(8, 2, causal=causal, features=6).double()
    tokens = torch.randn(2, 7, 8, dtype=torch.float64)
    for mask in (everything(tokens), torch.tensor([[0, 1, 1, 0, 1, 0, 1], [0] * 7]) > 0):
        torch.testing.assert_close(layer(AttentionContext(tokens, mask)), textbook(layer, tokens, mask))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [64, 65])
def test_sums_by_blocks_are_the_map_times_the_values(n, causal):
    torch.manual_seed(0)
    layer = PerformerAttention(8, 2, causal=causal).double()
    tokens, mask = torch.randn(2, n, 8, dtype=torch.float64), torch.rand(2, n) > 0.3
    values = layer.kv(tokens)[..., 8:].unflatten(-1, (2, 4)).transpose(1, 2)
    mixed = (layer.attention_map(AttentionContext(tokens, mask)) @ values).transpose(1, 2).flatten(2)
    torch.testing.assert_close(layer(AttentionContext(tokens, mask)), layer.out(mixed))


def test_the_error_against_exact_attention_falls_as_the_root_of_the_features():
    torch.manual_seed(0)
    exact = ScaledDotAttention(32, 2).double()
    tokens = 0.5 * torch.randn(4, 30, 32, dtype=torch.float64)
    expected = exact.attention_map(AttentionContext(tokens))

    def error(count):
        layer = PerformerAttention(32, 2, features=count).double()
        layer.q.load_state_dict({"weight": exact.qkv.weight[:32], "bias": exact.qkv.bias[:32]})
        layer.kv.load_state_dict({"weight": exact.qkv.weight[32:], "bias": exact.qkv.bias[32:]})
        return (layer.attention_map(AttentionContext(tokens)) - expected).square().mean().sqrt()

    errors = [torch.stack([error(count) for _ in range(9)]).median() for count in (16, 64, 256)]
    ratios = [(before / after).item() for before, after in itertools.pairwise(errors)]
    assert all(1.6 < ratio < 2.5 for ratio in ratios), ratios  # four times the features: half the error
    assert errors[-1] < 0.2 * expected.square().mean().sqrt()


def test_directions_are_orthogonal_and_each_is_gaussian():
    torch.manual_seed(0)
    directions = orthogonal_gaussian(20, torch.empty(0, 8, dtype=torch.float64))
    unit = directions / directions.norm(dim=-1, keepdim=True)
    for block in unit.split(8):
        torch.testing.assert_close(block @ block.mT, torch.eye(len(block), dtype=torch.float64))
    many = orthogonal_gaussian(8_000, torch.empty(0, 4))
    torch.testing.assert_close(many.mT @ many / 8_000, torch.eye(4), atol=0.06, rtol=0)
    assert many.mean(0).abs().max() < 0.03
    assert abs((many**4).mean() - 3) < 0.1  # the fourth moment of a Gaussian


@pytest.mark.parametrize("causal", [False, True])
def test_the_rotary_code_turns_the_features_of_the_numerator(causal):
    """Su et al. 2021, equation 19; every four features, as wide as a head, are turned by its angles."""
    torch.manual_seed(0)
    layer = PerformerAttention(8, 2, causal=causal, features=8).double().eval()
    tokens, mask = torch.randn(2, 70, 8, dtype=torch.float64), torch.rand(2, 70) > 0.3
    times = torch.rand(2, 70).cumsum(-1)
    rotation = RotaryTime(4)(times).double()
    q, k, v = (x.unflatten(-1, (2, 4)).transpose(1, 2) for x in (layer.q(tokens), *layer.kv(tokens).chunk(2, -1)))
    q, k = (
        torch.stack([torch.stack([torch.stack([features(layer, x) for x in head]) for head in row]) for row in of])
        for of in (q, k)
    )
    wide = torch.cat((rotation, rotation), 2)
    seen = mask[:, None, None].expand(-1, 1, 70, -1)
    seen = seen.tril() if causal else seen
    total = (q @ k.mT * seen).sum(-1, keepdim=True)
    weights = rotate(q, wide) @ rotate(k, wide).mT * seen / torch.where(total == 0, 1, total)
    context = AttentionContext(tokens, mask, rotation)
    torch.testing.assert_close(layer.attention_map(context), weights)
    torch.testing.assert_close(layer(context), layer.out((weights @ v).transpose(1, 2).flatten(2)))
    later = RotaryTime(4)(times + 3.0).double()
    torch.testing.assert_close(
        layer(AttentionContext(tokens, mask, later)), layer(context), rtol=1e-4, atol=1e-4, msg="differences in time"
    )


def test_features_that_a_head_does_not_divide_take_no_rotary_code():
    layer = PerformerAttention(8, 2, features=6)
    context = AttentionContext(torch.randn(1, 3, 8), rotation=RotaryTime(4)(torch.rand(1, 3)))
    with pytest.raises(InputError, match="4 does not divide features=6; choose a multiple of 4, or sinusoidal"):
        layer(context)
