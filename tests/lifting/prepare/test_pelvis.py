from dataclasses import replace

import numpy as np
import pytest

from poselift.geometry import project
from poselift.lifting import LiftOptions, lift
from poselift.lifting.prepare.pelvis import pelvis_offset
from poselift.models import load_weights
from poselift.skeleton import CMU28, COCO17, H36M17, Skeleton
from poselift.structures import Keypoints2D

TRUNK = Skeleton(
    "trunk",
    ("pelvis", "left_hip", "right_hip", "left_shoulder", "right_shoulder"),
    (None, "pelvis", "pelvis", "pelvis", "pelvis"),
)


@pytest.fixture
def seen(view, camera):
    """Exact keypoints of the view, of the joints of Human3.6M-17, with the pelvis so far up the trunk."""

    def seen(share):
        points = (view.joints + view.root[:, None])[:, CMU28.indices(list(H36M17.joints))]
        pixels = project(points.reshape(-1, 3), view.K).view(len(points), 17, 2).double().numpy()
        middle = {
            part: pixels[:, H36M17.indices([f"left_{part}", f"right_{part}"])].mean(1) for part in ("hip", "shoulder")
        }
        pixels[:, H36M17.index("pelvis")] = middle["hip"] + share * (middle["shoulder"] - middle["hip"])
        scores = np.full((len(points), 17), 0.9)
        return Keypoints2D(pixels, scores, view.times.double().numpy(), H36M17, camera.image_size)

    return seen


def without_pelvis(keypoints):
    scores = keypoints.scores.copy()
    scores[:, keypoints.skeleton.index("pelvis")] = 0
    return replace(keypoints, scores=scores)


def test_the_distance_is_in_lengths_of_the_trunk():
    frame = np.array([[0.0, 1.1], [1, 1], [-1, 1], [1, 2], [-1, 2]])
    assert pelvis_offset(frame[None], TRUNK) == pytest.approx(0.1)
    assert pelvis_offset(5 * frame[None], TRUNK) == pytest.approx(0.1)


def test_frames_that_do_not_show_it_do_not_count():
    points = np.stack([np.array([[0.0, 1.2], [1, 1], [-1, 1], [1, 2], [-1, 2]])] * 4)
    points[0, 0] = np.nan
    points[1, 3] = np.nan
    points[2, 1:] = 0  # no trunk
    assert pelvis_offset(points, TRUNK) == pytest.approx(0.2)
    assert np.isnan(pelvis_offset(points[:2], TRUNK))
    assert np.isnan(pelvis_offset(np.zeros((3, 17, 2)), COCO17))  # no pelvis


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keypoint", "own", "used"),
    [(0.0, "spine", False), (0.0, "hips", True), (0.2, "spine", True), (0.0, None, True)],
)
def test_the_card_says_whether_a_pelvis_between_the_hips_is_used(keypoint, own, used, seen, oracle, camera):
    weights = replace(oracle, pelvis=own)
    motion = lift(seen(keypoint), weights, camera, LiftOptions(flip=False))
    other = lift(without_pelvis(seen(keypoint)), weights, camera, LiftOptions(flip=False))
    # This lifter does not look; but the place of a person follows from the rays of all that is used.
    assert (np.abs(motion.root - other.root).max() > 1e-6) == used
    assert motion.keypoints.scores.min() == pytest.approx(0.9)  # what was seen is given back as it was
    assert motion.pelvis == own


@pytest.mark.slow
def test_shipped_lifters_have_theirs_at_the_base_of_the_spine(seen, camera):
    weights = load_weights("tiny")
    assert weights.pelvis == "spine"
    between, without = (lift(given, weights, camera) for given in (seen(0.0), without_pelvis(seen(0.0))))
    np.testing.assert_array_equal(between.joints, without.joints)
