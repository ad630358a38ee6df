from dataclasses import replace

import numpy as np

from poselift.data.synthetic import rest_offsets
from poselift.kinematics.height import Height
from poselift.lifting.clips.plausible_bodies import doubt_body
from poselift.skeleton import CMU28
from poselift.structures import Keypoints2D, Motion


def body(change=lambda joints: joints):
    """A person at rest in ten frames."""
    offsets, joints = rest_offsets().numpy(), np.zeros((28, 3))
    for joint in CMU28.topological_order[1:]:
        joints[joint] = joints[CMU28.parent_indices[joint]] + offsets[joint]
    moved = change(np.repeat(joints[None], 10, 0).astype(np.float32))
    return Motion(
        joints=moved.astype(np.float32),
        root=np.zeros((10, 3), np.float32),
        timestamps=np.arange(10) / 30,
        interpolated=np.zeros(10, bool),
        skeleton=CMU28,
        frame="camera",
        keypoints=Keypoints2D(np.zeros((10, 28, 2)), np.ones((10, 28)), np.arange(10) / 30, CMU28, (640, 480), 1),
    )


def knee_moved(joints):
    joints[:, CMU28.index("left_knee"), 1] += 0.2
    return joints


def test_people_are_not_doubted():
    assert doubt_body(replace(body(), height=Height(1.75, 0.17))) == []
    assert doubt_body(body()) == []
    assert doubt_body(replace(body(lambda joints: 0.8 * joints), height=Height(1.4, 0.14))) == []


def test_uneven_bones_are():
    (thighs, shanks) = doubt_body(replace(body(knee_moved), height=Height(1.75, 0.17)))
    assert thighs.startswith("thighs of 0.2")
    assert shanks.startswith("shanks of 0.6")


def test_bones_that_do_not_fit_the_height_are():
    doubts = doubt_body(replace(body(), height=Height(1.15, 0.1)))
    assert all(any(f"a {bone} of" in doubt for doubt in doubts) for bone in ("thigh", "shank"))
