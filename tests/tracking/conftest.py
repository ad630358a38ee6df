import numpy as np
import pytest

from poselift.skeleton import COCO17
from poselift.structures import Detections
from poselift.tracking import Tracker

STANDING = {
    "nose": (0.0, 0.0), "left_eye": (0.02, -0.02), "right_eye": (-0.02, -0.02), "left_ear": (0.05, 0.0),
    "right_ear": (-0.05, 0.0), "left_shoulder": (0.11, 0.14), "right_shoulder": (-0.11, 0.14),
    "left_elbow": (0.14, 0.32), "right_elbow": (-0.14, 0.32), "left_wrist": (0.15, 0.47),
    "right_wrist": (-0.15, 0.47), "left_hip": (0.08, 0.47), "right_hip": (-0.08, 0.47), "left_knee": (0.08, 0.7),
    "right_knee": (-0.08, 0.7), "left_ankle": (0.08, 0.93), "right_ankle": (-0.08, 0.93),
}  # fmt: skip
SWING = {"wrist": 0.08, "elbow": 0.04, "knee": 0.06, "ankle": 0.12}


class Scenes:
    """Stick people who walk through a picture of 1280 x 720, and what a tracker makes of them."""

    @staticmethod
    def walker(x, time, height=300.0, y=300.0, seed=0):
        """The keypoints of somebody who walks, with noise of a pixel or two."""
        points = np.array([STANDING[joint] for joint in COCO17.joints])
        for row, joint in enumerate(COCO17.joints):
            side = 1 if joint.startswith("left") else -1
            points[row, 0] += side * SWING.get(joint.split("_")[-1], 0.0) * np.sin(2 * np.pi * time + seed)
        noise = np.random.default_rng([seed, int(1000 * time)]).normal(0, 1.5, points.shape)
        return points * height + np.array([x, y]) + noise

    @staticmethod
    def detections(poses, score=0.7):
        """What a detector would return for these poses."""
        poses = np.array(poses, dtype=float).reshape(-1, 17, 2)
        boxes = np.concatenate([poses.min(1), poses.max(1)], axis=-1) if len(poses) else np.zeros((0, 4))
        return Detections(boxes, np.full(len(poses), score), poses, np.full(poses.shape[:2], score), COCO17)

    @classmethod
    def track(cls, scene, times):
        """Runs a scene: `scene(time)` has the poses to be seen at a time."""
        tracker = Tracker((1280, 720))
        numbers = [tracker.update(cls.detections(scene(time)), float(time)) for time in times]
        return tracker.tracks(), numbers


@pytest.fixture
def scenes():
    return Scenes
