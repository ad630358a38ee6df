import numpy as np
import pytest

from poselift.geometry import project
from poselift.lifting import Camera, LiftOptions, StreamingPeople, lift
from poselift.lifting.live.streamed_person import StreamedPerson
from poselift.lifting.live.streaming import LIVE
from poselift.lifting.prepare.quarter_turns import choose_turns, find_turns, turn_back, turn_upright
from poselift.models import load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

pytestmark = pytest.mark.many_calls

STANDING = np.array(
    [[0, -90], [3, -93], [-3, -93], [6, -92], [-6, -92], [18, -70], [-18, -70], [24, -45], [-24, -45], [26, -20]]
    + [[-26, -20], [11, -15], [-11, -15], [12, 30], [-12, 30], [12, 75], [-12, 75]],
    float,
)


def clip(degrees, frames=12):
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    sway = np.random.default_rng(0).normal(0, 1, (frames, 17, 2))
    return (STANDING + sway) @ turn.T + [320, 240]


@pytest.mark.parametrize(("degrees", "turns"), [(0, 0), (40, 0), (90, 1), (110, 1), (-170, 2)])
def test_turns_of_somebody_far_from_upright(degrees, turns):
    assert find_turns(clip(degrees), np.ones((12, 17)), COCO17) == turns


def test_somebody_who_lies_for_a_moment_is_not_turned():
    frames = np.concatenate([clip(0, 8), clip(90, 4)])
    assert find_turns(frames, np.ones((12, 17)), COCO17) == 0
    assert find_turns(frames, np.zeros((12, 17)), COCO17) == 0


def test_people_lie_for_a_part_of_a_clip_and_cameras_lie_for_all_of_it():
    scores = np.ones((20, 17))
    assert find_turns(np.concatenate([clip(0, 4), clip(90, 16)]), scores, COCO17) == 0
    assert find_turns(np.concatenate([clip(0, 1), clip(90, 19)]), scores, COCO17) == 1
    assert find_turns(np.concatenate([clip(0, 6), clip(180, 14)]), scores, COCO17) == 2, "hands or head"


def test_a_turn_is_kept_until_few_frames_need_it():
    mostly_up, mostly_down = [np.pi] * 4 + [0.1] * 6, [np.pi] * 6 + [0.1] * 4
    assert [choose_turns(angles) for angles in (mostly_up, mostly_down)] == [0, 2]
    assert [choose_turns(angles, 2) for angles in (mostly_up, mostly_down)] == [2, 2]
    assert choose_turns([np.pi] * 3 + [0.1] * 7, 2) == 0
    assert choose_turns([None, None], 2) == 0


@pytest.mark.parametrize("turns", [1, 2])
def test_the_turned_camera_sees_the_turned_world(turns):
    K = np.array([[500.0, 0.0, 300.0], [0.0, 520.0, 250.0], [0.0, 0.0, 1.0]])
    camera = Camera(K, (640, 480), "given", np.array([0.1, -0.05, 0.01, -0.02, 0.01]))
    upright = np.random.default_rng(1).uniform([-1, -1, 3], [1, 1, 5], (6, 3))
    points = turn_back(upright[None], turns)[0]
    pixels = project(points, camera.K, camera.distortion)[None]
    turned, other, _ = turn_upright(pixels, np.ones((1, 6)), COCO17, camera, turns)
    np.testing.assert_allclose(turned[0], project(upright, other.K, other.distortion), atol=1e-3)
    assert other.image_size == ((480, 640) if turns % 2 else (640, 480))


def test_a_turned_picture_gives_the_turned_motion():
    weights, times = load_weights("tiny"), np.arange(12) / 25
    K = np.array([[500.0, 0.0, 319.5], [0.0, 500.0, 239.5], [0.0, 0.0, 1.0]])
    camera = Camera(K, (640, 480), "given")
    # Without refinement: feet are made level in upright pictures only.
    plain = LiftOptions(refine=False)
    upright = lift(Keypoints2D(clip(0), np.ones((12, 17)), times, COCO17, (640, 480)), weights, camera, plain)
    # Half a turn about the middle of the picture.
    pixels = np.array([639.0, 479.0]) - clip(0)
    down = lift(Keypoints2D(pixels, np.ones((12, 17)), times, COCO17, (640, 480)), weights, camera, plain)
    np.testing.assert_allclose(down.joints, upright.joints * [-1, -1, 1], atol=1e-4)
    np.testing.assert_allclose(down.root, upright.root * [-1, -1, 1], atol=1e-3)


@pytest.mark.parametrize("turns", [1, 2])
def test_a_stream_of_a_turned_picture_gives_the_turned_poses(turns):
    K = np.array([[500.0, 0.0, 319.5], [0.0, 500.0, 239.5], [0.0, 0.0, 1.0]])
    camera, weights = Camera(K, (640, 480), "given"), load_weights("tiny")
    # The picture turned clockwise.
    pixels, other, _ = turn_upright(clip(0), np.ones((12, 17)), COCO17, camera, 4 - turns)
    upright, turned = (StreamingPeople(weights, one, COCO17, smooth=False) for one in (camera, other))
    for frame in range(12):
        expected = upright.push({1: (clip(0)[frame], np.ones(17))}, frame / 25)[1]
        found = turned.push({1: (pixels[frame], np.ones(17))}, frame / 25)[1]
    np.testing.assert_allclose(found.joints, turn_back(expected.joints[None], turns)[0], atol=1e-4)
    np.testing.assert_allclose(found.root, turn_back(expected.root[None, None], turns)[0, 0], atol=1e-3)


@pytest.mark.slow
def test_a_stream_turns_for_handstands_and_cameras_but_not_for_people_who_lie_down():
    camera = Camera(np.array([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]]), (640, 480), "given")
    weights = load_weights("tiny")

    def turns_of(*degrees):
        person = StreamedPerson(weights, camera, COCO17, 0, LIVE)
        frames = np.concatenate([clip(angle, 80) for angle in degrees])
        for number, frame in enumerate(frames):
            person.add(frame, np.ones(17), number / 25)
            window = person.next_window()
            person.next_pose()
        (segment,) = window.segments
        return segment.turns

    assert turns_of(0, 90) == 0, "lies down"
    assert turns_of(90) == 1, "a camera on its side"
    assert turns_of(0, 180) == 2, "a handstand"
    assert turns_of(180, 0) == 0
