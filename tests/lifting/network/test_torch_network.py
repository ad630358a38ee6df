from contextlib import suppress
from copy import deepcopy

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.geometry import pixels_to_rays, project
from poselift.lifting import LiftOptions
from poselift.lifting.network.overlapping_windows import lift_segments
from poselift.lifting.network.protocol import EncodedWindows
from poselift.lifting.network.torch_network import TorchNetwork
from poselift.lifting.prepare.prepare_stage import prepare
from poselift.models import Estimate, Lifter, ModelConfig, encode


@pytest.fixture
def segment(keypoints, weights, camera):
    (segment,) = prepare(keypoints, weights, camera, LiftOptions()).segments
    return segment


@pytest.fixture
def windows(segment):
    """Eight windows of 15 frames."""
    pixels, scores, times = (
        np.stack([values[first : first + 15] for first in range(0, 120, 15)])
        for values in (segment.pixels, segment.scores, segment.times)
    )
    size = np.array(segment.camera.image_size, np.float32)
    return EncodedWindows(
        pixels, scores, times - times[:, :1], segment.camera.K[None].repeat(8, 0), size[None].repeat(8, 0)
    )


class Recorder(Lifter):
    """Gives each joint the encoded x of its keypoint, with an uncertainty that differs from window to window."""

    def __init__(self, fit=100):
        super().__init__(ModelConfig())
        self.fit, self.batches, self.threads = fit, [], []

    def forward(self, encoded):
        return self.estimate(encoded).joints

    def estimate(self, encoded):
        self.batches.append(len(encoded.times))
        self.threads.append(torch.get_num_threads())
        if len(encoded.times) > self.fit:
            raise torch.OutOfMemoryError("CUDA out of memory")
        joints = encoded.coordinates[:, :, :17, :1].repeat(1, 1, 1, 3)
        return Estimate(joints, joints.abs().mean((1, 2, 3))[:, None, None].expand(joints.shape[:3]))


def test_it_is_the_lifter_itself(weights, windows):
    arrays = (windows.pixels, windows.scores, windows.times, windows.K, windows.image_size)
    with torch.no_grad():
        expected = weights.lifter(encode(*(torch.from_numpy(array).float() for array in arrays)))
    lifted = TorchNetwork(weights.lifter).lift(windows, flip=False)
    np.testing.assert_allclose(lifted.joints, expected.numpy(), atol=1e-6)
    assert lifted.joints.dtype == np.float32
    assert lifted.uncertainty is None


def test_mirrored_windows_have_a_say(weights, windows):
    alone, both = (TorchNetwork(weights.lifter).lift(windows, flip).joints for flip in (False, True))
    assert np.abs(alone - both).max() > 1e-3


def test_a_lifter_of_double_precision_gives_the_same(weights, windows):
    double = TorchNetwork(deepcopy(weights.lifter).double()).lift(windows, flip=True)
    assert double.joints.dtype == np.float32
    np.testing.assert_allclose(double.joints, TorchNetwork(weights.lifter).lift(windows, flip=True).joints, atol=1e-4)


def test_distortion_is_taken_out(weights, windows):
    """Distorted pixels with their distortion give what the plain pixels give."""
    bend = np.array([-0.2, 0.05, 0.001, -0.001, 0.0])
    K = windows.K[0].astype(np.float64)
    bent = project(pixels_to_rays(windows.pixels.reshape(-1, 2).astype(np.float64), K), K, bend)
    distorted = EncodedWindows(
        bent.reshape(windows.pixels.shape),
        windows.scores,
        windows.times,
        windows.K,
        windows.image_size,
        bend[None].repeat(8, 0),
    )
    plain, undone = (TorchNetwork(weights.lifter).lift(given, flip=True).joints for given in (windows, distorted))
    np.testing.assert_allclose(undone, plain, atol=1e-3)


def test_out_of_memory_halves_the_batch(windows):
    """The windows come back in their order, with the same result."""
    small, large = Recorder(fit=3), Recorder()
    found, expected = (TorchNetwork(lifter).lift(windows, flip=False) for lifter in (small, large))
    assert (small.batches, large.batches) == ([8, 4, 2, 2, 4, 2, 2], [8])
    np.testing.assert_array_equal(found.joints, expected.joints)
    np.testing.assert_array_equal(found.uncertainty, expected.uncertainty)
    with pytest.raises(InputError, match="too little memory for one window of 15 frames"):
        TorchNetwork(Recorder(fit=0)).lift(windows, flip=False)


def test_one_thread_computes_and_the_others_come_back(windows):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        for lifter in (Recorder(), Recorder(fit=0)):
            with suppress(InputError):
                TorchNetwork(lifter).lift(windows, flip=False)
            assert set(lifter.threads) == {1}
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_batches_of_a_lifter_make_no_difference(weights, segment):
    found = []
    for batch in (1, 16):
        network = TorchNetwork(weights.lifter)
        network.batch = batch
        found.append(lift_segments(network, [segment], 30, True)[0].joints)
    np.testing.assert_allclose(*found, atol=1e-5, rtol=1e-4)
