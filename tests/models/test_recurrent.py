from dataclasses import replace

import pytest
import torch

from poselift.models import RecurrentConfig, RecurrentLifter
from tests.models.encoded_view import encode_view


@pytest.fixture
def encoded(view):
    return encode_view(view)


def changed_frames(model, encoded):
    """The frames whose output changes when frame 60's input does."""
    moved = encoded.coordinates.clone()
    moved[:, 60] += 0.5
    difference = model(replace(encoded, coordinates=moved)) - model(encoded)
    return difference[0].abs().amax((1, 2)).gt(1e-6).nonzero().squeeze(-1)


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_one_way_is_causal(encoded, cell):
    torch.manual_seed(0)
    changed = changed_frames(RecurrentLifter(RecurrentConfig(cell=cell, dim=32)).eval(), encoded)
    assert changed.min() == 60
    assert changed.max() > 60


def test_both_ways_see_the_future_too(encoded):
    torch.manual_seed(0)
    changed = changed_frames(RecurrentLifter(RecurrentConfig(cell="rnn", dim=32, bidirectional=True)).eval(), encoded)
    assert changed.min() < 60 < changed.max()
