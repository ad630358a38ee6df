import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.multi_dimensional import MultiDimensionalAttention
from tests.nn.attention.formula import mix, visible


def test_agrees_with_the_formula():
    """The formula of Shen et al. with c = 5, one feature at a time."""
    torch.manual_seed(0)
    layer = MultiDimensionalAttention(6, 2).double()
    tokens = 4 * torch.randn(2, 5, 6, dtype=torch.float64)
    mask = torch.tensor([[1, 1, 0, 1, 1], [1, 1, 1, 1, 1]], dtype=torch.bool)

    def score(feature, q, k, i, j):
        return 5 * ((q + k)[0] / 5).tanh()

    mixed = mix(6, *layer.qkv(tokens).chunk(3, -1), score, visible(layer, mask))
    torch.testing.assert_close(layer(AttentionContext(tokens, mask)), layer.out(mixed))
    assert layer.attention_map(AttentionContext(tokens)).shape == (2, 6, 5, 5)
