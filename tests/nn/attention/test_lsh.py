from functools import cache

import pytest
import torch
import torch.nn.functional as F

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.lsh import LSHAttention
from tests.nn.attention.formula import everything, mix, scaled


def build(causal=False, **options):
    torch.manual_seed(0)
    return LSHAttention(8, 2, causal=causal, **options).double().eval()


def textbook(layer, tokens, mask):
    """Buckets as lists, one token and round at a time; the softmax is over all that any round finds."""
    shared = layer.qk(tokens)

    @cache
    def find(row, head):
        found = [{i} for i in range(tokens.shape[1])]
        for rotation in layer.rotations:
            buckets = {}
            for i in range(tokens.shape[1]):
                if mask[row, i]:
                    turned = shared[row, i].unflatten(0, (layer.heads, -1))[head] @ rotation
                    buckets.setdefault(int(torch.cat((turned, -turned)).argmax()), []).append(i)
            for members in buckets.values():
                for place, i in enumerate(members):
                    found[i] |= set(members[max(place - layer.chunk, 0) : place + layer.chunk + 1])
        return found

    def keys(row, head, i):
        return [j for j in sorted(find(row, head)[i]) if (j <= i or not layer.causal) and j != i] or [i]

    def score(head, q, k, i, j):
        return scaled(head, q, F.normalize(k, dim=0), i, j)

    return layer.out(mix(layer.heads, shared, shared, layer.value(tokens), score, keys))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "buckets", "chunk", "rounds"), [(18, 4, 3, 2), (5, 8, 32, 1)])
def test_agrees_with_the_formula(n, buckets, chunk, rounds, causal):
    layer = build(causal, buckets=buckets, chunk=chunk, rounds=rounds)
    tokens = torch.randn(1, n, 8, dtype=torch.float64)
    for mask in (everything(tokens), torch.rand(1, n) > 0.4):
        # A masked token may look at all that are there, or at itself: nobody asks which.
        out = layer(AttentionContext(tokens, mask))
        torch.testing.assert_close(out[mask], textbook(layer, tokens, mask)[mask])


def test_rotations_are_drawn_in_training_and_kept_in_use():
    layer, tokens = build(), torch.randn(1, 20, 8, dtype=torch.float64)
    kept = layer.rotations
    layer(AttentionContext(tokens))
    assert layer.rotations is kept
    layer.train()
    first, second = layer(AttentionContext(tokens)), layer(AttentionContext(tokens))
    assert not torch.equal(layer.rotations, kept)
    (first + second).sum().backward()  # the draw does not spoil what an earlier pass keeps
