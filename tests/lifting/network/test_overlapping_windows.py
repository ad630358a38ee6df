from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poselift.lifting import camera_for
from poselift.lifting.network.overlapping_windows import lift_segments, window_starts
from poselift.lifting.network.protocol import Lifted
from poselift.lifting.prepare.prepare_stage import Segment


@given(st.integers(1, 2000), st.integers(2, 243), st.floats(0, 0.9))
def test_windows_cover_the_clip_and_overlap(frames, window, share):
    overlap = int(window * share)
    starts = window_starts(frames, window, overlap)
    length = min(window, frames)
    assert starts[0] == 0
    assert starts[-1] + length == frames
    steps = [b - a for a, b in pairwise(starts)]
    assert all(0 < step <= window - overlap for step in steps)


class Echo:
    """A network that gives each joint the x of its keypoint: windows agree."""

    def __init__(self, batch=4):
        self.batch = batch
        self.given = []

    def lift(self, windows, flip):
        self.given.append(windows)
        return Lifted(windows.pixels[..., :1].repeat(3, -1), None)

    @property
    def times(self):
        """Of all windows, one array each."""
        return [times for windows in self.given for times in windows.times]


class Numbers(Echo):
    """Gives all joints and uncertainties of a window the number of the window."""

    def lift(self, windows, flip):
        first = sum(len(given.times) for given in self.given)
        joints = super().lift(windows, flip).joints
        numbers = np.broadcast_to(first + np.arange(len(joints), dtype=np.float32)[:, None, None], joints.shape[:3])
        return Lifted(numbers[..., None].repeat(3, -1), numbers)


class Places(Echo):
    """Gives what depends on the window: each keypoint minus that of the window's first frame."""

    def lift(self, windows, flip):
        joints = super().lift(windows, flip).joints
        return Lifted(joints - joints[:, :1], None)


def segment(frames, fps=30.0, seed=0, motions=1):
    """Two joints that move at random."""
    pixels = np.random.default_rng(seed).normal(size=(frames, 2, 2)).cumsum(0).astype(np.float32)
    scores, times = np.ones((frames, 2), np.float32), np.arange(frames) / fps
    rays, ray_scores = np.ones((frames, 2, 3)), np.ones((frames, 2))
    camera = camera_for((640, 480))
    return Segment(0, frames, times, pixels, scores, rays, ray_scores, np.arange(frames), camera, 0, motions)


def lift(network, *segments, window=20):
    return lift_segments(network, segments, window, flip=False)


def test_windows_that_agree_give_the_whole():
    given_ = segment(131)
    (lifted,) = lift(Echo(), given_)
    np.testing.assert_allclose(lifted.joints, given_.pixels[..., :1].repeat(3, -1), atol=1e-5)
    assert lifted.uncertainty is None


@pytest.mark.parametrize("frames", [1, 3, 20])
def test_a_segment_no_longer_than_a_window_is_one_window(frames):
    network = Echo()
    (lifted,) = lift(network, segment(frames))
    assert lifted.joints.shape == (frames, 2, 3)
    assert [windows.times.shape for windows in network.given] == [(1, frames)]


def test_no_seam_shows():
    """Windows that differ by a constant are blended: each step is a small part of that constant."""
    (lifted,) = lift(Numbers(), segment(120), window=40)
    for values in (lifted.joints, lifted.uncertainty):
        assert float(values.max() - values.min()) >= 3
        assert float(np.abs(np.diff(values, axis=0)).max()) < 0.15


def test_batches_make_no_difference():
    found = []
    for batch in (1, 16):
        network = Places(batch)
        (lifted,) = lift(network, segment(120))
        assert max(len(windows.times) for windows in network.given) == min(batch, 11)
        found.append(lifted.joints)
    np.testing.assert_allclose(*found, atol=1e-5)


def test_people_are_lifted_together_as_they_are_alone():
    people = [segment(70, seed=1), segment(9, seed=2), segment(50, seed=3), segment(9, seed=4)]
    network = Places(batch=16)
    together = lift(network, *people)
    assert sorted(windows.times.shape for windows in network.given) == [(2, 9), (10, 20)], "one batch for each length"
    for person, lifted in zip(people, together, strict=True):
        np.testing.assert_allclose(lifted.joints, lift(Places(), person)[0].joints, atol=1e-5)


def test_nobody():
    assert lift(Echo()) == []


def test_times_count_from_the_first_frame_of_a_window():
    """Single precision rounds times of day to milliseconds."""
    given_ = segment(50)
    network = Echo()
    lift(network, replace(given_, times=given_.times + 1.7e9))
    for times in network.times:
        np.testing.assert_allclose(times, np.arange(20) / 30, atol=1e-6)


def test_each_window_has_its_own_camera():
    people = [segment(9), replace(segment(9), camera=camera_for((480, 640), fov=40.0))]
    network = Echo()
    lift(network, *people)
    (windows,) = network.given
    np.testing.assert_array_equal(windows.K, [person.camera.K for person in people])
    assert windows.image_size.tolist() == [[640, 480], [480, 640]]
    assert windows.distortion is None
    bent = np.array([0.1, 0, 0, 0, 0], np.float32)
    lift(network, replace(people[0], camera=replace(people[0].camera, distortion=bent)))
    np.testing.assert_array_equal(network.given[-1].distortion, bent[None])


@pytest.mark.parametrize(("fps", "parts"), [(60, 2), (240, 5)])
def test_interleaved_motions_are_lifted_by_themselves(fps, parts):
    """The result is the mean of the motions, interpolated to all frames."""
    given_ = segment(200, fps, motions=parts)
    network = Places()
    (lifted,) = lift(network, given_)
    for times in network.times:
        np.testing.assert_allclose(np.diff(times), parts / fps, atol=1e-9)
    expected = []
    for first in range(parts):
        rows = slice(first, None, parts)
        arrays = {
            name: getattr(given_, name)[rows] for name in ("times", "pixels", "scores", "rays", "ray_scores", "frames")
        }
        part = replace(given_, motions=1, **arrays)
        columns = lift(Places(), part)[0].joints.reshape(len(part.times), -1).T
        expected.append([np.interp(given_.times, part.times, column) for column in columns])
    np.testing.assert_allclose(lifted.joints.reshape(200, -1).T, np.mean(expected, 0), atol=1e-4)


def test_each_interleaved_motion_gets_all_empty_frames():
    given_ = segment(80, fps=100, motions=2)
    scores = given_.scores.copy()
    scores[[30, 40, 50]] = 0
    network = Echo()
    lift(network, replace(given_, scores=scores), window=80)
    first, second = (set(np.flatnonzero(np.isin(given_.pixels[:, 0, 0], w.pixels[0, :, 0, 0]))) for w in network.given)
    assert first & second == {30, 40, 50}
    assert first | second == set(range(80))


def test_one_frame_and_a_fast_segment_without_keypoints():
    for given_ in (segment(1, motions=2), replace(segment(8, motions=2), scores=np.zeros((8, 2), np.float32))):
        (lifted,) = lift(Echo(), given_)
        assert np.isfinite(lifted.joints).all()
