import torch

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.compositional import CompositionalAttention


def as_they_are(scores):
    return scores


def test_agrees_with_the_formula(agrees):
    def score(layer, head, q, k, i, j):
        alike, unlike = q @ k / 2, -(q - k).abs().sum() / 2  # 4 channels a head: divided by their root
        return alike.tanh() / (1 + (-unlike).exp())

    agrees(CompositionalAttention, score, as_they_are)


def test_tokens_are_subtracted_too_and_no_weight_is_above_a_half():
    torch.manual_seed(0)
    weights = CompositionalAttention(12, 3).attention_map(AttentionContext(3 * torch.randn(2, 8, 12)))
    assert weights.min() < -0.05
    assert weights.abs().max() <= 0.5
