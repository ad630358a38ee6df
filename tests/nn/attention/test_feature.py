import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.feature import FeatureAttention
from tests.nn.attention.formula import mix, visible


def score(layer, keys, mask, head, j):
    """v' tanh(W_0 mean + W_1 deviation + b) of the keys (m, c) in the area of key j."""
    before = layer.area - 1 if layer.causal else layer.area // 2
    area = [s for s in range(j - before, j - before + layer.area) if 0 <= s < len(keys) and mask[s]]
    mean = sum(keys[s] for s in area) / len(area)
    deviation = (sum((keys[s] - mean) ** 2 for s in area) / len(area)).clamp(min=1e-6).sqrt()
    weight_mean, weight_deviation = layer.weight[head].chunk(2, -1)
    hidden = weight_mean @ mean + weight_deviation @ deviation + layer.bias[head, 0]
    return layer.direction[head, 0] @ hidden.tanh()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("area", [1, 3])
def test_agrees_with_the_formula(causal, area):
    torch.manual_seed(0)
    layer = FeatureAttention(12, 3, area=area, causal=causal).double()
    tokens = torch.randn(1, 8, 12, dtype=torch.float64)
    mask = torch.tensor([[1, 1, 0, 1, 1, 0, 1, 1]], dtype=torch.bool)

    def formula(head, q, k, i, j):
        return score(layer, layer.qkv(tokens)[0, :, 12 + 4 * head : 16 + 4 * head], mask[0], head, j)

    expected = layer.out(mix(3, *layer.qkv(tokens).chunk(3, -1), formula, visible(layer, mask, itself=False)))
    torch.testing.assert_close(layer(AttentionContext(tokens, mask))[mask], expected[mask])
