import dataclasses

import numpy as np
import pytest
import torch

from poselift.geometry import forward_kinematics
from poselift.kinematics import solve
from poselift.kinematics.fingers import add_fingers
from poselift.skeleton import CMU28, H36M17
from poselift.skeleton.hand import HAND21, SIDES
from poselift.structures import Hands
from tests.kinematics.conftest import pose, turn

BEND = {"mcp": 50.0, "pip": 70.0, "dip": 30.0}
"""Degrees, of the index finger of a made hand; the others have a half of it."""


def bend(side, degrees):
    """Towards the palm of a hand that points along the arm in a T-pose, palm down."""
    return turn("z", -degrees if side == "left" else degrees)


def made_hand(side, frames, share=1.0):
    """Joints of a hand from its wrist in the T-pose of the arm, palm down, with known bends; (t, 21, 3)."""
    sign = 1.0 if side == "left" else -1.0
    offsets, turns = torch.zeros(21, 3, dtype=torch.float64), torch.eye(3, dtype=torch.float64).repeat(21, 1, 1)
    for row, joint in enumerate(HAND21.joints[1:], 1):
        finger, part = joint.split("_")
        if finger == "thumb":
            root, length, way = (0.03, -0.01, 0.03), 0.035, np.array([0.5**0.5, 0, 0.5**0.5])
            degrees = 0.0
        else:
            across = {"index": 0.03, "middle": 0.01, "ring": -0.01, "pinky": -0.03}[finger]
            root, length, way = (0.09, 0.0, across), 0.03, np.array([1.0, 0, 0])
            degrees = share * BEND.get(part, 0.0) * (1.0 if finger == "index" else 0.5)
        place = np.array(root) if HAND21.parents[row] == "wrist" else length * way
        offsets[row] = torch.tensor(place * [sign, 1, 1])
        turns[row] = bend(side, degrees)
    places, _ = forward_kinematics(turns[None], offsets[None], torch.zeros(1, 3).double(), HAND21.parent_indices)
    return np.repeat(places.numpy(), frames, 0)


def with_made_hands(motion, palms, seen=None):
    """A motion with made hands whose palms are turned in the world."""
    frames = len(motion)
    joints = np.full((frames, 2, 21, 3), np.nan)
    for row, side in enumerate(SIDES):
        joints[:, row] = made_hand(side, frames) @ palms[side].numpy().swapaxes(-1, -2)
    if seen is not None:
        joints[~seen] = np.nan
    scores = np.isfinite(joints[..., 0, 0]).astype(float)
    return dataclasses.replace(motion, hands=Hands(joints[..., :2] * 1000, joints, scores))


def local(rigged, name):
    return rigged.rotations[:, rigged.rig.names.index(name)]


@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=lambda skeleton: skeleton.name)
@pytest.mark.parametrize("frame", ["world", "camera"])
def test_known_bends_come_back_on_both_sides(skeleton, frame):
    motion = pose({"right_elbow": turn("y", 70.0)}, 4, skeleton)
    palms = {"left": turn("x", 40.0), "right": turn("y", 70.0) @ turn("z", 25.0)}
    motion = with_made_hands(motion, palms)
    if frame == "camera":
        flip = np.diag([1.0, -1, -1])
        motion = dataclasses.replace(
            motion, joints=motion.joints @ flip, root=motion.root @ flip, frame=frame, hands=motion.hands.turn(flip)
        )
    rigged = add_fingers(solve(motion), motion)
    for side in SIDES:
        wrist = rigged.orientations()[:, rigged.rig.names.index(f"{side}_wrist")]
        np.testing.assert_allclose(wrist, np.tile(palms[side].numpy(), (4, 1, 1)), atol=1e-6)
        for finger, share in (("index", 1.0), ("pinky", 0.5)):
            for part, degrees in BEND.items():
                expected = bend(side, share * degrees).numpy()
                found = local(rigged, f"{side}_hand_{finger}_{part}")
                np.testing.assert_allclose(found, np.tile(expected, (4, 1, 1)), atol=1e-6)
        np.testing.assert_allclose(local(rigged, f"{side}_hand_thumb_mcp"), np.tile(np.eye(3), (4, 1, 1)), atol=1e-6)


def test_fingertips_are_where_the_hand_has_them():
    motion = with_made_hands(pose(frames=3), {"left": turn("x", -60.0), "right": turn("z", 80.0)})
    rigged = add_fingers(solve(motion), motion)
    places = rigged.positions()
    for row, side in enumerate(SIDES):
        wrist = places[:, rigged.rig.names.index(f"{side}_wrist")]
        for joint in HAND21.joints[1:]:
            at = places[:, rigged.rig.names.index(f"{side}_hand_{joint}")]
            expected = motion.hands.joints[:, row, HAND21.index(joint)]
            np.testing.assert_allclose(at - wrist, expected, atol=1e-6)


