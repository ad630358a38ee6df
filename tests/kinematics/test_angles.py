from dataclasses import replace

import numpy as np
import pytest
import torch

from poselift.kinematics import measure_joint_angles, solve
from poselift.kinematics.directions import swing
from poselift.skeleton import CMU28, COCO17, H36M17
from tests.kinematics.conftest import pose, turn

pytestmark = pytest.mark.many_calls

STANCES = {
    "facing +z": turn("y", 0.0),
    "facing the left": turn("y", 90.0),
    "on the back": turn("x", -90.0),
    "on the belly, askew": turn("y", 30.0) @ turn("x", 90.0),
    "upside down": turn("y", 70.0) @ turn("x", 180.0),
}
"""Rotations of everything."""

BENT = {"left_knee": turn("x", 60.0), "right_knee": turn("x", 60.0)}

POSES = [
    ("spine", "x", 25.0, "trunk_flexion", 25.0),
    ("spine", "z", 20.0, "trunk_bending", 20.0),
    ("spine", "y", 35.0, "trunk_rotation", 35.0),
    ("neck_base", "x", -30.0, "neck_flexion", -30.0),
    ("neck_base", "z", -15.0, "neck_bending", -15.0),
    ("neck_base", "y", 50.0, "neck_rotation", 50.0),
    ("left_hip", "x", -40.0, "left_hip_flexion", 40.0),
    ("right_hip", "x", 20.0, "right_hip_flexion", -20.0),
    ("left_hip", "z", 30.0, "left_hip_adduction", -30.0),
    ("right_hip", "z", 10.0, "right_hip_adduction", 10.0),
    ("left_hip", "y", -20.0, "left_hip_rotation", 20.0),
    ("right_hip", "y", -20.0, "right_hip_rotation", -20.0),
    ("right_knee", "x", 70.0, "right_knee_flexion", 70.0),
    ("left_elbow", "y", -60.0, "left_elbow_flexion", 60.0),
    ("right_elbow", "y", 60.0, "right_elbow_flexion", 60.0),
    ("left_ankle", "x", -15.0, "left_ankle_dorsiflexion", 15.0),
    ("right_ankle", "x", 30.0, "right_ankle_dorsiflexion", -30.0),
    ("left_shoulder", "z", -40.0, "left_shoulder_elevation", 50.0),
    ("right_shoulder", "z", -40.0, "right_shoulder_elevation", 130.0),
    ("left_shoulder", "y", -35.0, "left_shoulder_plane", 35.0),
    ("right_shoulder", "y", 35.0, "right_shoulder_plane", 35.0),
]
"""One joint turned about one axis of a T-pose that faces +z, the left at +x; the angle, degrees."""


def modulo(degrees):
    """Between -180 and 180."""
    return (np.asarray(degrees) + 180) % 360 - 180


@pytest.mark.parametrize("stance", ["facing the left", "upside down"])
def test_each_angle_by_itself_upright_and_upside_down(stance):
    for joint, axis, degrees, name, expected in POSES:
        turns = BENT | {joint: turn(axis, degrees)} if "hip_" in name else {joint: turn(axis, degrees)}
        angles = measure_joint_angles(pose(turns, frames=1, world=STANCES[stance]))
        np.testing.assert_allclose(angles.of(name), expected, atol=0.1, err_msg=name)
        bent = {"left_knee_flexion", "right_knee_flexion"} if "hip_" in name else set()
        for other in {*angles.names} - {name} - bent:
            if joint.split("_")[-1] in other and not other.startswith("pelvis"):
                shoulder = 90.0 if other.endswith("elevation") else 0.0
                off = np.nan_to_num(modulo(angles.of(other) - shoulder))
                np.testing.assert_allclose(off, 0, atol=0.1, err_msg=f"{name} shows in {other}")


@pytest.mark.parametrize(("rotation", "bank", "tilt"), [(0, 0, 0), (30, 10, -20), (-130, -25, 40), (170, 5, 15)])
def test_the_pelvis(rotation, bank, tilt):
    angles = measure_joint_angles(pose(world=turn("y", rotation) @ turn("z", bank) @ turn("x", tilt)))
    for name, expected in (("rotation", rotation), ("list", bank), ("tilt", tilt)):
        np.testing.assert_allclose(angles.of(f"pelvis_{name}"), expected, atol=0.1)


