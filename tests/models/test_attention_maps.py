import pytest
import torch

from poselift.core.errors import InputError
from poselift.models import (
    BahdanauConfig,
    BahdanauLifter,
    EncoderDecoder,
    EncoderDecoderConfig,
    JointTokenConfig,
    JointTokenTransformer,
    LifterConfig,
    LuongConfig,
    LuongLifter,
    SimpleBaseline,
    SimpleBaselineConfig,
    SpatioTemporalLifter,
    encode,
)
from poselift.models.attention_maps import attention_maps
from poselift.skeleton import CMU28

SMALL = {"joint_dim": 8, "joint_heads": 2, "frame_dim": 16, "dim": 16, "depth": 2, "heads": 4, "temporal_stride": 4}


def window(frames=10, hidden=(), count=1):
    """At 50 frames a second."""
    generator = torch.Generator().manual_seed(0)
    keypoints = 300 + 100 * torch.rand(count, frames, len(CMU28), 2, generator=generator)
    for name in hidden:
        keypoints[:, :, CMU28.joints.index(name)] = torch.nan
    K = torch.tensor([[800.0, 0, 320], [0, 800, 240], [0, 0, 1]]).expand(count, 3, 3)
    times = torch.arange(frames).expand(count, frames) / 50
    return encode(keypoints, torch.ones(keypoints.shape[:-1]), times, K, torch.tensor([[640.0, 480]]).expand(count, 2))


def maps_of(lifter, encoded):
    return attention_maps(lifter, lambda: lifter(encoded))[1]


def test_only_the_first_pass_of_any_way_to_lift_is_watched():
    lifter = SpatioTemporalLifter(LifterConfig(**SMALL)).eval()
    first, second = window(), window(hidden=("left_knee",))

    def run():
        return lifter.estimate(first).joints, lifter(second)

    (joints, _), maps = attention_maps(lifter, run)
    assert torch.equal(joints, lifter(first))
    for layer, alone in zip(maps, maps_of(lifter, first), strict=True):
        assert torch.equal(layer.weights, alone.weights)
        assert layer.keys == alone.keys
    with pytest.raises(ValueError, match="does not run the SpatioTemporalLifter"):
        attention_maps(lifter, lambda: None)


def test_each_layer_of_the_lifter():
    lifter = SpatioTemporalLifter(LifterConfig(**SMALL)).eval()
    joints, *time = maps_of(lifter, window(hidden=("left_knee",)))
    assert joints.layer == "joint_blocks.0.attention"
    assert joints.over_joints
    assert joints.queries == joints.keys == tuple(name for name in CMU28.joints if name != "left_knee")
    assert joints.weights.shape == (2, 27, 27)
    assert [layer.layer for layer in time] == ["time_blocks.0.attention", "time_blocks.1.attention"]
    for layer in time:
        assert not layer.over_joints
        assert layer.weights.shape == (4, 3, 3)
        # 10 frames, 0.02 s apart, in tokens of 4, 4 and 2, from the middle of the window.
        assert layer.keys == pytest.approx((-0.06, 0.02, 0.08), abs=1e-6)
    for layer in (joints, *time):
        torch.testing.assert_close(layer.weights.sum(-1), torch.ones(layer.weights.shape[:-1]))


def test_joints_over_time():
    """One row a frame, the mean over the joints, also where there are as many of either."""
    frames = len(CMU28)
    lifter = SpatioTemporalLifter(LifterConfig(**SMALL, joint_time=True)).eval()
    maps = {layer.layer: layer for layer in maps_of(lifter, window(frames, hidden=("left_knee",)))}
    layer = maps["joint_time_blocks.0.attention"]
    assert not layer.over_joints
    assert layer.weights.shape == (2, frames, frames)
    assert len(layer.keys) == frames
    torch.testing.assert_close(layer.weights.sum(-1), torch.ones(2, frames))
    assert maps["joint_blocks.0.attention"].over_joints


def test_joint_tokens_over_joints_and_over_time():
    frames = len(CMU28) - 1
    lifter = JointTokenTransformer(JointTokenConfig(dim=16, depth=1, heads=2)).eval()
    over_joints, over_time = maps_of(lifter, window(frames, hidden=("left_knee",)))
    assert over_joints.layer == "joint_blocks.0.attention"
    assert over_joints.keys == tuple(name for name in CMU28.joints if name != "left_knee")
    assert over_time.layer == "time_blocks.0.attention"
    assert over_time.weights.shape == (2, frames, frames)
    assert over_time.queries == over_time.keys == pytest.approx([(k - (frames - 1) / 2) / 50 for k in range(frames)])
    for layer in (over_joints, over_time):
        torch.testing.assert_close(layer.weights.sum(-1), torch.ones(layer.weights.shape[:-1]))


def test_a_decoder_is_seen_when_all_is_written():
    lifter = EncoderDecoder(EncoderDecoderConfig(dim=16, depth=1, heads=2, temporal_stride=5)).eval()
    maps = {layer.layer: layer for layer in maps_of(lifter, window())}
    assert set(maps) == {"encoder.0.attention", "decoder.0.attention", "decoder.0.cross_attention"}
    own = maps["decoder.0.attention"].weights
    assert own.shape == (2, 2, 2)
    assert (own[:, 0, 1] == 0).all()  # it does not look ahead
    assert maps["decoder.0.cross_attention"].weights.shape == (2, 2, 2)


@pytest.mark.parametrize(
    "lifter", [BahdanauLifter(BahdanauConfig(dim=8)), LuongLifter(LuongConfig(dim=8, looks="local_monotonic", reach=2))]
)
def test_sequence_to_sequence_has_a_row_a_frame(lifter):
    (layer,) = maps_of(lifter.eval(), window())
    assert layer.weights.shape == (1, 10, 10)
    torch.testing.assert_close(layer.weights.sum(-1), torch.ones(1, 10))
    if isinstance(lifter, LuongLifter):
        assert (layer.weights[0, 0, 3:] == 0).all()


def test_what_does_not_attend_says_so():
    with pytest.raises(InputError, match="SimpleBaseline has no attention to show"):
        maps_of(SimpleBaseline(SimpleBaselineConfig(dim=8)).eval(), window())
    mixed = SpatioTemporalLifter(
        LifterConfig(**SMALL, attention="fnet", joint_attention="fnet", positions="sinusoidal")
    ).eval()
    with pytest.raises(InputError, match="FNetAttention has no attention matrix"):
        maps_of(mixed, window())
    with pytest.raises(ValueError, match="one window"):
        maps_of(SpatioTemporalLifter(LifterConfig(**SMALL)).eval(), window(count=2))
