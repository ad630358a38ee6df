from dataclasses import replace

import pytest
import torch

from poselift.models import LifterConfig, SpatioTemporalLifter
from tests.models.encoded_view import encode_view


def encoded(view, frames=slice(None), joints=None):
    keypoints = view.keypoints.clone()
    if joints is not None:
        keypoints[:, [j for j in range(28) if j not in joints]] = torch.nan
    return encode_view(view, keypoints, frames=frames)


@pytest.mark.parametrize("frames", [1, 123])
def test_any_number_of_frames_goes_in_and_comes_out(lifter, view, frames):
    index = torch.arange(frames) % len(view.times)
    window = replace(encoded(view, index), times=torch.arange(frames)[None] / 50.0)
    out = lifter(window)
    assert out.shape == (1, frames, 17, 3)
    assert out.isfinite().all()
    assert (out[:, :, 0] == 0).all(), "relative to the root"


def test_a_masked_joint_changes_nothing(lifter, view):
    window = encoded(view)
    mask = window.mask.clone()
    mask[:, 10:40, 6] = False
    masked = replace(
        window,
        mask=mask,
        coordinates=window.coordinates * mask[..., None],
        scores=window.scores * mask,
    )
    other = replace(
        masked,
        coordinates=masked.coordinates + 7.0 * ~mask[..., None],
        scores=masked.scores + 0.5 * ~mask,
    )
    torch.testing.assert_close(lifter(other), lifter(masked))
    assert not torch.allclose(lifter(window), lifter(masked), atol=1e-4)


def test_leaving_joints_out_of_the_batch_is_masking_them(lifter, view):
    """Alone, a window without hands skips them; beside one with hands they are masked: the same result."""
    without = encoded(view, joints=range(17))
    whole = encoded(view)
    both = type(whole)(
        **{name: torch.cat((getattr(without, name), getattr(whole, name))) for name in whole.__dataclass_fields__}
    )
    torch.testing.assert_close(lifter(both)[:1], lifter(without), atol=1e-5, rtol=1e-4)


def test_time_is_in_seconds_and_only_differences_count(lifter, view):
    window = encoded(view)
    later = replace(window, times=window.times + 3.0)
    slower = replace(window, times=window.times * 2.0)
    torch.testing.assert_close(lifter(later), lifter(window), atol=1e-4, rtol=1e-3)
    assert not torch.allclose(lifter(slower), lifter(window), atol=1e-4)


def test_a_joint_that_some_frames_lack_is_told_of_by_the_others(view):
    """With a token of each joint over time; the time tokens, which could tell too, are silenced."""
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(
        LifterConfig(joint_dim=16, joint_heads=2, joint_time=True, frame_dim=32, dim=32, depth=1, heads=4)
    ).eval()
    with torch.no_grad():
        lifter.token_out.weight.zero_()
    window = encoded(view)
    mask = window.mask.clone()
    mask[:, 10:40, 6] = False
    mask[:, 60:] = False
    mask[:, 60:, 6] = window.mask[:, 60:, 6]  # nothing else carries it
    assert mask[:, 60:].any()
    hidden = replace(window, mask=mask, coordinates=window.coordinates * mask[..., None], scores=window.scores * mask)
    moved = hidden.coordinates.clone()
    moved[:, 60:, 6] += 0.1 * mask[:, 60:, 6, None]
    before, after = lifter(hidden), lifter(replace(hidden, coordinates=moved))
    assert not torch.allclose(before[:, 10:40], after[:, 10:40], atol=1e-6)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {"joint_heads": 2, "joint_time": True, "temporal_stride": 1},
        {"attention": "additive", "positions": "sinusoidal"},
    ],
    ids=str,
)
def test_that_frames_follow_changes_nothing_in_a_causal_lifter(view, options, causal):
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(
        LifterConfig(joint_dim=16, frame_dim=32, dim=32, depth=2, heads=4, causal=causal, **options)
    ).eval()
    window = encoded(view)
    mask = window.mask.clone()
    mask[:, :40, 6] = False  # a joint that comes later
    whole = replace(window, mask=mask, coordinates=window.coordinates * mask[..., None], scores=window.scores * mask)
    frames = ("coordinates", "scores", "mask", "times", "valid")
    cut = replace(whole, **{name: getattr(whole, name)[:, :40] for name in frames})
    same = torch.allclose(lifter(whole)[:, :40], lifter(cut), atol=1e-5)
    assert same == causal
