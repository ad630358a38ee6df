import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.attention import AttentionContext
from poselift.nn.attention.location import LocationAttention


def test_agrees_with_the_formula(agrees):
    agrees(LocationAttention, lambda layer, head, q, k, i, j: (layer.places[head] @ q)[j], positions=8)


def test_a_sequence_longer_than_it_knows_is_refused():
    layer = LocationAttention(12, 3, positions=5)
    layer(AttentionContext(torch.zeros(1, 5, 12)))
    with pytest.raises(InputError, match="built for 5 tokens and got 6; set positions=6"):
        layer(AttentionContext(torch.zeros(1, 6, 12)))
