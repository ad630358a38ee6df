from dataclasses import replace

import torch

from poselift.models import SimpleBaseline, SimpleBaselineConfig
from poselift.models.encoding import encode


def test_frames_are_lifted_one_by_one(view):
    torch.manual_seed(0)
    model = SimpleBaseline(SimpleBaselineConfig(dim=32)).eval()
    encoded = encode(view.keypoints[None], view.scores[None], view.times[None], view.K[None], view.image_size[None])
    moved = encoded.coordinates.clone()
    moved[:, :60] += 0.5
    out, other = model(encoded), model(replace(encoded, coordinates=moved))
    torch.testing.assert_close(other[:, 60:], out[:, 60:])
    assert not torch.allclose(other[:, :60], out[:, :60])


def test_padding_stays_out_of_the_statistics(view):
    torch.manual_seed(0)
    model = SimpleBaseline(SimpleBaselineConfig(dim=32))
    valid = torch.arange(120)[None] < 50
    arguments = view.keypoints[None], view.scores[None], view.times[None], view.K[None], view.image_size[None]
    model(encode(*arguments, valid))
    mean = model.first[0].running_mean.clone()
    model.first[0].reset_running_stats()
    model(encode(*(x[:, :50] if x.shape[1:2] == (120,) else x for x in arguments)))
    torch.testing.assert_close(model.first[0].running_mean, mean)
