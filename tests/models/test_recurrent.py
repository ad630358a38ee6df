from dataclasses import replace

import pytest
import torch

from poselift.models import RecurrentConfig, RecurrentLifter
from poselift.models.encoding import encode


@pytest.fixture
def encoded(view):
    return encode(view.keypoints[None], view.scores[None], view.times[None], view.K[None], view.image_size[None])


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


def test_the_rnn_is_the_formula(encoded):
    torch.manual_seed(0)
    model = RecurrentLifter(RecurrentConfig(cell="rnn", dim=8, depth=1, dropout=0.0)).eval().double()
    features = model.features(
        replace(encoded, **{k: v.double() for k, v in vars(encoded).items() if v.is_floating_point()})
    )
    hidden = torch.zeros(8, dtype=torch.float64)
    n = model.network
    states = []
    for x in features[0]:
        hidden = torch.tanh(n.weight_ih_l0 @ x + n.bias_ih_l0 + n.weight_hh_l0 @ hidden + n.bias_hh_l0)
        states.append(hidden)
    torch.testing.assert_close(n(features)[0][0], torch.stack(states))