@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=lambda skeleton: skeleton.name)
@pytest.mark.parametrize("stance", STANCES.values(), ids=STANCES.keys())
def test_all_angles_together_left_and_right_apart(stance, skeleton):
    """Fifty poses in which every joint is turned about every axis."""
    frames, rng = 50, np.random.default_rng(5)
    expected = {}

    def drawn(name, low, high):
        expected[name] = rng.uniform(low, high, frames)
        return torch.from_numpy(expected[name])

    def about(values, signs=(1, 1, 1)):
        """Flexion, bending and rotation, in the order of Grood and Suntay."""
        x, z, y = (sign * value for sign, value in zip(signs, values, strict=True))
        return turn("x", x) @ turn("z", z) @ turn("y", y)

    parts = ("flexion", "bending", "rotation")
    turns = {"spine": about([drawn(f"trunk_{part}", -40, 40) for part in parts])}
    head = [drawn(f"neck_{part}", -40, 40) for part in parts]
    if skeleton is H36M17:  # without a face, the neck's rotation cannot be told
        head[2] = torch.zeros(frames, dtype=torch.float64)
        del expected["neck_rotation"]
        turns["neck_base"] = turn("x", head[0]) @ turn("z", head[1])
    else:
        turns["neck_base"] = about(head)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hip = [drawn(f"{side}_hip_{part}", low, high) for part, low, high in HIP]
        turns[f"{side}_hip"] = about(hip, (-1, -sign, -sign))
        turns[f"{side}_knee"] = turn("x", drawn(f"{side}_knee_flexion", 30, 120))
        if skeleton is CMU28:
            turns[f"{side}_ankle"] = turn("x", -drawn(f"{side}_ankle_dorsiflexion", -40, 20))
        plane, elevation, rotation = (drawn(f"{side}_shoulder_{part}", low, high) for part, low, high in SHOULDER)
        turns[f"{side}_shoulder"] = shoulder(plane, elevation, rotation, sign)
        turns[f"{side}_elbow"] = turn("y", -sign * drawn(f"{side}_elbow_flexion", 30, 130))
    motion = pose(turns, frames, skeleton, world=stance)
    assert np.nanmax(solve(motion).residuals) < 1e-6
    angles = measure_joint_angles(motion)
    assert {*expected} == {name for name in angles.names if not name.startswith("pelvis")}
    for name, degrees in expected.items():
        np.testing.assert_allclose(modulo(angles.of(name) - degrees), 0, atol=0.1, err_msg=name)


HIP = (("flexion", -30, 100), ("adduction", -40, 30), ("rotation", -40, 40))
SHOULDER = (("plane", 0, 110), ("elevation", 20, 110), ("rotation", -60, 45))
"""Ranges that people reach together, degrees; `solve` limits poses beyond."""


def shoulder(plane, elevation, rotation, sign):
    """Rotation of an upper arm from the T-pose: it hangs, rises by the shortest swing and turns inwards."""
    p, e, r = (torch.deg2rad(value) for value in (plane, elevation, rotation))
    along = torch.stack([sign * e.sin() * p.cos(), -e.cos(), e.sin() * p.sin()], -1)
    down = torch.tensor([0.0, -1.0, 0.0], dtype=torch.float64).expand(len(along), -1)
    x, y, z = along.T
    zero = torch.zeros_like(x)
    cross = torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], -1).view(-1, 3, 3)
    angle = (sign * r)[:, None, None]
    inwards = torch.eye(3, dtype=torch.float64) + angle.sin() * cross + (1 - angle.cos()) * cross @ cross
    return inwards @ swing(down, along) @ turn("z", -90.0 * sign)


def test_angles_of_joints_that_no_keypoint_shows_are_unknown():
    whole = pose({"left_knee": turn("x", 40.0)}, frames=10)
    rows = [whole.skeleton.index(joint) for joint in COCO17.joints]
    seen = whole.keypoints
    coco = replace(seen, keypoints=seen.keypoints[:, rows], scores=seen.scores[:, rows], skeleton=COCO17)
    angles = measure_joint_angles(replace(whole, keypoints=coco))  # a detector without feet
    assert np.isnan(angles.of("left_ankle_dorsiflexion")).all()
    np.testing.assert_allclose(angles.of("left_knee_flexion"), 40, atol=0.1)
    scores = coco.scores.copy()
    scores[:, COCO17.index("left_ankle")] = 0
    cut = measure_joint_angles(replace(whole, keypoints=replace(coco, scores=scores)))
    for name in ("left_knee_flexion", "left_hip_rotation"):
        assert np.isnan(cut.of(name)).all()
    for name in ("left_hip_flexion", "right_knee_flexion", "trunk_flexion"):
        assert np.isfinite(cut.of(name)).all()


def test_what_the_pose_does_not_show_is_unknown():
    straight = measure_joint_angles(pose({"left_shoulder": turn("z", -90.0), "left_elbow": turn("y", -50.0)}))
    assert np.isnan(straight.of("left_hip_rotation")).all()
    assert np.isnan(straight.of("left_shoulder_plane")).all()
    assert np.isfinite(straight.of("left_shoulder_rotation")).all()
    assert np.isnan(straight.of("right_shoulder_rotation")).all()
    np.testing.assert_allclose(straight.of("left_shoulder_elevation"), 0, atol=0.1)


def test_the_range_of_motion():
    angles = measure_joint_angles(pose({"left_knee": turn("x", np.linspace(10, 95, 18))}, frames=18))
    ranges = dict(zip(angles.names, angles.ranges(), strict=True))
    np.testing.assert_allclose(ranges["left_knee_flexion"], [10, 95], atol=0.1)
    assert np.isnan(ranges["right_hip_rotation"]).all()
