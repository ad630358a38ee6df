from dataclasses import replace

import pytest
import torch

from poselift.models import EncoderDecoder, EncoderDecoderConfig
from tests.models.encoded_view import encode_view


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = EncoderDecoder(EncoderDecoderConfig(dim=16, depth=2, heads=2, noise=0.0))
    # The root is taken out of what comes back, so it is taken out of what is written too.
    with torch.no_grad():
        for place in (0, 51, 102, 153):
            model.out.weight[place : place + 3] = 0
            model.out.bias[place : place + 3] = 0
    return model


@pytest.fixture
def encoded(view):
    """22 frames: the last token is half padding."""
    return encode_view(view, frames=slice(22))


def test_fed_its_own_output_as_the_truth_it_says_the_same(model, encoded):
    """Writing piece by piece and reading all pieces at once are the same computation."""
    own = model.eval()(encoded)
    model.train()
    torch.testing.assert_close(model(encoded, own), own, atol=1e-5, rtol=1e-4)


def test_the_teacher_shows_the_past_alone(model, encoded):
    target = torch.randn(1, 22, 17, 3, generator=torch.Generator().manual_seed(1))
    later = target.clone()
    later[:, 8:] += 1
    out, other = model(encoded, target), model(encoded, later)
    torch.testing.assert_close(other[:, :12], out[:, :12])
    assert not torch.allclose(other[:, 12:], out[:, 12:])


def test_every_frame_of_the_input_is_seen_from_the_first_one_on(model, encoded):
    moved = encoded.coordinates.clone()
    moved[:, -1] += 0.5
    model.eval()
    assert not torch.allclose(model(replace(encoded, coordinates=moved))[:, 0, 1:], model(encoded)[:, 0, 1:])
