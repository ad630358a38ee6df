import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.local import LocalAttention


@pytest.mark.parametrize(("block", "reach"), [(4, 3), (3, 7), (40, 2)])
def test_agrees_with_the_formula(agrees_where, block, reach):
    def sees(i, j, head):
        first = i // block * block
        return first - reach <= j < first + block + reach

    agrees_where(LocalAttention, sees, block=block, reach=reach)


def test_what_is_beyond_the_memory_block_changes_nothing():
    layer = LocalAttention(8, 2, block=4, reach=2)
    tokens = torch.randn(1, 20, 8, generator=torch.Generator().manual_seed(0))
    changed = tokens.clone()
    changed[:, 10] += 3  # the second block, 4 to 7, sees 2 to 9
    torch.testing.assert_close(layer(AttentionContext(changed))[:, :8], layer(AttentionContext(tokens))[:, :8])
    assert not torch.allclose(layer(AttentionContext(changed))[:, 8:14], layer(AttentionContext(tokens))[:, 8:14])
    torch.testing.assert_close(layer(AttentionContext(changed))[:, 16:], layer(AttentionContext(tokens))[:, 16:])
