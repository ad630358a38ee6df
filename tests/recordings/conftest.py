"""Motions to write and read."""

import dataclasses

import numpy as np
import pytest

from poselift.geometry.camera import Camera
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Hands, Keypoints2D, Motion


@pytest.fixture
def motion() -> Motion:
    """Six frames at an uneven pace; frame 2 was bridged, frame 4 left empty, one keypoint was never seen."""
    rng = np.random.default_rng(5)
    timestamps = np.array([0.0, 1 / 30, 0.07, 0.1, 0.14, 0.2])
    joints = rng.normal(0, 0.5, (6, 17, 3)).astype(np.float32)
    joints[:, 0] = 0
    root = (rng.normal(0, 1, (6, 3)) + [0, 0, 4]).astype(np.float32)
    joints[4], root[4] = np.nan, np.nan
    keypoints = rng.uniform(0, 640, (6, 17, 2)).astype(np.float32)
    scores = rng.uniform(0.3, 1, (6, 17)).astype(np.float32)
    for unseen in ((2, slice(None)), (4, slice(None)), (slice(None), 3)):
        keypoints[unseen], scores[unseen] = np.nan, 0
    interpolated = np.array([False, False, True, False, False, False])
    detected = Keypoints2D(keypoints, scores, timestamps, COCO17, (640, 480), person=3)
    return Motion(joints, root, timestamps, interpolated, H36M17, "camera", detected)


@pytest.fixture
def world_motion(motion) -> Motion:
    """The same in the world frame, with the feet that are down and how far off each joint may be."""
    contacts = np.array([[True, False]] * 3 + [[True, True], [False, False], [False, True]])
    uncertainty = np.arange(6 * 17, dtype=np.float32).reshape(6, 17) / 1000
    return dataclasses.replace(motion, frame="world", uncertainty=uncertainty, contacts=contacts)


def with_hands(motion: Motion) -> Motion:
    """The motion with a left hand in all frames but frame 1, and no right one."""
    rng, frames = np.random.default_rng(6), len(motion)
    joints, keypoints = np.full((frames, 2, 21, 3), np.nan), np.full((frames, 2, 21, 2), np.nan)
    joints[:, 0], keypoints[:, 0] = rng.normal(0, 0.05, (frames, 21, 3)), rng.uniform(0, 400, (frames, 21, 2))
    joints[:, 0, 0] = 0
    joints[1], keypoints[1] = np.nan, np.nan
    scores = np.where(np.isfinite(joints[..., 0, 0]), 0.75, 0.0)
    hands = Hands(*(values.astype(np.float32) for values in (keypoints, joints, scores)))
    return dataclasses.replace(motion, hands=hands)


@pytest.fixture
def about() -> dict:
    """The cameras and the weights of a motion's JSON."""
    camera = Camera(np.array([[800.0, 0, 319.5], [0, 800, 239.5], [0, 0, 1]]), (640, 480), "assumed")
    return {"cameras": [camera], "weights": {"lifter": {"name": "base", "sha256": "ab" * 32}}}
