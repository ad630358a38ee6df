import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.co_attention import CoAttention
from tests.nn.attention.formula import everything, mix, scaled, visible


@pytest.mark.parametrize("masked", [False, True])
def test_agrees_with_the_formula(masked):
    torch.manual_seed(0)
    layer = CoAttention(12, 4).double()
    tokens = torch.randn(1, 6, 12, dtype=torch.float64)
    mask = torch.tensor([[1, 1, 0, 1, 1, 1]], dtype=torch.bool) if masked else everything(tokens)
    motion = torch.zeros_like(tokens)
    for t in range(1, 6):
        if mask[0, t] and mask[0, t - 1]:
            motion[0, t] = tokens[0, t] - tokens[0, t - 1]
    positions, motions = (layer.qkv(x).chunk(3, -1) for x in (tokens, motion))
    # Of four heads, two ask from positions and two from motion, each for the keys and values of the other stream.
    q = torch.cat((positions[0][..., :6], motions[0][..., 6:]), -1)
    k, v = (torch.cat((motions[part][..., 6:], positions[part][..., :6]), -1) for part in (1, 2))
    mixed = mix(4, q, k, v, scaled, visible(layer, mask))
    torch.testing.assert_close(layer(AttentionContext(tokens, mask if masked else None)), layer.out(mixed))
