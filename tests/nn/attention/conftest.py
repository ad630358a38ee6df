"""Mechanisms in float64 against their formulas."""

import math

import pytest
import torch

from poselift.nn.attention import AttentionContext
from tests.nn.attention.formula import everything, mix, scaled, softmax, visible


@pytest.fixture
def agrees():
    """A function that holds a mechanism against a score: alone, masked, causal and looking at a memory.

    `score(layer, head, q, k, i, j)` is the formula under test.
    """

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
            source = memory if layer.cross else tokens
            q, (k, v) = layer.qkv(tokens)[..., :8], layer.qkv(source)[..., 8:].chunk(2, -1)

            def formula(*pair, layer=layer):
                return score(layer, *pair)

            for there in (None, mask[:, : source.shape[1]]):
                seen = visible(layer, everything(source) if there is None else there, itself=not layer.cross)
                expected = layer.out(mix(2, q, k, v, formula, seen, weights))
                masks = {"memory": memory, "memory_mask": there} if layer.cross else {"mask": there}
                torch.testing.assert_close(layer(AttentionContext(tokens, **masks)), expected)

    return check


@pytest.fixture
def agrees_where():
    """A function that holds a mechanism that looks at some tokens against its formula: alone, masked and causal.

    `sees(i, j, head)` is the factor of exp(score) in the paper, 0 where i does not look at j.
    """

    def check(mechanism, sees, **options):
        def score(head, q, k, i, j):
            return scaled(head, q, k, i, j) + math.log(sees(i, j, head))

        for n in (1, 22):
            generator = torch.Generator().manual_seed(n)
            tokens = torch.randn(2, n, 8, dtype=torch.float64, generator=generator)
            mask = torch.rand(2, n, generator=generator) > 0.4
            for causal in (False, True):
                torch.manual_seed(0)
                layer = mechanism(8, 2, causal=causal, **options).double()
                for there in (None, mask):
                    seen = visible(layer, everything(tokens) if there is None else there)

                    def keys(row, head, i, seen=seen):
                        return [j for j in seen(row, head, i) if sees(i, j, head)]

                    expected = layer.out(mix(2, *layer.qkv(tokens).chunk(3, -1), score, keys))
                    torch.testing.assert_close(layer(AttentionContext(tokens, there)), expected)

    return check
