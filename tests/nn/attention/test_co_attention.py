import math

import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.co_attention import CoAttention


@pytest.mark.parametrize("masked", [False, True])
def test_agrees_with_the_formula(masked):
    torch.manual_seed(0)
    layer = CoAttention(12, 4).double()
    tokens = torch.randn(1, 6, 12, dtype=torch.float64)
    mask = torch.tensor([[1, 1, 0, 1, 1, 1]], dtype=torch.bool) if masked else torch.ones(1, 6, dtype=torch.bool)
    there = mask[0].tolist()
    motion = torch.zeros(6, 12, dtype=torch.float64)
    for t in range(1, 6):
        if there[t] and there[t - 1]:
            motion[t] = tokens[0, t] - tokens[0, t - 1]
    from_positions = layer.qkv(tokens[0]).view(6, 3, 4, 3).unbind(1)  # (n, heads, c) of q, k and v
    from_motion = layer.qkv(motion).view(6, 3, 4, 3).unbind(1)
    mixed = torch.zeros(6, 4, 3, dtype=torch.float64)
    for head in range(4):
        # Each stream has the rows of two heads: the first two project positions, the others motion.
        mine, others = (from_positions, from_motion) if head < 2 else (from_motion, from_positions)
        other = (head + 2) % 4
        for i in range(6):
            keys = [j for j in range(6) if there[j] or i == j]
            scores = torch.stack([mine[0][i, head] @ others[1][j, other] / math.sqrt(3) for j in keys])
            mixed[i, head] = (scores.exp() / scores.exp().sum()) @ others[2][keys, other]
    torch.testing.assert_close(
        layer(AttentionContext(tokens, mask if masked else None))[0], layer.out(mixed.flatten(1))
    )
