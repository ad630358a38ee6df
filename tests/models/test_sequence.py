from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from poselift.core.errors import InputError
from poselift.geometry import pixels_to_rays, project
from poselift.models import Estimate, Lifter, ModelConfig, encode, estimate_sequence, lift_sequence
from poselift.models.sequence import window_starts
from poselift.skeleton import CMU28, H36M17


@given(st.integers(1, 2000), st.integers(2, 243), st.floats(0, 0.9))
def test_windows_cover_the_clip_and_overlap(frames, window, share):
    overlap = int(window * share)
    starts = window_starts(frames, window, overlap)
    length = min(window, frames)
    assert starts[0] == 0
    assert starts[-1] + length == frames
    steps = [b - a for a, b in pairwise(starts)]
    assert all(0 < step <= window - overlap for step in steps)


class _Echo(Lifter):
    """A lifter that knows: a function of each frame's own time alone, so windows must agree."""

    def __init__(self, constant=False):
        super().__init__(ModelConfig())
        self.constant = constant
        self.calls = 0

    def forward(self, encoded):
        self.calls += 1
        b, t = encoded.times.shape
        out = encoded.coordinates[:, :, :17, :1].expand(b, t, 17, 3)
        return torch.full_like(out, float(self.calls)) if self.constant else out


def lift(model, view, **options):
    arguments = (view.keypoints, view.scores, view.times, view.K, view.image_size)
    return lift_sequence(model, *arguments, **options)


def test_one_window_is_the_lifter_itself(lifter, view):
    arguments = (view.keypoints, view.scores, view.times, view.K, view.image_size)
    whole = lifter(encode(*(x[None] for x in arguments)))[0]
    torch.testing.assert_close(lift(lifter, view, window=200, flip=False), whole.detach(), atol=1e-6, rtol=1e-5)


def test_double_precision_and_times_of_day_give_the_same(lifter, view):
    plain = lift(lifter, view, window=40)
    double = replace(
        view,
        **{name: getattr(view, name).double() for name in ("keypoints", "scores", "K", "image_size")},
        times=view.times.double() + 1.7e9,
    )
    torch.testing.assert_close(lift(lifter, double, window=40), plain, atol=1e-4, rtol=1e-4)


@pytest.fixture
def windows_at_once(monkeypatch):
    """Sets how many windows are lifted at once."""
    return partial(monkeypatch.setattr, "poselift.models.sequence._BATCH_CPU")


def test_no_seam_shows(view, windows_at_once):
    """Windows that differ by a constant are blended: no step is larger than a small part of that constant."""
    windows_at_once(1)
    out = lift(_Echo(constant=True), view, window=40, flip=False)
    assert float(out.amax() - out.amin()) >= 3
    assert float(out.diff(dim=0).abs().max()) < 0.15


class _Large(_Echo):
    """Runs out of memory with more windows than fit."""

    def __init__(self, fit):
        super().__init__()
        self.fit, self.batches = fit, []

    def forward(self, encoded):
        self.batches.append(len(encoded.times))
        if len(encoded.times) > self.fit:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return super().forward(encoded)


def test_out_of_memory_halves_the_batch(view, windows_at_once):
    """The rest of the clip is lifted in the smaller batches, with the same result."""
    windows_at_once(8)
    options = {"window": 20, "flip": False}  # 11 windows
    model = _Large(fit=3)
    torch.testing.assert_close(lift(model, view, **options), lift(_Echo(), view, **options))
    assert model.batches == [8, 4, 2, 2, 2, 2, 2, 1]
    with pytest.raises(InputError, match="too little memory for one window of 20 frames"):
        lift(_Large(fit=0), view, **options)


def test_flip_average_commutes_with_the_mirror(lifter, view):
    """What the mirrored video gives is the mirror of what the video gives."""
    order = list(CMU28.flip_indices)
    flipped = view.keypoints[:, order].clone()
    flipped[..., 0] = 2 * view.K[0, 2] - flipped[..., 0]
    mirrored = lift(lifter, replace(view, keypoints=flipped, scores=view.scores[:, order]), window=60)
    sign = torch.tensor([-1.0, 1.0, 1.0])
    ours = lift(lifter, view, window=60)[:, list(H36M17.flip_indices)] * sign
    torch.testing.assert_close(mirrored, ours, atol=1e-4, rtol=1e-3)


def test_distortion_is_taken_out(lifter, view):
    """Distorted pixels with their distortion give what the plain pixels give."""
    distortion = torch.tensor([-0.2, 0.05, 0.001, -0.001, 0.0])
    known = view.keypoints.isfinite().all(-1)
    rays = pixels_to_rays(view.keypoints.nan_to_num().reshape(-1, 2), view.K)
    bent = project(rays, view.K, distortion).view(view.keypoints.shape)
    bent[~known] = torch.nan
    plain = lift(lifter, view, window=60)
    undone = lift(lifter, replace(view, keypoints=bent), window=60, distortion=distortion)
    torch.testing.assert_close(undone, plain, atol=1e-3, rtol=1e-2)


class _Sure(_Echo):
    """Says how far off each joint of the left side may be: the number of its call or window, metres; the others 0."""

    def estimate(self, encoded):
        joints = self(encoded)
        left = torch.tensor([joint.startswith("left_") for joint in H36M17.joints])
        number = self.calls + torch.arange(len(joints), dtype=joints.dtype)
        return Estimate(joints, (number[:, None, None] * left).expand(joints.shape[:3]))


def test_uncertainties_are_blended_and_mirrored_as_joints_are(view, windows_at_once):
    arguments = (view.keypoints, view.scores, view.times, view.K, view.image_size)
    left, right = H36M17.index("left_knee"), H36M17.index("right_knee")
    # One window and its mirror image, whose uncertainty is 2: its left side is the person's right.
    uncertainty = estimate_sequence(_Sure(), *arguments, window=200).uncertainty
    assert uncertainty.shape == (1, len(view), 17)
    assert uncertainty[..., left].unique().tolist() == [0.5]
    assert uncertainty[..., right].unique().tolist() == [1.0]
    windows_at_once(1)
    blended = estimate_sequence(_Sure(), *arguments, window=40, flip=False).uncertainty[0, :, left]
    assert float(blended.amax() - blended.amin()) >= 3
    assert float(blended.diff().abs().max()) < 0.15
    assert estimate_sequence(_Echo(), *arguments, window=40).uncertainty is None
