import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import AttentionContext
from poselift.nn.attention.linformer import LinformerAttention
from tests.nn.attention.formula import everything, mix, scaled


def textbook(layer, tokens, mask, source):
    """The mixtures summed one token at a time."""

    def mixtures(matrix, x):
        present = [mask[row].nonzero().squeeze(-1) for row in range(len(x))]
        return torch.stack([sum(matrix[:, j, None] * x[row, j] for j in there) for row, there in enumerate(present)])

    k, v = layer.kv(source).chunk(2, -1)
    keys, values = mixtures(layer.mix_keys, k), mixtures(layer.mix_values, v)
    return layer.out(mix(layer.heads, layer.q(tokens), keys, values, scaled, lambda *_: list(range(keys.shape[1]))))


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("n", [9, 12])
def test_agrees_with_the_formula_at_and_below_the_longest(n, cross):
    torch.manual_seed(0)
    layer = LinformerAttention(8, 2, cross=cross, max_length=12, rank=5).double()
    tokens, other = torch.randn(2, n, 8, dtype=torch.float64), torch.randn(2, 7, 8, dtype=torch.float64)
    source = other if cross else tokens
    for mask in (None, torch.rand(source.shape[:2]) > 0.4):
        masks = {"memory": other, "memory_mask": mask} if cross else {"mask": mask}
        expected = textbook(layer, tokens, everything(source) if mask is None else mask, source)
        torch.testing.assert_close(layer(AttentionContext(tokens, **masks)), expected)


def test_more_tokens_than_it_was_built_for_is_an_error():
    layer = LinformerAttention(8, 2, max_length=12)
    with pytest.raises(InputError, match="12 tokens at most and got 13; raise max_length"):
        layer(AttentionContext(torch.zeros(1, 13, 8)))
