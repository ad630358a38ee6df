from dataclasses import replace

import pytest
import torch

from poselift.models import (
    BahdanauConfig,
    BahdanauLifter,
    LuongConfig,
    LuongLifter,
    PlainSequenceConfig,
    PlainSequenceLifter,
    build_model,
)
from tests.models.encoded_view import encode_view


@pytest.fixture
def encoded(view):
    """12 frames in float64."""
    x = encode_view(view, frames=slice(12))
    return replace(x, **{k: v.double() for k, v in vars(x).items() if v.is_floating_point()})


def test_without_attention_the_decoder_knows_one_state_alone(encoded):
    torch.manual_seed(0)
    model = PlainSequenceLifter(PlainSequenceConfig(dim=16)).double().eval()
    code = model.time(encoded.times)[0]
    _, (last, _) = model.encoder((model.features(encoded) + code)[0])
    h, c = torch.tanh(model.initial(last[0])).chunk(2)
    y = torch.zeros(51, dtype=torch.float64)
    outputs = []
    for t in range(12):
        h, c = model.cell(torch.cat((y, code[t])), (h, c))
        y = model.out(h)
        outputs.append(y)
    torch.testing.assert_close(model(encoded), model.to_camera(torch.stack(outputs)[None], encoded))


def test_bahdanau_is_the_papers_formula(encoded):
    """e_j = v' tanh(W s + U h_j), softmax, context, GRU step, frame by frame and key by key."""
    torch.manual_seed(0)
    model = BahdanauLifter(BahdanauConfig(dim=16)).double().eval()
    code = model.time(encoded.times)[0]
    memory = model.encoder((model.features(encoded) + code)[0])[0]
    s = torch.tanh(model.initial(memory[0]))
    y = torch.zeros(51, dtype=torch.float64)
    outputs = []
    for t in range(12):
        e = torch.stack([model.v(torch.tanh(model.query(s + code[t]) + model.key(h))).squeeze() for h in memory])
        a = e.exp() / e.exp().sum()
        context = sum(share * h for share, h in zip(a, memory, strict=True))
        s = model.cell(torch.cat((y, context, code[t])), s)
        y = model.out(torch.cat((s, context, y)))
        outputs.append(y)
    expected = model.to_camera(torch.stack(outputs)[None], encoded)
    torch.testing.assert_close(model(encoded), expected)


@pytest.mark.parametrize("score", ["dot", "concat"])
@pytest.mark.parametrize("looks", ["global", "local_monotonic", "local_predictive"])
def test_luong_is_the_papers_formula(encoded, score, looks):
    torch.manual_seed(0)
    model = LuongLifter(LuongConfig(dim=16, score=score, looks=looks, reach=3)).double().eval()
    code = model.time(encoded.times)[0]
    memory = model.encoder((model.features(encoded) + code)[0])[0]
    h, c = torch.tanh(model.initial(memory[-1])).chunk(2)
    fed, y = torch.zeros_like(h), torch.zeros(51, dtype=torch.float64)
    outputs = []
    for t in range(12):
        h, c = model.cell(torch.cat((y, fed, code[t])), (h, c))
        place = float(t)
        if looks == "local_predictive":
            place = 11 * float(torch.sigmoid(model.place(h).detach().float()))
        keys = [s for s in range(12) if looks == "global" or abs(s - place) <= 3]
        e = []
        for s in keys:
            if score == "dot":
                e.append(h @ memory[s])
            else:
                e.append(model.v(torch.tanh(model.query(h) + model.key(memory[s]))).squeeze())
        a = torch.stack(e).softmax(0)
        if looks == "local_predictive":
            a = a * torch.tensor([torch.exp(torch.tensor(-((s - place) ** 2) / (2 * 1.5**2))) for s in keys])
        context = sum(share * memory[s] for share, s in zip(a, keys, strict=True))
        fed = torch.tanh(model.combine(torch.cat((context, h))))
        y = model.out(fed)
        outputs.append(y)
    # The predicted place is held in float32.
    torch.testing.assert_close(
        model(encoded), model.to_camera(torch.stack(outputs)[None], encoded), atol=1e-6, rtol=1e-5
    )


@pytest.mark.parametrize("kind", [PlainSequenceConfig, BahdanauConfig, LuongConfig])
def test_the_teacher_is_heard_in_training_alone(encoded, kind):
    torch.manual_seed(0)
    model = build_model(kind(dim=16, teacher_forcing=1.0)).double()
    target = torch.randn(1, 12, 17, 3, dtype=torch.float64)
    assert not torch.allclose(model(encoded, target), model(encoded))
    model.eval()
    assert torch.equal(model(encoded, target), model(encoded))


@pytest.mark.parametrize("kind", [PlainSequenceConfig, BahdanauConfig, LuongConfig])
def test_fed_its_own_output_as_the_truth_it_says_the_same(encoded, kind):
    torch.manual_seed(0)
    model = build_model(kind(dim=16, teacher_forcing=1.0)).double()
    # The root is taken out of what comes back, so it is taken out of what is written too.
    with torch.no_grad():
        model.out.weight[:3] = 0
        model.out.bias[:3] = 0
    own = model(encoded).detach()
    torch.testing.assert_close(model(encoded, own), own)
