"""The joint-token Transformer against what it says of its masks, its time and its cost."""

from dataclasses import replace

import pytest
import torch

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.models import JointTokenConfig, JointTokenTransformer
from poselift.reports.counting import multiply_adds
from poselift.skeleton import CMU28, COCO17
from tests.models.encoded_view import encode_view

FRAMES = 12


@pytest.fixture
def model():
    torch.manual_seed(0)
    return JointTokenTransformer(JointTokenConfig(dim=16, depth=2, heads=2)).eval()


def windows_of(joints=CMU28.joints, frames=FRAMES, without=()):
    """A window in which those joints are seen, but for (frame, joint) pairs."""
    (view,) = render_views(synthetic_corpus(1, frames, seed=3), seed=4)
    scores = view.scores.clamp(min=0.5) * torch.tensor([joint in joints for joint in CMU28.joints])
    for frame, joint in without:
        scores[frame, CMU28.index(joint)] = 0.0
    return encode_view(view, view.keypoints.nan_to_num(), scores=scores)


def test_what_stands_in_for_joints_that_are_not_seen_changes_nothing(model):
    windows = windows_of(COCO17.joints, without=[(2, "nose"), (5, "left_wrist")])
    hidden = ~windows.mask
    other = replace(
        windows,
        coordinates=windows.coordinates + 3.0 * hidden[..., None],
        scores=windows.scores + 0.7 * hidden,
    )
    assert not torch.equal(other.scores, windows.scores)
    assert torch.equal(model(other), model(windows))


def test_a_joint_is_filled_from_its_other_frames(model):
    """Where a wrist is not seen, the place in which it is seen before still moves the output."""
    windows = windows_of(without=[(6, "left_wrist")])
    coordinates = windows.coordinates.clone().requires_grad_()
    model(replace(windows, coordinates=coordinates))[0, 6].square().sum().backward()
    wrist = coordinates.grad[0, :, CMU28.index("left_wrist")].abs().sum(-1)
    assert wrist[6] == 0
    assert (wrist[torch.arange(FRAMES) != 6] > 0).all()


def test_products_by_hand():
    """Each token: 8 d² in a block, and two products of width d with each that it looks at."""
    d, depth, t = 16, 3, 10
    model = JointTokenTransformer(JointTokenConfig(dim=d, depth=depth, heads=2)).eval()
    windows = windows_of(COCO17.joints, frames=t)
    blocks = 17 * depth * (2 * 8 * d**2 + 2 * 17 * d + 2 * t * d)
    around = 28 * 4 * d + 28 * d * 51  # all joints into tokens, and out of them
    context = 4 * d / t  # once a window
    assert multiply_adds(lambda: model(windows)) / t == pytest.approx(blocks + around + context, rel=1e-9)
