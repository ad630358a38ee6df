import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.longformer import LongformerAttention


def textbook(layer, tokens, mask, window, steps, places):
    """One query and head at a time: `steps` is the dilation of each head."""
    b, n, d = tokens.shape
    width = d // layer.heads
    local = layer.qkv(tokens).chunk(3, -1)
    wide = (layer.global_q(tokens), *layer.global_kv(tokens).chunk(2, -1))
    mixed = torch.zeros_like(tokens)
    for row in range(b):
        for head, step in enumerate(steps):
            part = slice(head * width, (head + 1) * width)
            near = {step * k for k in range(-(window // 2), window // 2 + 1)}
            for i in range(n):
                q, k, v = wide if i in places else local
                keys = [
                    j
                    for j in range(n)
                    if (mask[row, j] or i == j)
                    and (j <= i or not layer.causal)
                    and (i in places or j in places or j - i in near)
                ]
                shares = (k[row, keys, part] @ q[row, i, part] / width**0.5).softmax(0)
                mixed[row, i, part] = shares @ v[row, keys, part]
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
    everything = torch.ones(1, n, dtype=torch.bool)
    torch.testing.assert_close(
        layer(AttentionContext(tokens)), textbook(layer, tokens, everything, window, steps, places)
    )
    for mask in (torch.rand(1, n) > 0.4, everything.index_fill(1, torch.tensor(places), False)):
        torch.testing.assert_close(
            layer(AttentionContext(tokens, mask)), textbook(layer, tokens, mask, window, steps, places)
        )
