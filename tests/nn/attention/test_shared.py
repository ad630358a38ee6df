import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import AttentionContext, build_attention
from tests.nn.attention.formula import mix, scaled, visible


def build(depth, groups, **options):
    torch.manual_seed(0)
    layers = torch.nn.ModuleList(build_attention({"name": "shared", "groups": groups}, 8, 2, depth, **options))
    return layers.double()


def textbook(first, layer, tokens, mask, own):
    """Weights from the first layer's projections of its tokens, values from this one's of its own."""
    q, k, v = first.query(tokens), first.key(tokens), layer.value(own)
    return layer.out(mix(first.heads, q, k, v, scaled, visible(first, mask)))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("groups", "firsts"), [([3, 1], [0, 0, 0, 3]), (2, [0, 0, 2, 2]), (3, [0, 0, 0, 3])])
def test_agrees_with_the_formula(groups, firsts, causal):
    layers = build(4, groups, causal=causal)
    tokens = torch.randn(2, 6, 8, dtype=torch.float64)
    mask = torch.rand(2, 6) > 0.3
    inputs = [tokens]
    for layer in layers:
        inputs.append(layer(AttentionContext(inputs[-1], mask)))
    for number, (first, layer) in enumerate(zip(firsts, layers, strict=True)):
        expected = textbook(layers[first], layer, inputs[first], mask, inputs[number])
        torch.testing.assert_close(inputs[number + 1], expected)


def test_a_layer_that_follows_has_no_queries_or_keys_and_teaches_those_of_the_first():
    layers = build(2, 2)
    names = {name for name, _ in layers[1].named_parameters()}
    assert names == {"value.weight", "value.bias", "out.weight", "out.bias"}
    context = AttentionContext(torch.randn(1, 5, 8, dtype=torch.float64))
    layers[0](context)
    layers[1](context).square().sum().backward()
    assert layers[0].query.weight.grad.any()
    assert layers[0].value.weight.grad is None
    torch.testing.assert_close(layers[1].attention_map(context), layers[0].attention_map(context))


def test_the_first_layer_must_have_run_on_the_same_tokens():
    layers = build(2, 2)
    tokens = torch.randn(1, 5, 8, dtype=torch.float64)
    with pytest.raises(InputError, match="runs after the first layer of its group"):
        layers[1](AttentionContext(tokens))
    layers[0](AttentionContext(tokens))
    with pytest.raises(InputError, match=r"\(1, 2, 4, 4\), and there are \(1, 2, 5, 5\)"):
        layers[1](AttentionContext(tokens[:, :4]))
