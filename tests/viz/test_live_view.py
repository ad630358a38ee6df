"""The picture and the 3D scene of a stream."""

import dataclasses

import numpy as np
import pytest

from poselift.skeleton import H36M17
from poselift.structures import Hands, LiveFrame, StreamedPose
from poselift.viz import LiveView
from poselift.viz.colors import person_colors
from poselift.viz.live_stage import LiveStage
from tests.viz.conftest import standing


@pytest.fixture
def make_frame(make_motion):
    """A frame of a stream at a time, with the people of motions by number."""

    def make(motions, time, looked=True, row=0, present=()):
        people = {
            number: StreamedPose(
                time,
                motion.joints[row],
                motion.root[row],
                None,
                bool(motion.interpolated[row]),
                motion.keypoints.keypoints[row],
                motion.keypoints.scores[row],
            )
            for number, motion in motions.items()
        }
        keypoints = {number: (pose.keypoints, pose.scores) for number, pose in people.items()}
        return LiveFrame(round(25 * time), time, 2, 0.031, looked, present or tuple(people), people, keypoints)

    return make


def count(image, person):
    return int((image == person_colors(person).middle).all(-1).sum())


def test_people_are_drawn_on_both_sides_and_leave(make_motion, make_frame, gray):
    view = LiveView((640, 480), H36M17, H36M17)
    width, height = view.size
    motions = {1: make_motion(1, (-0.8, 0, 5)), 3: make_motion(3, (0.8, 0, 5))}
    both = view.render(gray, make_frame(motions, 0.0))
    assert both.shape == (height, width, 3)
    for side in (both[:, :-height], both[:, -height:]):
        assert count(side, 1) > 20
        assert count(side, 3) > 20
    one = view.render(gray, make_frame({3: motions[3]}, 0.04))
    assert count(one, 1) == 0
    assert count(one, 3) > 40
    assert (gray == 128).all()


def test_a_frame_without_a_look_keeps_the_people_and_shows_the_new_picture(make_motion, make_frame, gray):
    view = LiveView((640, 480), H36M17, H36M17)
    before = view.render(gray, make_frame({1: make_motion()}, 0.0))
    after = view.render(np.full_like(gray, 60), make_frame({}, 0.04, looked=False, present=(1,)))
    height = view.size[1]
    assert count(after[:, :-height], 1) == count(before[:, :-height], 1) > 0
    assert after[height // 2, 5].tolist() == [60] * 3


def test_hands_are_drawn_on_both_sides(make_motion, make_frame, gray):
    frame = make_frame({1: make_motion()}, 0.0)
    motion, joints = make_motion(), np.full((1, 2, 21, 3), np.nan)
    joints[0, 0] = np.linspace(0, 1, 21)[:, None] * [0.5, 0.2, 0]
    wrist = motion.keypoints.keypoints[0, H36M17.index("left_wrist")]
    hands = Hands(wrist + 150 * joints[..., :2], joints, np.array([[0.9, 0.0]]))
    people = {1: dataclasses.replace(frame.people[1], hands=hands)}
    without, with_hands = (
        LiveView((640, 480), H36M17, H36M17).render(gray, each)
        for each in (frame, dataclasses.replace(frame, people=people, hands={1: hands}))
    )
    height = with_hands.shape[0]
    for side in np.s_[:, :-height], np.s_[:, -height:]:
        assert (without[side] != with_hands[side]).any(-1).sum() > 50


def poses(*places, lift=0.0):
    """Standing people at x, z in metres, as poses in the camera frame."""
    seen = np.zeros((17, 2)), np.ones(17)
    return {
        number: StreamedPose(0.0, standing(), np.array([x, -lift, z], np.float32), None, False, *seen)
        for number, (x, z) in enumerate(places, start=1)
    }


def test_people_stand_upright_on_the_ground_in_the_middle():
    placed = LiveStage(H36M17).place(poses((-0.5, 5), (0.5, 5)), 0.0)
    heads = H36M17.indices(["head_top"])[0]
    for joints in placed.values():
        assert 0 < joints[:, 1].min() < 0.1
        assert joints[heads, 1] == pytest.approx(1.7, abs=0.1)
    np.testing.assert_allclose(placed[1][0, ::2] + placed[2][0, ::2], 0, atol=1e-6)
    assert placed[2][0, 0] - placed[1][0, 0] == pytest.approx(1)


def test_a_jump_leaves_the_ground_and_a_walk_is_followed():
    stage = LiveStage(H36M17)
    for frame in range(50):
        stage.place(poses((0, 5)), frame / 25)
    for frame in range(50, 70):
        up = stage.place(poses((0, 5), lift=0.4), frame / 25)[1]
    assert up[:, 1].min() == pytest.approx(0.44, abs=0.05)
    for frame in range(70, 270):
        there = stage.place(poses((2, 7)), frame / 25)[1]
    assert np.linalg.norm(there[0, ::2]) < 0.05, "the middle settles on the new place"


def test_world_poses_keep_their_height():
    [pose] = poses((1, 5)).values()
    up = pose.joints * [1, -1, -1]
    world = dataclasses.replace(
        pose, joints=up.astype(np.float32), root=np.array([1, 1.5, -5], np.float32), frame="world"
    )
    placed = LiveStage(H36M17).place({1: world}, 0.0)[1]
    np.testing.assert_allclose(placed, up + [0, 1.5, 0], atol=1e-6)


def test_the_stage_forgets_people():
    stage = LiveStage(H36M17)
    for number in range(200):
        [pose] = poses((0, 5)).values()
        stage.place({number: pose}, float(number))
    assert len(stage._lowest) <= 11
    assert len(stage._axes) <= 300
