from dataclasses import replace

import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.geometry import axis_angle_to_matrix, project
from poselift.kinematics import relative_to_body
from poselift.kinematics.height import (
    ANKLE,
    CROWN,
    SPREAD,
    STRAIGHT,
    check_height,
    check_heights,
    estimate_height,
    height_of,
    take_height,
)
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.structures import Keypoints2D, Motion

LENGTHS = {"knee": 0.42, "ankle": 0.43, "spine": 0.12, "thorax": 0.23, "neck_base": 0.19, "head_top": 0.1}
PELVIS_OVER_HIPS = 0.08
ALONG = sum(LENGTHS.values()) + PELVIS_OVER_HIPS


def body(skeleton=H36M17, scale=1.0):
    """Someone who stands straight, one frame; the bones along the body have the lengths above."""
    place = dict.fromkeys(skeleton.joints, (0.0, 0.0, 0.0))
    y = 0.0
    for joint in ("spine", "thorax", "neck_base", "head_top"):
        y += LENGTHS[joint]
        place[joint] = (0.0, y, 0.0)
    for side, x in (("left", 0.09), ("right", -0.09)):
        knee = -PELVIS_OVER_HIPS - LENGTHS["knee"]
        place[f"{side}_hip"] = (x, -PELVIS_OVER_HIPS, 0.0)
        place[f"{side}_knee"] = (x, knee, 0.0)
        place[f"{side}_ankle"] = (x, knee - LENGTHS["ankle"], 0.0)
    return scale * np.array([[place[joint] for joint in skeleton.joints]], np.float32)


@pytest.mark.parametrize("skeleton", [H36M17, CMU28], ids=lambda skeleton: skeleton.name)
def test_the_sum_along_the_body_by_hand(skeleton):
    height = estimate_height(body(skeleton), skeleton)
    wanted = ALONG * (STRAIGHT + ANKLE + CROWN)
    assert 1.6 < wanted < 1.8
    assert height.metres == pytest.approx(wanted, rel=1e-5)
    assert height.spread == pytest.approx(SPREAD * wanted)
    assert height.origin == "estimated"


def test_posture_does_not_matter_and_neither_do_few_bad_frames():
    standing = estimate_height(body(), H36M17).metres
    motion = np.repeat(body(), 21, 0)
    knee, ankle = H36M17.index("left_knee"), H36M17.index("left_ankle")
    turn = axis_angle_to_matrix(torch.tensor([1.4, 0.3, 0.0])).numpy()
    motion[:, ankle] = motion[:, knee] + (motion[:, ankle] - motion[:, knee]) @ turn.T
    motion[3:8, H36M17.index("head_top")] += 2.0
    motion[9:12] = np.nan
    assert estimate_height(motion, H36M17).metres == pytest.approx(standing, rel=1e-4)


@pytest.mark.parametrize("metres", [0.49, 2.51, float("nan")])
def test_heights_of_nobody(metres):
    with pytest.raises(InputError, match=r"0\.5 to 2\.5 metres"):
        check_height(metres)


@pytest.fixture
def motion():
    """Someone who stands four metres away."""
    frames = 8
    pixels, times = np.full((frames, 17, 2), 9.0), np.arange(frames) / 30
    keypoints = Keypoints2D(pixels, np.ones((frames, 17)), times, COCO17, (640, 480))
    root = np.repeat(np.float32([[0.0, 0.0, 4.0]]), frames, 0)
    joints = np.repeat(body(), frames, 0)
    return Motion(joints, root, times, np.zeros(frames, bool), H36M17, "camera", keypoints)


def test_scaling_gives_the_height_and_keeps_the_picture(motion):
    rng = np.random.default_rng(0)
    joints = motion.joints + rng.normal(0, 0.01, motion.joints.shape).astype(np.float32)
    root = motion.root + rng.normal(0, 0.1, motion.root.shape).astype(np.float32)
    uncertainty = np.full(joints.shape[:2], 0.1, np.float32)
    motion = replace(motion, joints=joints, root=root, uncertainty=uncertainty)
    scaled = take_height(motion, 1.2)
    assert estimate_height(scaled.joints, H36M17).metres == pytest.approx(1.2, rel=1e-5)
    scale = 1.2 / estimate_height(joints, H36M17).metres
    np.testing.assert_allclose(relative_to_body(scaled).uncertainty, 0.1 * scale, rtol=1e-5)
    K = torch.tensor([[1000.0, 0, 500], [0, 1000, 400], [0, 0, 1]])
    before, after = (
        project(torch.from_numpy((seen.joints + seen.root[:, None]).reshape(-1, 3)), K) for seen in (motion, scaled)
    )
    torch.testing.assert_close(before, after, atol=1e-2, rtol=0)
    assert (scaled.joints.dtype, scaled.root.dtype) == (np.float32, np.float32)


def test_heights_by_person():
    assert [height_of(2, given) for given in (None, 1.7, {2: 1.6}, {1: 1.6})] == [None, 1.7, 1.6, None]
    for given in (None, 1.7, {1: 1.6, 2: 0.9}):
        check_heights(given)
    for given in (17.0, {1: 1.6, 2: 168.0}):
        with pytest.raises(InputError, match="not a person's"):
            check_heights(given)


def test_the_corpus_people_are_of_human_height(shared):
    from poselift.data.cmu import load_cmu

    corpus = load_cmu(shared / "data" / "cmu" / "cmu50.npz", "val")
    for index in range(0, len(corpus.names), 5):
        assert 1.5 < estimate_height(corpus.clip(index)[0].numpy(), CMU28).metres < 2.0
