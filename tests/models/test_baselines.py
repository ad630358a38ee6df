"""What every lifter must do, for all models by name."""

from dataclasses import replace

import pytest
import torch

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.models import (
    MODELS,
    BahdanauConfig,
    EncoderDecoderConfig,
    JointTokenConfig,
    LifterConfig,
    LuongConfig,
    PlainSequenceConfig,
    RecurrentConfig,
    SimpleBaselineConfig,
    TemporalConvolutionConfig,
    build_model,
    encode,
    load_weights,
    save_weights,
)

SMALL = (
    LifterConfig(joint_dim=8, frame_dim=16, dim=16, depth=2, heads=2),
    LifterConfig(joint_dim=8, joint_time=True, frame_dim=16, dim=16, depth=2, heads=2),
    EncoderDecoderConfig(dim=16, depth=2, heads=2),
    RecurrentConfig(dim=16),
    BahdanauConfig(dim=16),
    LuongConfig(dim=16),
    PlainSequenceConfig(dim=16),
    SimpleBaselineConfig(dim=16),
    TemporalConvolutionConfig(channels=16, depth=2),
    JointTokenConfig(dim=16, depth=2, heads=2),
)


def test_every_model_is_here():
    assert {type(config) for config in SMALL} == {kind for kind in MODELS if kind.__module__.startswith("poselift.")}


@pytest.fixture(params=SMALL, ids=lambda config: type(config).__name__)
def model(request):
    torch.manual_seed(0)
    return build_model(request.param).eval()


@pytest.fixture(scope="module")
def windows():
    """Two windows of 12 frames; the second one ends after 7."""
    views = render_views(synthetic_corpus(2, 12, seed=3), seed=4)
    valid = torch.ones(2, 12, dtype=torch.bool)
    valid[1, 7:] = False
    return encode(
        *(
            torch.stack([getattr(view, name) for view in views])
            for name in ("keypoints", "scores", "times", "K", "image_size")
        ),
        valid,
    )


def test_joints_come_out_relative_to_the_root(model, windows):
    out = model(windows)
    assert out.shape == (2, 12, 17, 3)
    assert out.dtype == torch.float32
    assert out.isfinite().all()
    assert (out[:, :, 0] == 0).all()


def test_every_parameter_is_trained(model, windows):
    model.train()
    target = torch.randn(2, 12, 17, 3, generator=torch.Generator().manual_seed(1))
    out = model(windows, target) if model.teacher_forced else model(windows)
    (out - target).square().sum().backward()
    without = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert without == []


def test_padding_changes_nothing(model, windows):
    """Whatever stands in the frames after the end of a clip, its own frames are lifted alike."""
    padding = ~windows.valid[..., None]
    other = replace(
        windows, scores=windows.scores + 0.3 * padding, coordinates=windows.coordinates + padding[..., None]
    )
    assert not torch.equal(other.scores, windows.scores)
    out = model(windows)
    torch.testing.assert_close(model(other)[windows.valid], out[windows.valid])
    over_time = ("coordinates", "scores", "mask", "times", "valid")
    cut = {name: value[1:, :7] if name in over_time else value[1:] for name, value in vars(windows).items()}
    torch.testing.assert_close(model(replace(windows, **cut))[0], out[1, :7], atol=1e-5, rtol=1e-4)


def test_turned_windows_give_turned_joints(model, windows):
    """The network works in a frame turned towards the person; its output comes back into the camera's."""
    half_turn = torch.diag(torch.tensor([-1.0, 1.0, -1.0]))
    turned = replace(windows, rotation=windows.rotation @ half_turn)
    torch.testing.assert_close(model(turned), model(windows) @ half_turn)


def test_weights_are_saved_with_what_builds_the_model(model, windows, tmp_path):
    save_weights(tmp_path / "x.safetensors", model, 12, {})
    assert torch.equal(load_weights(tmp_path / "x.safetensors").lifter(windows), model(windows))
