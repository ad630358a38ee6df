"""Nine made bodies that do not walk have no steps in any lifted view; walkers keep theirs."""

from functools import partial

import numpy as np
import pytest

from benchmarks.made_worlds import Scene, hop, pedal, see, sit, stand, walk
from poselift.kinematics import measure_gait
from poselift.lifting import lift, to_world
from poselift.models import load_weights

pytestmark = pytest.mark.many_calls

HEADINGS, PITCHES = (0, 45, 90, 150), (5, 30)
"""Direction in which they go, and by how much the camera looks down, degrees."""


def views(number):
    """Each heading with one pitch, so that two bodies in a row have all eight pairs."""
    return [(heading, PITCHES[(number + place) % 2]) for place, heading in enumerate(HEADINGS)]


def course_of(joints, rows, places):
    """The joints with some of them elsewhere."""
    changed = joints.copy()
    changed[:, rows] = places
    return changed


def on_a_chair(times, foot):
    """Sits still; each foot follows `foot(phase)`, metres ahead of the hips and up, half a cycle apart."""
    joints = sit(times)
    for side, late in ((0, 0.0), (1, 0.5)):
        ahead, up = foot((times * 0.75 + late) % 1.0)
        hip, ankle = joints[:, 11 + side], joints[:, 15 + side].copy()
        ankle[:, 0], ankle[:, 1] = hip[:, 0] + ahead, up
        way = ankle - hip
        far = np.linalg.norm(way, axis=-1, keepdims=True).clip(0.1, 0.84)
        way /= np.linalg.norm(way, axis=-1, keepdims=True)
        across = np.stack([-way[:, 1], way[:, 0], 0 * times], -1)  # knees bend ahead and up
        along = (0.43**2 - 0.42**2 + far**2) / (2 * far)
        joints[:, 13 + side] = hip + along * way + np.sqrt(0.43**2 - along**2) * across
        joints[:, 15 + side] = hip + far * way
    return joints


def shuffle(phase):
    return 0.4 + 0.15 * np.cos(2 * np.pi * phase), 0.08 + 0.05 * np.clip(-np.sin(2 * np.pi * phase), 0, 1)


def march(phase):
    up = np.sin(np.pi * np.clip(2 * phase - 1, 0, 1))
    return 0.42 + 0.05 * up, 0.08 + 0.15 * up


def kick(phase):
    angle = -0.2 + 0.6 * (1 - np.cos(2 * np.pi * phase))
    return 0.43 + 0.42 * np.sin(angle), 0.5 - 0.42 * np.cos(angle)


def walk_backwards(times):
    return walk(times, speed=0.8)[::-1].copy()


def wave(times):
    joints = stand(times)
    hand = np.stack([0 * times, 0.35 + 0 * times, 0.2 * np.sin(3 * np.pi * times)], -1)
    return course_of(joints, [7, 9], np.stack([joints[:, 5] + hand / 2, joints[:, 5] + hand], 1))


def squat(times):
    """Thighs turn back and shanks ahead by as much, so that the hips go straight down."""
    joints, bent = stand(times), 0.5 * (1 - np.cos(np.pi * times))
    joints[:, :13, 1] -= 2 * 0.43 * (1 - np.cos(bent))[:, None]
    joints[:, 13:15, 0] += 0.43 * np.sin(bent)[:, None]
    joints[:, 13:15, 1] -= 0.43 * (1 - np.cos(bent))[:, None]
    return joints


BODIES = {
    "pedals": pedal,
    "rides": partial(pedal, speed=1.5),
    "moves the feet on a chair": partial(on_a_chair, foot=shuffle),
    "lifts the knees on a chair": partial(on_a_chair, foot=march),
    "kicks on a chair": partial(on_a_chair, foot=kick),
    "walks backwards": walk_backwards,
    "waves": wave,
    "hops": hop,
    "squats": squat,
}


def on_a_treadmill(times, speed=1.2, **how):
    joints = walk(times, speed=speed, **how)
    return joints - (speed * times)[:, None, None] * [1, 0, 0]


def march_in_place(times):
    """Stands and raises the knees in turn; the pelvis stays where it is."""
    joints = stand(times)
    for side, late in ((0, 0.0), (1, 0.5)):
        up = np.sin(np.pi * np.clip(2 * ((times * 0.6 + late) % 1.0) - 1, 0, 1))
        hip, angle = joints[:, 11 + side], 1.2 * up
        thigh = 0.43 * np.stack([np.sin(angle), -np.cos(angle), 0 * angle], -1)
        joints[:, 13 + side] = hip + thigh
        joints[:, 15 + side] = hip + thigh - [[0, 0.39, 0]]
    return joints


@pytest.fixture(scope="module")
def gait():
    """The gait of a body in a view, and the reason for none."""
    weights = load_weights("small")

    def measure(name, body, heading, pitch):
        keypoints, camera, *_ = see(Scene(name, body, heading, pitch))
        found = measure_gait(to_world([lift(keypoints, weights, camera)], camera).motions[0])
        return len(found.steps), found.why

    return measure


@pytest.mark.slow
def test_legs_that_move_on_a_chair_make_no_steps_from_ahead(gait):
    """The lifter takes them for those of somebody who nearly stands: there were 4 steps."""
    steps, why = gait("chair", BODIES["kicks on a chair"], 90, 30)
    assert (steps, "the pelvis rests" in why) == (0, True)
    assert gait("treadmill", on_a_treadmill, 90, 30)[0] >= 5
    assert gait("marches", march_in_place, 45, 10)[0] >= 3


@pytest.mark.slow
def test_a_slow_walk_on_a_treadmill_keeps_its_steps_from_the_side(gait):
    """Its pelvis bobs by 1.2 cm, which in the picture is less than what counts as rest."""
    slow = partial(on_a_treadmill, speed=0.5, cadence=80, bob=0.006)
    assert [gait("slow", slow, heading, 0) for heading in (0, 180)] == [(3, "")] * 2
    assert "the pelvis rests" in gait("chair", BODIES["kicks on a chair"], 0, 5)[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_who_does_not_walk_has_no_steps_in_any_view(name, gait):
    steps = {view: gait(name, BODIES[name], *view)[0] for view in views(list(BODIES).index(name))}
    assert steps == dict.fromkeys(steps, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "body"), [(0, walk), (1, on_a_treadmill)])
def test_who_walks_keeps_the_steps_in_every_view(number, body, gait):
    for view in views(number):
        steps, why = gait("walk", body, *view)
        assert (steps >= 5, why) == (True, ""), view