def test_the_forearm_takes_a_half_of_the_turn_about_it():
    motion = with_made_hands(pose(frames=2), {"left": turn("x", 60.0), "right": turn("x", 0.0)})
    rigged = add_fingers(solve(motion), motion)
    np.testing.assert_allclose(local(rigged, "left_elbow"), np.tile(turn("x", 30.0).numpy(), (2, 1, 1)), atol=1e-6)
    np.testing.assert_allclose(local(rigged, "left_wrist"), np.tile(turn("x", 30.0).numpy(), (2, 1, 1)), atol=1e-6)
    np.testing.assert_allclose(local(rigged, "right_elbow"), np.tile(np.eye(3), (2, 1, 1)), atol=1e-6)


def test_no_bone_flips_while_a_hand_turns_all_the_way_round_and_a_finger_folds_back():
    palms = {"left": turn("x", np.linspace(0, 360, 37)), "right": turn("x", 0.0)}
    motion = with_made_hands(pose(frames=37), palms)
    rows = [HAND21.index(joint) for joint in ("index_pip", "index_dip", "index_tip")]
    folded = turn("z", np.linspace(150, 210, 37)).numpy()
    start = motion.hands.joints[:, 1, [HAND21.index("index_mcp")]]
    motion.hands.joints[:, 1, rows] = start + np.array([[-0.03], [-0.05], [-0.07]]) * folded[:, None, :, 0]
    rigged = add_fingers(solve(motion), motion)
    for name in ("left_elbow", "left_wrist", "right_hand_index_mcp", "right_hand_index_pip"):
        found = local(rigged, name)
        steps = np.degrees(np.linalg.norm(np.diff(found, axis=0), axis=(1, 2)) / 2**0.5)
        assert steps.max() < 16, name  # of 10 degrees in the motion


def test_a_hand_that_is_not_seen_rests_and_gets_there_smoothly():
    seen = np.zeros((30, 2), bool)
    seen[:10, 0] = True
    motion = with_made_hands(pose(frames=30), {"left": turn("x", 50.0), "right": turn("x", 0.0)}, seen)
    rigged = add_fingers(solve(motion), motion)
    at_rest = np.tile(bend("left", 30.0).numpy(), (30, 1, 1))
    found = local(rigged, "left_hand_index_pip")
    np.testing.assert_allclose(found[18:], at_rest[18:], atol=1e-6)  # 0.25 s are 7.5 frames
    steps = np.degrees(np.linalg.norm(np.diff(found, axis=0), axis=(1, 2)) / 2**0.5)
    assert steps.max() < 8  # of the 40 degrees between both
    np.testing.assert_allclose(local(rigged, "left_wrist")[18:], np.tile(np.eye(3), (12, 1, 1)), atol=1e-6)
    # A hand that is never seen rests in the size of the other.
    np.testing.assert_allclose(local(rigged, "right_hand_ring_pip"), at_rest.swapaxes(1, 2), atol=1e-6)
    offsets = dict(zip(rigged.rig.names, rigged.rig.offsets, strict=True))
    left, right = (offsets[f"{side}_hand_pinky_mcp"] for side in SIDES)
    np.testing.assert_allclose(right, left * [-1, 1, 1], atol=1e-6)


def test_empty_frames_stay_empty():
    motion = with_made_hands(pose(frames=5), dict.fromkeys(SIDES, turn("x", 0.0)))
    motion.joints[2] = np.nan
    rigged = add_fingers(solve(motion), motion)
    assert np.isnan(rigged.rotations[2]).all()
    assert np.isfinite(rigged.rotations[[0, 1, 3, 4]]).all()


def test_in_a_short_gap_a_hand_turns_from_one_look_to_the_next():
    seen = np.ones((30, 2), bool)
    seen[12:16] = False
    palms = {"left": turn("x", np.where(np.arange(30) < 14, 0.0, 120.0)), "right": turn("x", 0.0)}
    motion = with_made_hands(pose(frames=30), palms, seen)
    rigged = add_fingers(solve(motion), motion)
    found = rigged.orientations()[:, rigged.rig.names.index("left_wrist")]
    cosines = (np.einsum("tij,tij->t", found[1:], found[:-1]) - 1) / 2
    steps = np.degrees(np.arccos(cosines.clip(-1, 1)))
    assert steps.max() < 45  # 120 degrees in five steps
    assert np.flatnonzero(steps > 1).tolist() == [11, 12, 13, 14, 15]
