from dataclasses import replace

import torch

from poselift.models import Estimate, Lifter, ModelConfig, lift_windows
from poselift.skeleton import CMU28, H36M17
from tests.models.encoded_view import encode_view


def lift(lifter, view, flip=True):
    """The view in one window."""
    given = (view.keypoints, view.scores, view.times, view.K, view.image_size)
    with torch.no_grad():
        return lift_windows(lifter, *(values[None] for values in given), flip=flip)


def test_without_the_mirror_it_is_the_lifter_itself(lifter, view):
    with torch.no_grad():
        expected = lifter(encode_view(view))
    torch.testing.assert_close(lift(lifter, view, flip=False).joints, expected, atol=1e-6, rtol=1e-5)


def test_the_mean_commutes_with_the_mirror(lifter, view):
    """What the mirrored video gives is the mirror of what the video gives."""
    order = list(CMU28.flip_indices)
    flipped = view.keypoints[:, order].clone()
    flipped[..., 0] = 2 * view.K[0, 2] - flipped[..., 0]
    mirrored = lift(lifter, replace(view, keypoints=flipped, scores=view.scores[:, order])).joints
    sign = torch.tensor([-1.0, 1.0, 1.0])
    ours = lift(lifter, view).joints[:, :, list(H36M17.flip_indices)] * sign
    torch.testing.assert_close(mirrored, ours, atol=1e-4, rtol=1e-3)


class _Sure(Lifter):
    """Says how far off each joint of the left side may be: the number of its window, metres; the others 0."""

    def __init__(self):
        super().__init__(ModelConfig())

    def forward(self, encoded):
        return torch.zeros(*encoded.times.shape, 17, 3)

    def estimate(self, encoded):
        joints = self(encoded)
        left = torch.tensor([joint.startswith("left_") for joint in H36M17.joints])
        numbers = 1.0 + torch.arange(len(joints))
        return Estimate(joints, (numbers[:, None, None] * left).expand(joints.shape[:3]))


def test_uncertainties_are_mirrored_as_joints_are(view):
    left, right = H36M17.index("left_knee"), H36M17.index("right_knee")
    # One window and its mirror image, whose uncertainty is 2: its left side is the person's right.
    uncertainty = lift(_Sure(), view).uncertainty
    assert uncertainty.shape == (1, len(view), 17)
    assert uncertainty[..., left].unique().tolist() == [0.5]
    assert uncertainty[..., right].unique().tolist() == [1.0]
