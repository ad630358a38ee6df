import pytest
import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.hard import HardAttention


@pytest.fixture
def tokens():
    return torch.randn(1, 6, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return HardAttention(12, 3, score="dot").double()


def test_in_use_the_likeliest_key_is_taken_whole(layer, tokens):
    soft, hard = (
        layer.pairwise.attention_map(AttentionContext(tokens)),
        layer.eval().attention_map(AttentionContext(tokens)),
    )
    for head in range(3):
        for i in range(6):
            expected = [1.0 if j == soft[0, head, i].argmax() else 0.0 for j in range(6)]
            assert hard[0, head, i].tolist() == pytest.approx(expected)


def test_in_training_keys_are_drawn_as_often_as_their_weights_say(layer, tokens):
    soft = layer.pairwise.attention_map(AttentionContext(tokens))
    torch.manual_seed(0)
    draws = layer.attention_map(AttentionContext(tokens.expand(2000, -1, -1)))
    assert sorted(draws.unique().tolist()) == [0.0, 1.0]
    # The deviation of a share of 2000 draws is at most 0.012.
    torch.testing.assert_close(draws.mean(0), soft[0], atol=0.05, rtol=0)


def test_a_key_without_weight_is_never_drawn(tokens):
    torch.manual_seed(0)
    layer = HardAttention(12, 3, score="dot", distribution="sparsemax").double()
    soft = layer.pairwise.attention_map(AttentionContext(tokens))
    assert (soft == 0).any()
    draws = layer.attention_map(AttentionContext(tokens.expand(500, -1, -1)))
    assert not draws[(soft == 0).expand_as(draws)].any()


def test_the_gradient_is_that_of_the_weights(layer, tokens):
    tokens.requires_grad_(True)
    target = torch.randn(1, 3, 6, 6, dtype=torch.float64)
    (straight,) = torch.autograd.grad((layer.attention_map(AttentionContext(tokens)) * target).sum(), tokens)
    (soft,) = torch.autograd.grad((layer.pairwise.attention_map(AttentionContext(tokens)) * target).sum(), tokens)
    torch.testing.assert_close(straight, soft)
