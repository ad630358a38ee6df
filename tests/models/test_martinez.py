from dataclasses import replace

import pytest
import torch

from poselift.core.errors import InputError
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


def test_a_batch_of_one_frame_is_refused_in_training(view):
    arguments = (
        view.keypoints[None, :1],
        view.scores[None, :1],
        view.times[None, :1],
        view.K[None],
        view.image_size[None],
    )
    model = SimpleBaseline(SimpleBaselineConfig(dim=32))
    assert model.eval()(encode(*arguments)).isfinite().all()
    with pytest.raises(InputError, match="batch norm needs two frames"):
        model.train()(encode(*arguments))


def test_the_papers_size():
    """Martinez et al. report 4 to 5 million parameters: 1024 wide, two blocks."""
    assert sum(
        p.numel() for p in SimpleBaseline(SimpleBaselineConfig(skeleton_in="h36m17")).parameters()
    ) == pytest.approx(4.3e6, rel=0.02)
