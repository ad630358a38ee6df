import math

import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.transformer_xl import TransformerXLAttention
from tests.nn.attention.formula import everything, mix, visible


def build(segment, causal=False, dim=8, heads=2):
    torch.manual_seed(0)
    layer = TransformerXLAttention(dim, heads, segment=segment, causal=causal).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return layer


def code(distance, dim):
    """The sinusoid of one distance: sines, then cosines."""
    angles = [distance / 10000 ** (c / dim) for c in range(0, dim, 2)]
    return torch.tensor([math.sin(a) for a in angles] + [math.cos(a) for a in angles], dtype=torch.float64)


def textbook(layer, tokens, mask):
    def score(head, q, k, i, j):
        distance = (layer.distance.weight @ code(i - j, layer.dim)).unflatten(0, (layer.heads, -1))[head]
        return ((q + layer.u[head, 0]) @ k + (q + layer.v[head, 0]) @ distance) / math.sqrt(len(q))

    def keys(row, head, i):
        size = layer.segment
        return [j for j in visible(layer, mask)(row, head, i) if i // size - j // size in (0, 1)]

    return layer.out(mix(layer.heads, layer.q(tokens), *layer.kv(tokens).chunk(2, -1), score, keys))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "segment"), [(7, 3), (3, 9)])
def test_agrees_with_the_formula(n, segment, causal):
    layer = build(segment, causal)
    tokens = torch.randn(2, n, 8, dtype=torch.float64)
    for mask in (everything(tokens), torch.rand(2, n) > 0.4):
        torch.testing.assert_close(layer(AttentionContext(tokens, mask)), textbook(layer, tokens, mask))


def test_it_is_what_segments_one_after_the_other_give():
    """The recurrence as it is run in use: each segment with the kept states of the one before, here in two layers."""
    layers = [build(4), build(4)]
    tokens = torch.randn(1, 12, 8, dtype=torch.float64)
    whole = layers[1](AttentionContext(layers[0](AttentionContext(tokens))))
    kept, out = [None, None], []
    for segment in tokens.split(4, 1):
        for number, layer in enumerate(layers):
            before = kept[number]
            together = segment if before is None else torch.cat((before, segment), 1)
            kept[number] = segment
            segment = layer(AttentionContext(together))[:, -4:]
        out.append(segment)
    torch.testing.assert_close(torch.cat(out, 1), whole)


def test_the_segment_before_gives_its_states_but_no_gradient():
    layer = build(4)
    tokens = torch.randn(1, 12, 8, dtype=torch.float64, requires_grad=True)
    out = layer(AttentionContext(tokens))
    out[:, 4:8].square().sum().backward()
    moved = tokens.grad[0].abs().sum(-1) > 0
    assert moved.tolist() == [False] * 4 + [True] * 4 + [False] * 4
    changed = tokens.detach().clone()
    changed[:, 1] += 1
    different = ((layer(AttentionContext(changed)) - out).abs() > 1e-9).any(-1)[0]
    assert different.tolist() == [True] * 8 + [False] * 4
    # The projections learn from those states all the same.
    layer.zero_grad()
    first_values = layer(
        AttentionContext(torch.cat((tokens[:, :4], torch.zeros(1, 4, 8, dtype=torch.float64)), 1).detach())
    )
    (with_states,) = torch.autograd.grad(first_values[:, 4:].square().sum(), layer.kv.weight)
    assert with_states.abs().sum() > 0
