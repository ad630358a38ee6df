"""Numbers that no detector should give: each joint that comes out is finite or its frame is marked as empty."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, KeypointFile, Observation
from poselift.lifting import LiftOptions, LiftRequest, camera_for, lift, lift_clip
from poselift.models import load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

pytestmark = pytest.mark.many_calls

FRAMES = 12
ODD = (np.nan, 1e30, -1e30, 1e300, 0.0, 320.0, 1e6)


@pytest.fixture(scope="module")
def tiny():
    return load_weights("tiny")


def person(number=1):
    times = np.arange(FRAMES) / 30
    body = np.random.default_rng(number).uniform(100, 300, (17, 2))
    return body[None] + 20 * np.sin(times)[:, None, None], np.full((FRAMES, 17), 0.9), times


def lifted(keypoints, scores, times, weights):
    given_ = Keypoints2D(keypoints, scores, times, COCO17, (640, 480))
    return lift(given_, weights, camera_for((640, 480)), LiftOptions(flip=False, window=9))


odd_places = st.lists(
    st.tuples(st.integers(0, FRAMES - 1), st.integers(0, 16), st.sampled_from(ODD), st.sampled_from((0.0, 0.5, 1.0))),
    max_size=40,
)


@pytest.mark.slow
@settings(max_examples=12)
@given(odd_places, st.booleans())
def test_no_number_gives_an_unmarked_nan(tiny, places, whole_frame):
    keypoints, scores, times = person()
    for frame, joint, value, score in places:
        rows = slice(None) if whole_frame else joint
        keypoints[frame, rows], scores[frame, rows] = value, score
    motion = lifted(keypoints, scores, times, tiny)
    empty = np.isnan(motion.joints).any((1, 2))
    for values in (motion.joints, motion.uncertainty, motion.root):
        assert np.isfinite(values[~empty]).all()
        assert np.isnan(values[empty]).all()
    assert (np.abs(motion.joints[~empty]) < 5).all(), "metres"


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, FRAMES - 1), st.sampled_from((np.nan, 1e300)))
def test_what_is_not_finite_is_like_what_was_not_seen(tiny, frame, value):
    keypoints, scores, times = person()
    keypoints[frame, 3] = value
    unseen = scores.copy()
    unseen[frame, 3] = 0
    a, b = (lifted(keypoints if bad else person()[0], s, times, tiny) for bad, s in ((True, scores), (False, unseen)))
    np.testing.assert_array_equal(a.joints, b.joints)
    np.testing.assert_array_equal(a.root, b.root)


def test_all_joints_in_one_place_and_nothing_at_all(tiny):
    keypoints, scores, times = person()
    assert np.isfinite(lifted(np.full_like(keypoints, 200.0), scores, times, tiny).joints).all()
    assert np.isnan(lifted(keypoints, 0 * scores, times, tiny).joints).all()


def together(weights, keypoints, scores):
    """The motions of two people whom a file of keypoints names, the first with these keypoints."""
    bodies = {"a": (keypoints, scores), "b": person(2)[:2]}
    frames = {
        frame: [Observation(points[frame], seen[frame], name) for name, (points, seen) in bodies.items()]
        for frame in range(FRAMES)
    }
    clip = KeypointClip(KeypointFile(Path("two.json"), "coco", COCO17, frames), fps=30, image_size=(640, 480))
    request = LiftRequest(fov=60.0, options=LiftOptions(flip=False, window=9))
    return lift_clip(clip, weights, request).people


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, FRAMES - 1), st.sampled_from((*ODD, "coincident")), st.sampled_from((0.0, 0.9)), st.booleans())
def test_no_number_of_a_person_reaches_another(tiny, frame, value, score, one_joint):
    keypoints, scores, _ = person()
    joints = slice(4, 5) if one_joint else slice(None)
    keypoints[frame, joints] = keypoints[frame, 0] if value == "coincident" else value
    scores[frame, joints] = score
    try:
        found = together(tiny, keypoints, scores)[-1]
    except InputError:
        assert abs(value) > 1e5, "a file with huge numbers is refused as a whole"
        return
    undisturbed = together(tiny, *person()[:2])[-1]
    np.testing.assert_array_equal(found.keypoints.keypoints, person(2)[0])
    np.testing.assert_array_equal(found.joints, undisturbed.joints)
    np.testing.assert_array_equal(found.root, undisturbed.root)
    np.testing.assert_array_equal(found.timestamps, undisturbed.timestamps)


@settings(max_examples=8)
@given(st.integers(0, 59), st.integers(0, 16), st.sampled_from(ODD), st.sampled_from((0.0, 0.9)))
def test_the_lifter_shows_a_number_to_its_window_only(tiny, frame, joint, value, score):
    """Refinement, constant bones and the root look at the whole clip, with weights against outliers."""
    times = np.arange(60) / 30
    body = person()[0][:1] + 20 * np.sin(times)[:, None, None]
    options = LiftOptions(flip=False, window=9, refine=False, constant_bones=False)
    motions = []
    for changed in (False, True):
        keypoints, scores = body.copy(), np.full((60, 17), 0.9)
        if changed:
            keypoints[frame, joint], scores[frame, joint] = value, score
        given_ = Keypoints2D(keypoints, scores, times, COCO17, (640, 480))
        motions.append(lift(given_, tiny, camera_for((640, 480)), options).joints)
    far = np.abs(np.arange(60) - frame) >= options.window
    np.testing.assert_array_equal(motions[0][far], motions[1][far])
