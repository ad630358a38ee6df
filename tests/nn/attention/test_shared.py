import copy

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from poselift.core.errors import InputError
from poselift.nn.attention import build_attention
from poselift.nn.attention.shared import SharedAttention, choose_groups, layer_similarity


def build(depth, groups, **options):
    torch.manual_seed(0)
    layers = torch.nn.ModuleList(build_attention({"name": "shared", "groups": groups}, 8, 2, depth, **options))
    return layers.double()


def textbook(first, layer, tokens, mask, own):
    """Weights from the first layer's projections of its tokens, values from this one's of its own."""
    b, n, d = tokens.shape
    width = d // first.heads
    q, k, v = first.query(tokens), first.key(tokens), layer.value(own)
    mixed = torch.zeros_like(tokens)
    for row in range(b):
        for head in range(first.heads):
            part = slice(head * width, (head + 1) * width)
            for i in range(n):
                keys = [j for j in range(n) if (mask[row, j] or i == j) and (j <= i or not first.causal)]
                shares = (k[row, keys, part] @ q[row, i, part] / width**0.5).softmax(0)
                mixed[row, i, part] = shares @ v[row, keys, part]
    return layer.out(mixed)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("groups", "firsts"), [([3, 1], [0, 0, 0, 3]), (2, [0, 0, 2, 2]), (3, [0, 0, 0, 3])])
def test_agrees_with_the_formula(groups, firsts, causal):
    layers = build(4, groups, causal=causal)
    tokens = torch.randn(2, 6, 8, dtype=torch.float64)
    mask = torch.rand(2, 6) > 0.3
    inputs = [tokens]
    for layer in layers:
        inputs.append(layer(inputs[-1], mask))
    for number, (first, layer) in enumerate(zip(firsts, layers, strict=True)):
        expected = textbook(layers[first], layer, inputs[first], mask, inputs[number])
        torch.testing.assert_close(inputs[number + 1], expected)


def test_a_layer_that_follows_has_no_queries_or_keys_and_teaches_those_of_the_first():
    layers = build(2, 2)
    names = {name for name, _ in layers[1].named_parameters()}
    assert names == {"value.weight", "value.bias", "out.weight", "out.bias"}
    tokens = torch.randn(1, 5, 8, dtype=torch.float64)
    layers[0](tokens)
    layers[1](tokens).square().sum().backward()
    assert layers[0].query.weight.grad.any()
    assert layers[0].value.weight.grad is None
    torch.testing.assert_close(layers[1].attention_map(tokens), layers[0].attention_map(tokens))


def test_copies_share_among_themselves():
    layers = build(2, 2)
    tokens = torch.randn(1, 5, 8, dtype=torch.float64)
    layers[0](tokens)  # leaves weights with a graph, which cannot be copied
    twin = copy.deepcopy(layers)
    with pytest.raises(InputError, match="there are none"):
        twin[1](tokens)
    with torch.no_grad():
        twin[0].query.weight.mul_(3)
    twin[0](tokens)
    torch.testing.assert_close(twin[1].attention_map(tokens), twin[0].attention_map(tokens))
    assert not torch.allclose(twin[1].attention_map(tokens), layers[1].attention_map(tokens))


def test_the_first_layer_must_have_run_on_the_same_tokens():
    layers = build(2, 2)
    tokens = torch.randn(1, 5, 8, dtype=torch.float64)
    with pytest.raises(InputError, match="runs after the first layer of its group"):
        layers[1](tokens)
    layers[0](tokens)
    with pytest.raises(InputError, match=r"\(1, 2, 4, 4\) are needed, and there are \(1, 2, 5, 5\)"):
        layers[1](tokens[:, :4])


def test_groups_must_fit():
    with pytest.raises(InputError, match=r"groups of \[2, 1\] layers are 3 in all, not 4"):
        build(4, [2, 1])
    with pytest.raises(InputError, match="1 layer or more"):
        SharedAttention(8, 2, groups=0)
    with pytest.raises(InputError, match="1 layer or more"):
        build(2, [2, 0])


def test_similarity_is_one_minus_the_jensen_shannon_divergence():
    generator = torch.Generator().manual_seed(0)
    maps = [(3 * torch.randn(2, 3, 5, 6, generator=generator)).softmax(-1).double() for _ in range(3)]
    maps[0][..., :2] = 0  # where a layer does not look there is no logarithm
    maps[0] /= maps[0].sum(-1, keepdim=True)
    mask = torch.tensor([[1, 1, 0, 1, 1], [0, 0, 1, 1, 0]], dtype=torch.bool)
    actual = layer_similarity(maps, mask)
    for i in range(3):
        for j in range(3):
            divergences = [
                jensenshannon(maps[i][row, head, query], maps[j][row, head, query], base=2) ** 2
                for row, query in mask.nonzero().tolist()
                for head in range(3)
            ]
            np.testing.assert_allclose(actual[i, j], 1 - np.nanmean(divergences), atol=1e-9)
    apart = torch.eye(4).expand(1, 2, 4, 4)
    torch.testing.assert_close(layer_similarity([apart, apart.roll(1, -1)])[0, 1], torch.tensor(0.0))


def test_groups_grow_while_their_pairs_are_alike():
    similarity = torch.tensor(
        [
            [1.0, 0.9, 0.8, 0.1, 0.1],
            [0.9, 1.0, 0.4, 0.1, 0.1],
            [0.8, 0.4, 1.0, 0.2, 0.1],
            [0.1, 0.1, 0.2, 1.0, 0.6],
            [0.1, 0.1, 0.1, 0.6, 1.0],
        ]
    )
    assert choose_groups(similarity, 0.69) == [3, 1, 1]  # the mean of 0.9, 0.8 and 0.4 is 0.7
    assert choose_groups(similarity, 0.5) == [3, 2]
    assert choose_groups(similarity, 0.75) == [2, 1, 1, 1]
    assert choose_groups(similarity, 1.0) == [1] * 5
    assert choose_groups(similarity, -1.0) == [5]


def test_the_groups_that_are_chosen_build_layers():
    separate = build(4, 1)
    tokens = torch.randn(2, 7, 8, dtype=torch.float64)
    maps = [layer.attention_map(tokens) for layer in separate]
    groups = choose_groups(layer_similarity(maps), 0.5)
    assert len(build(4, groups)) == 4
