import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.longformer import LongformerAttention
from tests.nn.attention.formula import everything, mix, scaled, visible


def textbook(layer, tokens, mask, window, steps, places):
    """`steps` is the dilation of each head."""

    def keys(row, head, i):
        near = {steps[head] * k for k in range(-(window // 2), window // 2 + 1)}
        seen = visible(layer, mask)(row, head, i)
        return [j for j in seen if i in places or j in places or j - i in near]

    mixed = mix(layer.heads, *layer.qkv(tokens).chunk(3, -1), scaled, keys)
    wide = mix(layer.heads, layer.global_q(tokens), *layer.global_kv(tokens).chunk(2, -1), scaled, keys)
    mixed[:, list(places)] = wide[:, list(places)]
    return layer.out(mixed)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("n", "window", "dilations", "steps", "places"),
    [
        (14, 4, [1, 3], (1, 1, 3), (0,)),
        (14, 6, [2], (2, 2, 2), (12, 5)),
        (9, 2, [1, 2, 30], (1, 2, 30), (0, 1)),
    ],
)
def test_agrees_with_the_formula(causal, n, window, dilations, steps, places):
    torch.manual_seed(0)
    layer = LongformerAttention(12, 3, causal=causal, window=window, dilations=dilations, global_tokens=places).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    tokens = torch.randn(1, n, 12, dtype=torch.float64)
    whole = everything(tokens)
    torch.testing.assert_close(layer(AttentionContext(tokens)), textbook(layer, tokens, whole, window, steps, places))
    for mask in (torch.rand(1, n) > 0.4, whole.index_fill(1, torch.tensor(places), False)):
        torch.testing.assert_close(
            layer(AttentionContext(tokens, mask)), textbook(layer, tokens, mask, window, steps, places)
        )
