from dataclasses import replace

import torch

from poselift.models import SimpleBaseline, SimpleBaselineConfig
from tests.models.encoded_view import encode_view


def test_frames_are_lifted_one_by_one(view):
    torch.manual_seed(0)
    model = SimpleBaseline(SimpleBaselineConfig(dim=32)).eval()
    encoded = encode_view(view)
    moved = encoded.coordinates.clone()
    moved[:, :60] += 0.5
    out, other = model(encoded), model(replace(encoded, coordinates=moved))
    torch.testing.assert_close(other[:, 60:], out[:, 60:])
    assert not torch.allclose(other[:, :60], out[:, :60])


def test_padding_stays_out_of_the_statistics(view):
    torch.manual_seed(0)
    model = SimpleBaseline(SimpleBaselineConfig(dim=32))
    model(encode_view(view, valid=torch.arange(120)[None] < 50))
    mean = model.first[0].running_mean.clone()
    model.first[0].reset_running_stats()
    model(encode_view(view, frames=slice(50)))
    torch.testing.assert_close(model.first[0].running_mean, mean)
