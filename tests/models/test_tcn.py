import pytest
import torch

from poselift.models import TemporalConvolution, TemporalConvolutionConfig
from poselift.models.encoding import encode


def reach_of(model, view, frame):
    """The frames whose keypoints move the output of one frame."""
    encoded = encode(view.keypoints[None], view.scores[None], view.times[None], view.K[None], view.image_size[None])
    coordinates = encoded.coordinates.clone().requires_grad_()
    object.__setattr__(encoded, "coordinates", coordinates)
    model(encoded)[0, frame].sum().backward()
    return coordinates.grad[0].abs().sum((1, 2)).nonzero().squeeze(-1)


@pytest.fixture(params=[False, True], ids=["dilated", "dense"])
def dense(request):
    return request.param


def test_sees_as_many_frames_as_it_says(view, dense):
    torch.manual_seed(0)
    model = TemporalConvolution(TemporalConvolutionConfig(channels=16, depth=2, dense=dense)).eval()
    seen = reach_of(model, view, 60)
    assert (int(seen.min()), int(seen.max())) == (60 - 13, 60 + 13), "27 frames"


def test_causal_sees_the_past_alone(view, dense):
    torch.manual_seed(0)
    model = TemporalConvolution(TemporalConvolutionConfig(channels=16, depth=2, dense=dense, causal=True)).eval()
    seen = reach_of(model, view, 60)
    assert (int(seen.min()), int(seen.max())) == (60 - 26, 60)


@pytest.mark.parametrize("causal", [False, True])
def test_padding_makes_no_difference(view, dense, causal):
    torch.manual_seed(0)
    model = TemporalConvolution(TemporalConvolutionConfig(channels=16, depth=2, dense=dense, causal=causal)).eval()
    window = view.keypoints[None], view.scores[None], view.times[None], view.K[None], view.image_size[None]
    padded = encode(*window, valid=torch.arange(120)[None] < 40)
    alone = encode(*(x[:, :40] if x.shape[1:2] == (120,) else x for x in window))
    torch.testing.assert_close(model(padded)[:, :40], model(alone), atol=1e-6, rtol=1e-5)
