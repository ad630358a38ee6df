from dataclasses import replace

import pytest
import torch

from poselift.core.errors import InputError
from poselift.models import (
    JointTokenConfig,
    LifterConfig,
    SimpleBaseline,
    SimpleBaselineConfig,
    SpatioTemporalLifter,
    build_model,
)
from poselift.reports.cost import example_window
from poselift.skeleton import CMU28, H36M17
from poselift.training.warm_start import warm_start

SIZE = {"joint_dim": 8, "frame_dim": 32, "dim": 32, "heads": 4}


@pytest.fixture
def small():
    torch.manual_seed(0)
    return SpatioTemporalLifter(LifterConfig(**SIZE, depth=3)).eval()


@pytest.fixture
def encoded():
    return example_window(CMU28, 21)


def test_a_grown_lifter_gives_what_the_smaller_one_gave(small, encoded):
    grown = SpatioTemporalLifter(
        LifterConfig(**SIZE, depth=5, joint_depth=2, frame_depth=2, uncertainty=True, skeleton_out="cmu28")
    ).eval()
    warm_start(grown, small)
    before, after = small(encoded), grown(encoded)
    torch.testing.assert_close(after[:, :, : len(H36M17)], before)
    # Joints that it did not give begin where the nearest one above them is.
    toe, ankle = CMU28.index("left_big_toe"), CMU28.index("left_ankle")
    torch.testing.assert_close(after[:, :, toe], after[:, :, ankle])
    # What is new learns: the last layers of the new blocks have a gradient, though they are 0.
    grown(encoded).square().mean().backward()
    for blocks in (grown.time_blocks, grown.joint_blocks, grown.frame_blocks):
        assert float(blocks[-1].feed_forward[3].weight.grad.abs().max()) > 0


@pytest.mark.parametrize(("joints_before", "joints_after"), [("h36m17", "cmu28"), ("cmu28", "h36m17")])
def test_the_uncertainty_of_other_joints_is_initialised_by_joint(joints_before, joints_after, encoded):
    before = SpatioTemporalLifter(LifterConfig(**SIZE, depth=1, uncertainty=True, skeleton_out=joints_before)).eval()
    after = SpatioTemporalLifter(LifterConfig(**SIZE, depth=1, uncertainty=True, skeleton_out=joints_after)).eval()
    warm_start(after, before)
    shared = len(H36M17)
    torch.testing.assert_close(
        after.estimate(encoded).uncertainty[..., :shared], before.estimate(encoded).uncertainty[..., :shared]
    )


@pytest.mark.parametrize("idle", [0, 1])
def test_a_shrunken_lifter_lacks_the_block_that_did_least(idle, small, encoded):
    """One of three is made to do nothing; without it, the lifter is the same."""
    with torch.no_grad():
        for layer in (small.time_blocks[idle].attention.out, small.time_blocks[idle].feed_forward[3]):
            layer.weight.zero_()
            layer.bias.zero_()
    smaller = SpatioTemporalLifter(LifterConfig(**SIZE, depth=2)).eval()
    warm_start(smaller, small)
    torch.testing.assert_close(smaller(encoded), small(encoded))


@pytest.mark.parametrize("heads", [2, 8])
def test_wider_joint_tokens_give_what_the_narrower_ones_gave(heads, encoded):
    torch.manual_seed(1)
    narrow = SpatioTemporalLifter(LifterConfig(**{**SIZE, "joint_dim": 16}, depth=2, joint_depth=2)).eval()
    with torch.no_grad():  # norms as training leaves them
        for name, value in narrow.named_parameters():
            if "norm" in name:
                value.add_(0.2 * torch.randn_like(value))
    sizes = {**SIZE, "joint_dim": 48 if heads < 4 else 64}
    wide = build_model(LifterConfig(**sizes, depth=2, joint_depth=3, joint_heads=heads, joint_time=True)).eval()
    warm_start(wide, narrow)
    assert encoded.mask.any(1).eq(encoded.mask.all(1)).all()  # no joint that comes and goes
    torch.testing.assert_close(wide(encoded), narrow(encoded), atol=1e-4, rtol=0)
    # New channels and heads learn, though they begin at 0.
    wide(encoded).square().mean().backward()
    for name in ("joint_in", "joint_blocks.0.attention.out", "joint_blocks.0.feed_forward.3"):
        gradient = wide.get_submodule(name).weight.grad
        assert float(gradient[16:].abs().max()) > 0
    assert float(wide.joint_blocks[0].attention.out.weight.grad[:, -1].abs().max()) > 0


def test_an_equal_lifter_is_a_copy(small, encoded):
    equal = SpatioTemporalLifter(LifterConfig(**SIZE, depth=3)).eval()
    warm_start(equal, small)
    assert torch.equal(equal(encoded), small(encoded))


def test_others_are_refused(small):
    with pytest.raises(InputError, match="SimpleBaseline cannot be initialised from a SpatioTemporalLifter"):
        warm_start(SimpleBaseline(SimpleBaselineConfig(dim=8)), small)
    with pytest.raises(InputError, match=r"is \(.*\) in this lifter and \(.*\) in these weights"):
        warm_start(SpatioTemporalLifter(LifterConfig(**{**SIZE, "dim": 64})), small)


@pytest.mark.parametrize("changes", [{"norm": "post"}, {"positions": "rotary"}, {"uncertainty": False}, {"depth": 1}])
def test_parts_that_other_options_need_are_left_out(changes):
    before = LifterConfig(**SIZE, depth=2, positions="learned", uncertainty=True)
    warm_start(build_model(replace(before, **changes)), build_model(before))
    pairs = JointTokenConfig(dim=16, depth=2, heads=2)
    warm_start(build_model(replace(pairs, depth=1)), build_model(pairs))


def test_upsampling_may_change(small, encoded):
    """Interpolated tokens begin with the mean of what was spread, and back again each frame gets the same."""
    interpolating = SpatioTemporalLifter(LifterConfig(**SIZE, depth=3, temporal_upsampling="interpolate")).eval()
    warm_start(interpolating, small)
    spread = small.token_out.weight.view(4, 32, 32)
    torch.testing.assert_close(interpolating.token_out.weight, spread.mean(0))
    back = SpatioTemporalLifter(LifterConfig(**SIZE, depth=3)).eval()
    warm_start(back, interpolating)
    torch.testing.assert_close(back.token_out.weight.view(4, 32, 32)[2], spread.mean(0))
