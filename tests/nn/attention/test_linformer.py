import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import AttentionContext
from poselift.nn.attention.linformer import LinformerAttention


def textbook(layer, tokens, mask, source):
    """The mixtures summed one token at a time."""
    d, m = layer.dim, source.shape[1]
    width = d // layer.heads
    q, k, v = layer.q(tokens), *layer.kv(source).chunk(2, -1)
    mixed = torch.zeros_like(tokens)
    for row in range(len(tokens)):
        present = [j for j in range(m) if mask[row, j]]
        keys = sum(layer.mix_keys[:, j, None] * k[row, j] for j in present)
        values = sum(layer.mix_values[:, j, None] * v[row, j] for j in present)
        for head in range(layer.heads):
            part = slice(head * width, (head + 1) * width)
            for i in range(tokens.shape[1]):
                shares = (keys[:, part] @ q[row, i, part] / width**0.5).softmax(0)
                mixed[row, i, part] = shares @ values[:, part]
    return layer.out(mixed), mixed


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("n", [9, 12])
def test_agrees_with_the_formula_at_and_below_the_longest(n, cross):
    torch.manual_seed(0)
    layer = LinformerAttention(8, 2, cross=cross, max_length=12, rank=5).double()
    tokens, other = torch.randn(2, n, 8, dtype=torch.float64), torch.randn(2, 7, 8, dtype=torch.float64)
    source = other if cross else tokens
    everything = torch.ones(source.shape[:2], dtype=torch.bool)
    for mask in (None, torch.rand(source.shape[:2]) > 0.4):
        masks = {"memory": other, "memory_mask": mask} if cross else {"mask": mask}
        expected, mixed = textbook(layer, tokens, everything if mask is None else mask, source)
        torch.testing.assert_close(layer(AttentionContext(tokens, **masks)), expected)
        values = layer.kv(source)[..., 8:].unflatten(-1, (2, 4)).transpose(1, 2)
        mapped = layer.attention_map(AttentionContext(tokens, **masks)) @ values
        torch.testing.assert_close(mapped.transpose(1, 2).flatten(2), mixed)


def test_more_tokens_than_it_was_built_for_is_an_error():
    layer = LinformerAttention(8, 2, max_length=12)
    with pytest.raises(InputError, match="12 tokens at most and got 13; raise max_length"):
        layer(AttentionContext(torch.zeros(1, 13, 8)))
