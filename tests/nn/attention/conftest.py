"""Attention by loops over its formula, in float64."""

import pytest
import torch

from poselift.nn.attention import AttentionContext


def softmax(scores):
    return scores.exp() / scores.exp().sum()


def evaluate(layer, score, tokens, mask, memory, weights=softmax):
    """One query, head and key at a time; `score(head, q, k, i, j)` is the formula under test."""
    source = tokens if memory is None else memory
    b, n, d = tokens.shape
    m, width = source.shape[1], d // layer.heads
    q, k, v = layer.qkv(tokens)[..., :d], layer.qkv(source)[..., d : 2 * d], layer.qkv(source)[..., 2 * d :]
    mixed = torch.zeros_like(tokens)
    for row in range(b):
        for head in range(layer.heads):
            part = slice(head * width, (head + 1) * width)
            for i in range(n):
                keys = [
                    j
                    for j in range(m)
                    if (mask is None or mask[row, j] or (memory is None and i == j)) and (j <= i or not layer.causal)
                ]
                scores = torch.stack([score(head, q[row, i, part], k[row, j, part], i, j) for j in keys])
                mixed[row, i, part] = weights(scores) @ v[row, keys, part]
    return layer.out(mixed)


@pytest.fixture
def agrees():
    """A function that holds a mechanism against a score: alone, masked, causal and looking at a memory."""

    def check(mechanism, score, weights=softmax, **options):
        generator = torch.Generator().manual_seed(1)
        tokens, memory = (torch.randn(2, n, 8, dtype=torch.float64, generator=generator) for n in (5, 3))
        mask = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]], dtype=torch.bool)
        for setting in ({}, {"causal": True}, {"cross": True}):
            torch.manual_seed(0)
            layer = mechanism(8, 2, **setting, **options).double()
            with torch.no_grad():
                for parameter in layer.parameters():
                    parameter += 0.3 * torch.randn_like(parameter)

            def formula(*pair, layer=layer):
                return score(layer, *pair)

            if layer.cross:
                actual = layer(AttentionContext(tokens, memory=memory, memory_mask=mask[:, :3]))
                expected = evaluate(layer, formula, tokens, mask[:, :3], memory, weights)
                torch.testing.assert_close(actual, expected)
            else:
                for there in (None, mask):
                    expected = evaluate(layer, formula, tokens, there, None, weights)
                    torch.testing.assert_close(layer(AttentionContext(tokens, there)), expected)

    return check


@pytest.fixture
def agrees_where():
    """A function that holds a mechanism that looks at some tokens against its formula: alone, masked and causal.

    `sees(i, j, head)` is the factor of exp(score) in the paper, 0 where i does not look at j.
    """

    def check(mechanism, sees, **options):
        for n in (1, 22):
            generator = torch.Generator().manual_seed(n)
            tokens = torch.randn(2, n, 8, dtype=torch.float64, generator=generator)
            mask = torch.rand(2, n, generator=generator) > 0.4
            for causal in (False, True):
                torch.manual_seed(0)
                layer = mechanism(8, 2, causal=causal, **options).double()
                for there in (None, mask):
                    expected = mix_where(layer, sees, tokens, torch.ones_like(mask) if there is None else there)
                    torch.testing.assert_close(layer(AttentionContext(tokens, there)), layer.out(expected))
                    values = layer.qkv(tokens)[..., 16:].unflatten(-1, (2, 4)).transpose(1, 2)
                    mapped = layer.attention_map(AttentionContext(tokens, there)) @ values
                    torch.testing.assert_close(mapped.transpose(1, 2).flatten(2), expected)

    return check


def mix_where(layer, sees, tokens, mask):
    """The heads' outputs by the formula, over all pairs of tokens."""
    n, heads = tokens.shape[1], layer.heads
    q, k, v = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in layer.qkv(tokens).chunk(3, -1))
    factors = [
        [[float(sees(i, j, head)) * (j <= i or not layer.causal) for j in range(n)] for i in range(n)]
        for head in range(heads)
    ]
    seen = mask[:, None, None] | torch.eye(n, dtype=torch.bool)
    shares = torch.tensor(factors, dtype=tokens.dtype) * seen * (q @ k.mT / q.shape[-1] ** 0.5).exp()
    return (shares @ v / shares.sum(-1, keepdim=True)).transpose(1, 2).flatten(2)
