import math

import pytest
import torch

from poselift.nn.attention import ScaledDotAttention
from poselift.nn.positions import RotaryTime, rotate


def textbook(attention, tokens, mask):
    """The formula, one query, key and head at a time, in float64."""
    b, n, d = tokens.shape
    width = d // attention.heads
    q, k, v = attention.qkv(tokens).chunk(3, -1)
    mixed = torch.zeros_like(tokens)
    for row in range(b):
        for head in range(attention.heads):
            part = slice(head * width, (head + 1) * width)
            for i in range(n):
                keys = [j for j in range(n) if mask[row, j] or i == j]
                scores = torch.stack([q[row, i, part] @ k[row, j, part] / math.sqrt(width) for j in keys])
                shares = scores.exp() / scores.exp().sum()
                mixed[row, i, part] = sum(share * v[row, j, part] for share, j in zip(shares, keys, strict=True))
    return attention.out(mixed)


@pytest.fixture
def attention():
    torch.manual_seed(0)
    return ScaledDotAttention(12, 3).double()


@pytest.fixture
def tokens():
    return torch.randn(2, 7, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_agrees_with_the_formula(attention, tokens):
    mask = torch.rand(2, 7, generator=torch.Generator().manual_seed(2)) > 0.4
    torch.testing.assert_close(attention(tokens, mask), textbook(attention, tokens, mask))
    everything = torch.ones(2, 7, dtype=torch.bool)
    torch.testing.assert_close(attention(tokens), textbook(attention, tokens, everything))


def test_a_masked_token_changes_nothing_and_an_empty_row_is_no_nan(attention, tokens):
    mask = torch.ones(2, 7, dtype=torch.bool)
    mask[0, 3] = False
    mask[1] = False
    changed = tokens.clone()
    changed[0, 3] += 5
    before, after = attention(tokens, mask), attention(changed, mask)
    others = [0, 1, 2, 4, 5, 6]
    torch.testing.assert_close(after[0, others], before[0, others])
    assert before.isfinite().all()


def test_permuting_tokens_permutes_the_result(attention, tokens):
    order = torch.randperm(7, generator=torch.Generator().manual_seed(3))
    torch.testing.assert_close(attention(tokens[:, order]), attention(tokens)[:, order])


def test_heads_must_divide():
    with pytest.raises(ValueError, match="a width of 10 cannot be split into 3 heads"):
        ScaledDotAttention(10, 3)


def test_rotary_scores_depend_on_time_differences_alone():
    code = RotaryTime(8)
    q, k = torch.randn(2, 1, 1, 5, 8, generator=torch.Generator().manual_seed(4))
    times = torch.tensor([[0.0, 0.02, 0.05, 0.4, 1.0]])

    def scores(t):
        rotation = code(t)
        return rotate(q, rotation) @ rotate(k, rotation).mT

    torch.testing.assert_close(scores(times + 2.5), scores(times), atol=1e-4, rtol=1e-4)
    assert not torch.allclose(scores(times * 2), scores(times), atol=1e-3)
    torch.testing.assert_close(rotate(q, code(times)).norm(dim=-1), q.norm(dim=-1))
    with pytest.raises(ValueError, match="even"):
        RotaryTime(7)
