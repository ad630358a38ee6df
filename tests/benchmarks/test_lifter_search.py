from dataclasses import replace

import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from benchmarks.lifter_search import VARIANTS
from benchmarks.lifter_variants import (
    BoneOutput,
    Frequencies,
    GraphBias,
    KinematicBias,
    LimbDecoder,
    MeansIn,
    Mixed,
    NoContext,
    bones_between,
)
from poselift.cli.config import CONF
from poselift.models import Lifter, SpatioTemporalLifter
from poselift.reports.cost import example_window
from poselift.skeleton import CMU28

SIZE = {"joint_dim": 8, "frame_dim": 32, "dim": 32, "heads": 4, "depth": 1, "skeleton_out": "cmu28"}


@pytest.fixture
def encoded():
    return example_window(CMU28, 10, "h36m17")


def built(kind):
    torch.manual_seed(0)
    return kind(**SIZE).eval()


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_a_lifter_of_about_the_same_cost(name):
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", ["data=cmu", "data.corpus=x", *VARIANTS[name]])
    lifter = instantiate(config.model, _convert_="all")
    assert isinstance(lifter, Lifter)
    assert lifter(example_window(CMU28, 6, "coco17")).shape == (1, 6, 17, 3)


def test_bones_add_up_along_the_tree(encoded):
    lifter = built(BoneOutput)
    with torch.no_grad():
        lifter.head[0][2].weight.zero_()
        lifter.head[0][2].bias.copy_(torch.tensor([0.0, 0.0, 1.0]).repeat(28))
    joints = lifter(encoded) @ encoded.rotation[0].T
    # Every bone is one metre along z: a joint is as far as it has joints above it.
    for joint, parent in ((name, CMU28.parents[place]) for place, name in enumerate(CMU28.joints)):
        z = joints[0, :, CMU28.index(joint), 2]
        above = 0.0 if parent is None else joints[0, :, CMU28.index(parent), 2] + 1
        torch.testing.assert_close(z, torch.as_tensor(above).expand(10), atol=1e-4, rtol=0)


def test_each_limb_gives_its_own_joints(encoded):
    lifter = built(LimbDecoder)
    with torch.no_grad():
        for number, part in enumerate(lifter.head.parts):
            part[2].weight.zero_()
            part[2].bias.fill_(float(number))
    given = lifter.head(torch.zeros(1, 1, 32)).view(28, 3)[:, 0]
    limbs = {"right_heel": 0, "left_knee": 1, "pelvis": 2, "nose": 2, "left_wrist": 3, "right_shoulder": 4}
    assert {joint: int(given[CMU28.index(joint)]) for joint in limbs} == limbs


def test_a_bias_of_nothing_changes_nothing_and_others_do(encoded):
    plain, biased = built(SpatioTemporalLifter), built(GraphBias)
    biased.load_state_dict(plain.state_dict(), strict=False)
    torch.testing.assert_close(biased(encoded), plain(encoded), atol=1e-5, rtol=1e-4)
    torch.nn.init.normal_(biased.joint_blocks[0].attention.bias, std=3)
    assert (biased(encoded) - plain(encoded)).abs().max() > 1e-4


def test_frequencies_are_those_of_a_cosine_transform():
    """Of a movement that stays, only the first is not nothing; and it is the mean, but for its scale."""
    cosines = built(lambda **size: Frequencies(**size, temporal_stride=8)).token_in[0]
    still = torch.arange(3.0).repeat(8)[None, None]
    low = cosines(still).view(4, 3)
    torch.testing.assert_close(low[0], torch.arange(3.0) * 8 * (2 / 8) ** 0.5)
    assert low[1:].abs().max() < 1e-5


def test_without_context_it_does_not_matter(encoded):
    lifter = built(NoContext)
    other = replace(encoded, context=encoded.context + 1)
    assert torch.equal(lifter(encoded), lifter(other))


def test_bones_between_joints_and_a_bias_by_their_number(encoded):
    between = bones_between(CMU28)

    def bones(one, other):
        return int(between[CMU28.index(one), CMU28.index(other)])

    assert bones("left_knee", "left_knee") == 0
    assert bones("left_hip", "left_ankle") == bones("left_ankle", "left_hip") == 2
    assert bones("left_ankle", "right_knee") == 5, "up to the pelvis, and down the other leg"
    plain, biased = built(SpatioTemporalLifter), built(KinematicBias)
    biased.load_state_dict(plain.state_dict(), strict=False)
    torch.testing.assert_close(biased(encoded), plain(encoded), atol=1e-5, rtol=1e-4)
    attention = biased.joint_blocks[0].attention
    assert attention.bias.shape[1] == between.max() + 1
    torch.nn.init.normal_(attention.bias, std=3)
    scores = attention.scores(*(torch.zeros(1, attention.heads, 28, 4) for _ in "qk"))[0, 0]
    assert len(scores.unique()) == between.max() + 1


def test_only_mixed_attention_over_joints_sees_other_frames(encoded):
    """The frame tokens, before any attention over time, change where another frame does."""
    coordinates = encoded.coordinates.clone()
    coordinates[:, 3] += 0.1
    other = replace(encoded, coordinates=coordinates)
    for kind, sees in ((SpatioTemporalLifter, False), (Mixed, True)):
        lifter = built(kind)
        changed = (lifter._frames(other) - lifter._frames(encoded)).abs().amax((0, 2))
        assert changed[3] > 1e-4
        assert bool(changed[8] > 1e-6) == sees


def test_means_of_frames():
    pooled = built(lambda **size: MeansIn(**size, temporal_stride=2)).token_in[0](
        torch.tensor([[[1.0, 2.0, 3.0, 6.0]]])
    )
    torch.testing.assert_close(pooled, torch.tensor([[[2.0, 4.0]]]))
