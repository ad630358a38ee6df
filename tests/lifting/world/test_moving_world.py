"""People in the world of a camera whose path is known, against the same people before a still camera."""

from dataclasses import replace

import numpy as np
import pytest

from poselift.camera_path.camera_path import CameraPath, ShotKind, ShotPath
from poselift.camera_path.still_view import StillView, see_still
from poselift.geometry import project
from poselift.kinematics.up import up_of_tilt
from poselift.lifting import to_world
from poselift.lifting.world.moving_world import place_in_moving_world
from tests.camera_path.scenes import angle, turns
from tests.lifting.walking import Rendered, render, walk

TIMES = np.arange(0, 3, 1 / 30)
COUNT = len(TIMES)
PAN = turns(np.outer(np.linspace(-1, 1, COUNT), [0.0, 8.0, 0.0]))
UNIT = 4.0
"""Metres for each unit of the path."""


@pytest.fixture(scope="module")
def rendered() -> Rendered:
    joints, down = walk(TIMES)
    return render(joints, TIMES, down)


def path_of(kind: ShotKind, place: np.ndarray | None = None, shots: tuple[ShotPath, ...] = ()) -> CameraPath:
    shot = ShotPath(0, COUNT, kind, False, 16.0, 1.0, 0.1)
    place = np.zeros((COUNT, 3)) if place is None else place
    R = PAN if kind in ("turning", "moving") else np.tile(np.eye(3), (COUNT, 1, 1))
    one = np.ones(COUNT)
    return CameraPath(TIMES, R, one, place, one, one > 0, shots or (shot,))


def seen_by(rendered: Rendered, path: CameraPath, metres: float = 0.0) -> tuple[StillView, Rendered]:
    """The walker as the path's camera sees them, in the still view and in the pictures."""
    motion = rendered.motion
    root = (motion.root - metres * path.place).astype(np.float32)
    joints = motion.joints + root[:, None]
    pixels = project(np.einsum("txy,tjx->tjy", path.R, joints), rendered.camera.K)
    track = replace(motion.keypoints, keypoints=pixels)
    view = see_still(track, path, rendered.camera)
    return view, replace(rendered, motion=replace(motion, root=root, keypoints=view.keypoints))


def test_a_camera_that_turns_gives_the_world_of_a_still_one(rendered):
    path = path_of("turning")
    view, person = seen_by(rendered, path)
    np.testing.assert_allclose(view.keypoints.keypoints, rendered.motion.keypoints.keypoints, atol=1e-3)
    right = path.R[0] @ [1.0, 0.0, 0.0]
    still = to_world([rendered.motion], rendered.camera, right=right).motions[0]
    world, warnings = place_in_moving_world([person.motion], [view], path, rendered.camera)
    assert warnings == []
    np.testing.assert_allclose(world.motions[0].root, still.root, atol=1e-3)
    np.testing.assert_array_equal(world.motions[0].keypoints.keypoints, view.seen.keypoints)
    # The camera of each frame sees the person where the pictures do.
    placed = world.motions[0]
    pixels = world.camera.project(placed.joints + placed.root[:, None])
    assert np.median(np.linalg.norm(pixels - view.seen.keypoints, axis=-1)) < 5
    assert angle(PAN[0].T @ PAN, world.camera.R[0].T @ world.camera.R).max() < 1e-3
    assert world.camera.R[0][2, 0] == pytest.approx(0, abs=1e-3)  # the first frame looks along -z
    assert world.camera.R[0][2, 2] < -0.9


def test_a_camera_that_walks_has_its_path_in_metres(rendered):
    path = path_of("moving", TIMES[:, None] * np.array([0.6, 0.0, 0.3]) / UNIT)
    view, person = seen_by(rendered, path, UNIT)
    world, warnings = place_in_moving_world([person.motion], [view], path, rendered.camera)
    assert len(warnings) == 1
    assert "its path is good to" in warnings[0]
    way = np.linalg.norm(world.camera.t[-1] - world.camera.t[0])
    assert way == pytest.approx(UNIT * np.linalg.norm(path.place[-1]), rel=0.05)
    still = to_world([rendered.motion], rendered.camera, right=path.R[0] @ [1.0, 0.0, 0.0]).motions[0]
    apart = world.motions[0].root - still.root
    assert np.linalg.norm(apart - apart[0], axis=-1).mean() < 0.1


