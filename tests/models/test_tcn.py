from dataclasses import replace

import pytest
import torch

from poselift.models import TemporalConvolution, TemporalConvolutionConfig
from tests.models.encoded_view import encode_view


def reach_of(model, view, frame):
    """The frames whose keypoints move the output of one frame."""
    encoded = encode_view(view)
    coordinates = encoded.coordinates.clone().requires_grad_()
    model(replace(encoded, coordinates=coordinates))[0, frame].sum().backward()
    return coordinates.grad[0].abs().sum((1, 2)).nonzero().squeeze(-1)


@pytest.fixture(params=[False, True], ids=["dilated", "dense"])
def dense(request):
    return request.param


@pytest.mark.parametrize(("causal", "before", "after"), [(False, 13, 13), (True, 26, 0)])
def test_sees_as_many_frames_as_it_says(view, dense, causal, before, after):
    """27: with `causal` itself and the past."""
    torch.manual_seed(0)
    model = TemporalConvolution(TemporalConvolutionConfig(channels=16, depth=2, dense=dense, causal=causal)).eval()
    seen = reach_of(model, view, 60)
    assert (int(seen.min()), int(seen.max())) == (60 - before, 60 + after)


@pytest.mark.parametrize("causal", [False, True])
def test_padding_makes_no_difference(view, dense, causal):
    torch.manual_seed(0)
    model = TemporalConvolution(TemporalConvolutionConfig(channels=16, depth=2, dense=dense, causal=causal)).eval()
    padded = encode_view(view, valid=torch.arange(120)[None] < 40)
    alone = encode_view(view, frames=slice(40))
    torch.testing.assert_close(model(padded)[:, :40], model(alone), atol=1e-6, rtol=1e-5)
