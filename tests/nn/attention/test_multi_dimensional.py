import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.multi_dimensional import MultiDimensionalAttention


def test_agrees_with_the_formula():
    """The formula of Shen et al. with c = 5, one feature at a time."""
    torch.manual_seed(0)
    layer = MultiDimensionalAttention(6, 2).double()
    tokens = 4 * torch.randn(2, 5, 6, dtype=torch.float64)
    mask = torch.tensor([[1, 1, 0, 1, 1], [1, 1, 1, 1, 1]], dtype=torch.bool)
    q, k, v = layer.qkv(tokens).chunk(3, -1)
    mixed = torch.zeros_like(tokens)
    for row in range(2):
        for i in range(5):
            keys = [j for j in range(5) if mask[row, j] or i == j]
            for f in range(6):
                scores = torch.stack([5 * ((q[row, i, f] + k[row, j, f]) / 5).tanh() for j in keys])
                mixed[row, i, f] = (scores.exp() / scores.exp().sum()) @ v[row, keys, f]
    torch.testing.assert_close(layer(AttentionContext(tokens, mask)), layer.out(mixed))
    assert layer.attention_map(AttentionContext(tokens)).shape == (2, 6, 5, 5)
