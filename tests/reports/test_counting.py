"""Counts against counts by hand."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from poselift.nn.attention import AttentionContext
from poselift.nn.attention.fnet import FNetAttention
from poselift.reports.counting import multiply_adds, peak_bytes


def test_products_and_convolutions():
    linear, convolution = nn.Linear(8, 16), nn.Conv1d(4, 6, 3)
    assert multiply_adds(lambda: linear(torch.rand(5, 8))) == 5 * 8 * 16
    assert multiply_adds(lambda: convolution(torch.rand(1, 4, 10))) == 8 * 6 * 4 * 3
    assert multiply_adds(lambda: torch.rand(5) * torch.rand(5)) == 0


def test_attention_counts():
    """Scores and their use: each queries x keys x width, for every head."""
    q, k, v = torch.rand(1, 2, 6, 4), torch.rand(1, 2, 10, 4), torch.rand(1, 2, 10, 4)
    assert multiply_adds(lambda: F.scaled_dot_product_attention(q, k, v)) == 2 * (2 * 6 * 10 * 4)


def test_a_fourier_transform_counts():
    attention = FNetAttention(16, 4)
    assert (
        multiply_adds(lambda: attention(AttentionContext(torch.rand(2, 8, 16)))) == 5 * (2 * 8 * 16) * 7 / 2
    )  # log2(8 * 16) = 7


@pytest.mark.parametrize(("cell", "gates"), [(nn.RNN, 1), (nn.LSTM, 4)])
def test_recurrent_networks_count(cell, gates):
    """Each gate of each layer is W x + U h, in every frame, both ways."""
    network = cell(8, 16, 2, batch_first=True, bidirectional=True).eval()
    hand = 5 * 2 * gates * ((8 * 16 + 16 * 16) + (32 * 16 + 16 * 16))
    assert multiply_adds(lambda: network(torch.rand(1, 5, 8))) == hand


def test_the_peak_is_what_lives_at_once():
    before = torch.zeros(1000)

    def compute():
        a = before + 1  # 4000 bytes
        b = a * 2  # 8000
        del a
        c = b.view(10, 100).mT + 1  # b and c: 8000; a view takes nothing
        d = torch.cat((b, c.flatten()))  # b, c, the copy that flatten makes, and d: 20000
        del b, c
        d.mul_(2)  # in place
        return d

    assert peak_bytes(compute) == 20000
    assert peak_bytes(lambda: before.mul_(2)) == 0
