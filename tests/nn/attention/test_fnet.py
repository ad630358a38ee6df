import cmath

import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.fnet import FNetAttention


def test_agrees_with_the_formula():
    """The double sum of the discrete Fourier transform, one entry at a time."""
    layer, (n, d) = FNetAttention(6, 2), (5, 6)
    tokens = torch.randn(2, n, d, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for mask in (None, torch.tensor([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0]]) > 0):
        x = tokens if mask is None else tokens * mask[..., None]
        expected = torch.zeros_like(x)
        for row in range(2):
            for u in range(n):
                for w in range(d):
                    total = sum(
                        x[row, i, c].item() * cmath.exp(-2j * cmath.pi * (u * i / n + w * c / d))
                        for i in range(n)
                        for c in range(d)
                    )
                    expected[row, u, w] = total.real / (n * d) ** 0.5
        torch.testing.assert_close(layer(AttentionContext(tokens, mask)), expected)
