import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.general import GeneralAttention
from poselift.nn.attention.local_monotonic import LocalMonotonicAttention


@pytest.mark.parametrize("score", ["dot", "additive", "location"])
def test_a_window_as_long_as_the_sequence_is_global(score):
    torch.manual_seed(0)
    layer = LocalMonotonicAttention(12, 3, window=13, score=score)
    tokens = torch.randn(2, 7, 12)
    torch.testing.assert_close(layer(AttentionContext(tokens)), layer.pairwise(AttentionContext(tokens)))


def test_each_token_sees_its_window_alone():
    torch.manual_seed(0)
    layer = LocalMonotonicAttention(12, 3, window=5).double()
    tokens = torch.randn(1, 9, 12, dtype=torch.float64)
    weights = layer.attention_map(AttentionContext(tokens))
    exact = GeneralAttention(12, 3).double()
    exact.load_state_dict(layer.pairwise.state_dict())
    for i in range(9):
        window = slice(max(i - 2, 0), i + 3)
        torch.testing.assert_close(weights[:, :, i, window].sum(-1), torch.ones(1, 3, dtype=torch.float64))
        whole = exact.attention_map(AttentionContext(tokens))[:, :, i, window]
        torch.testing.assert_close(weights[:, :, i, window], whole / whole.sum(-1, keepdim=True))


def test_windows_are_spread_over_a_memory_of_another_length():
    layer = LocalMonotonicAttention(12, 3, window=3, cross=True)
    generator = torch.Generator().manual_seed(0)
    weights = layer.attention_map(
        AttentionContext(torch.randn(1, 3, 12, generator=generator), memory=torch.randn(1, 9, 12, generator=generator))
    )
    seen = [weights[0, 0, i].nonzero().squeeze(-1).tolist() for i in range(3)]
    assert seen == [[0, 1], [3, 4, 5], [7, 8]]
