from dataclasses import replace

import numpy as np
import pytest
import torch

from poselift.geometry import project
from poselift.lifting import lift_track
from poselift.lifting.pelvis import pelvis_off, without_strange_pelvis
from poselift.models import load_weights
from poselift.skeleton import CMU28, COCO17, H36M17, HALPE26, Skeleton
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
    assert pelvis_off(frame[None], TRUNK) == pytest.approx(0.1)
    assert pelvis_off(5 * frame[None], TRUNK) == pytest.approx(0.1)


def test_frames_that_do_not_show_it_do_not_count():
    points = np.stack([np.array([[0.0, 1.2], [1, 1], [-1, 1], [1, 2], [-1, 2]])] * 4)
    points[0, 0] = np.nan
    points[1, 3] = np.nan
    points[2, 1:] = 0  # no trunk
    assert pelvis_off(points, TRUNK) == pytest.approx(0.2)
    assert np.isnan(pelvis_off(points[:2], TRUNK))
    assert np.isnan(pelvis_off(np.zeros((3, 17, 2)), COCO17))  # no pelvis


@pytest.fixture
def own_pelvis(oracle):
    """Has the oracle put the pelvis so far up the trunk."""

    def put(share):
        with torch.no_grad():
            joints = oracle.lifter.joints
            hips, shoulders = (
                joints[:, H36M17.indices([f"left_{part}", f"right_{part}"])].mean(1) for part in ("hip", "shoulder")
            )
            joints[:, H36M17.index("pelvis")] = hips + share * (shoulders - hips)
            joints -= joints[:, :1].clone()
        return oracle

    return put


@pytest.mark.parametrize(("keypoint", "own", "used"), [(0.0, 0.2, False), (0.0, 0.0, True), (0.2, 0.2, True)])
def test_a_pelvis_between_the_hips_is_not_used_by_a_lifter_whose_own_is_not(
    keypoint, own, used, seen, own_pelvis, camera
):
    weights = own_pelvis(own)
    motion = lift_track(seen(keypoint), weights, camera, flip=False)
    other = lift_track(without_pelvis(seen(keypoint)), weights, camera, flip=False)
    # This lifter does not look; but the place of a person follows from the rays of all that is used.
    assert (np.abs(motion.root - other.root).max() > 1e-6) == used
    assert motion.keypoints.scores.min() == pytest.approx(0.9)  # what was seen is given back as it was


@pytest.mark.parametrize(
    ("seen_at", "own_at", "gone"), [(0, 0.2, True), (0, 0, False), (0.2, 0.2, False), (0.2, 0, False)]
)
def test_the_score_is_0_where_the_two_differ(seen_at, own_at, gone):
    def body(share, depth):
        points = np.array([[[0, share], [0.2, 0], [-0.2, 0], [0.2, 1], [-0.2, 1]]])
        return np.concatenate((points, np.zeros((1, 5, depth - 2))), -1)

    scores = np.full((1, 5), 0.5)
    left = without_strange_pelvis(body(seen_at, 2), scores, TRUNK, lambda _: body(own_at, 3), TRUNK)
    assert left.tolist() == [[0 if gone else 0.5, 0.5, 0.5, 0.5, 0.5]]
    assert (scores == 0.5).all()


def test_a_pelvis_alone_says_nothing(seen, camera):
    keypoints = seen(0.0)
    scores = np.zeros_like(keypoints.scores)
    scores[:, H36M17.index("pelvis")] = 0.9
    motion = lift_track(replace(keypoints, scores=scores), load_weights("tiny"), camera, flip=False)
    assert np.isfinite(motion.joints).all()


def test_halpe_26_has_all_that_is_asked_for():
    assert np.isfinite(pelvis_off(np.random.default_rng(0).normal(size=(2, 26, 2)), HALPE26))