@pytest.mark.parametrize("kind", ["moving", "unknown"])
def test_where_nothing_tells_how_far_people_stay_in_one_place(rendered, kind):
    """No foot was seen, or no background: no path in silence."""
    path = path_of(kind, TIMES[:, None] * np.array([0.2, 0.0, 0.0]))
    view, person = seen_by(rendered, path, UNIT)
    unseen = replace(person.motion.keypoints, scores=np.zeros_like(person.motion.keypoints.scores))
    motion = replace(person.motion, keypoints=unseen)
    world, warnings = place_in_moving_world([motion], [view], path, rendered.camera)
    why = "no standing feet tell how far" if kind == "moving" else "too little background is seen"
    assert len(warnings) == 1
    assert why in warnings[0]
    assert "people are shown in one place" in warnings[0]
    root = world.motions[0].root
    np.testing.assert_allclose(root[:, [0, 2]], 0, atol=1e-6)
    lowest = (world.motions[0].joints[..., 1] + root[:, None, 1]).min(1)
    np.testing.assert_allclose(lowest, 0, atol=1e-5)
    # The motion relative to the body is that of the lift, turned.
    lengths = np.linalg.norm(motion.joints, axis=-1)
    np.testing.assert_allclose(np.linalg.norm(world.motions[0].joints, axis=-1), lengths, atol=1e-5)
    assert (world.camera.t == world.camera.t[0]).all()


@pytest.mark.parametrize("kind", ["moving", "unknown"])
def test_a_measured_tilt_is_up_where_people_stay_in_one_place(rendered, kind):
    path = path_of(kind, TIMES[:, None] * np.array([0.2, 0.0, 0.0]))
    view, person = seen_by(rendered, path, UNIT)
    unseen = replace(person.motion.keypoints, scores=np.zeros_like(person.motion.keypoints.scores))
    motion = replace(person.motion, keypoints=unseen)
    up = up_of_tilt(np.deg2rad(20.0))
    world, warnings = place_in_moving_world([motion], [view], path, rendered.camera, up)
    np.testing.assert_allclose(world.camera.R[0] @ up, [0, 1, 0], atol=1e-6)
    bodies = motion.joints @ path.R[0] @ world.camera.R[0].T  # from the still view, by the first frame's camera
    np.testing.assert_allclose(world.motions[0].joints, bodies, atol=1e-5)
    assert len(warnings) == 1
    told = "people are shown in one place"
    assert warnings[0].endswith(f"{told}, upright by the tilt of the picture at 0.0 s" if kind == "unknown" else told)


def test_who_leaves_the_still_view_is_told(rendered):
    path = path_of("turning")
    away = replace(path, R=turns(np.outer(np.linspace(0, 1, COUNT), [0.0, 100.0, 0.0])))
    view = see_still(rendered.motion.keypoints, away, rendered.camera)
    motion = replace(rendered.motion, keypoints=view.keypoints)
    _, warnings = place_in_moving_world([motion], [view], away, rendered.camera)
    assert any("the camera turns so far that" in text for text in warnings)


def test_each_shot_has_a_world_of_its_own(rendered):
    half = COUNT // 2
    shots = (
        ShotPath(0, half, "turning", False, 8.0, 1.0, 0.1),
        ShotPath(half, COUNT, "unknown", False, 0.0, 1.0, 0.0),
    )
    path = path_of("turning", shots=shots)
    motions, views = [], []
    for rows in (slice(0, half), slice(half, COUNT)):
        view = see_still(rendered.motion.keypoints[rows], path, rendered.camera)
        views.append(view)
        motions.append(replace(rendered.motion[rows], keypoints=view.keypoints))
    assert [view.shot for view in views] == list(shots)
    world, warnings = place_in_moving_world(motions, views, path, rendered.camera)
    assert [len(motion) for motion in world.motions] == [half, COUNT - half]
    assert len(warnings) == 1
    assert warnings[0].startswith(f"{TIMES[half]:.1f} to {TIMES[-1]:.1f} s: too little background")
    for motion in world.motions:
        np.testing.assert_allclose(motion.root[0, [0, 2]], 0, atol=1e-5)
