import pytest
import torch
import torch.nn.functional as F

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.lsh import LSHAttention


def build(causal=False, **options):
    torch.manual_seed(0)
    return LSHAttention(8, 2, causal=causal, **options).double().eval()


def textbook(layer, tokens, mask):
    """Buckets as lists, one token and round at a time; the softmax is over all that any round finds."""
    b, n, d = tokens.shape
    width = d // layer.heads
    q, v = layer.qk(tokens), layer.value(tokens)
    mixed = torch.zeros_like(tokens)
    for row in range(b):
        for head in range(layer.heads):
            part = slice(head * width, (head + 1) * width)
            found = [{i} for i in range(n)]
            for rotation in layer.rotations:
                buckets = {}
                for i in range(n):
                    if mask[row, i]:
                        turned = q[row, i, part] @ rotation
                        buckets.setdefault(int(torch.cat((turned, -turned)).argmax()), []).append(i)
                for members in buckets.values():
                    for place, i in enumerate(members):
                        found[i] |= set(members[max(place - layer.chunk, 0) : place + layer.chunk + 1])
            for i in range(n):
                keys = [j for j in sorted(found[i]) if j <= i or not layer.causal]
                others = [j for j in keys if j != i] or [i]
                unit = F.normalize(q[row, others, part], dim=-1)
                mixed[row, i, part] = (unit @ q[row, i, part] / width**0.5).softmax(0) @ v[row, others, part]
    return layer.out(mixed), mixed


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "buckets", "chunk", "rounds"), [(18, 4, 3, 2), (5, 8, 32, 1)])
def test_agrees_with_the_formula(n, buckets, chunk, rounds, causal):
    layer = build(causal, buckets=buckets, chunk=chunk, rounds=rounds)
    tokens = torch.randn(1, n, 8, dtype=torch.float64)
    for mask in (torch.ones(1, n, dtype=torch.bool), torch.rand(1, n) > 0.4):
        expected, mixed = textbook(layer, tokens, mask)
        out = layer(AttentionContext(tokens, mask))
        # A masked token may look at all that are there, or at itself: nobody asks which.
        torch.testing.assert_close(out[mask], expected[mask])
        values = layer.value(tokens).unflatten(-1, (2, 4)).transpose(1, 2)
        mapped = (layer.attention_map(AttentionContext(tokens, mask)) @ values).transpose(1, 2).flatten(2)
        torch.testing.assert_close(mapped[mask], mixed[mask])


def test_rotations_are_drawn_in_training_and_kept_in_use():
    layer, tokens = build(), torch.randn(1, 20, 8, dtype=torch.float64)
    kept = layer.rotations
    layer(AttentionContext(tokens))
    assert layer.rotations is kept
    layer.train()
    first, second = layer(AttentionContext(tokens)), layer(AttentionContext(tokens))
    assert not torch.equal(layer.rotations, kept)
    (first + second).sum().backward()  # the draw does not spoil what an earlier pass keeps
