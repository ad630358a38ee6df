"""The JavaScript that finds a camera's path does what Python does with the same pictures."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from benchmarks.made_worlds import Scene, walk
from benchmarks.made_worlds import see as made_view
from poselift.camera_path import still_view
from poselift.camera_path.camera_path import CameraPath, ShotPath, find_camera_path
from poselift.camera_path.found_camera import FoundCamera
from poselift.camera_path.leaving_people import describe_left_out, without_cut_off
from poselift.camera_path.still_view import _WIDEST, StillView, frame_lenses, see_still, split_tracks
from poselift.cli.editable import track_for_page
from poselift.geometry.camera import Camera
from poselift.kinematics.ground import _FLESH
from poselift.kinematics.up import estimate_up, level_axes
from poselift.lifting import camera_for, lift
from poselift.lifting.world.moving_world import _find_unseen, place_in_moving_world
from poselift.models import load_weights
from poselift.skeleton import COCO17
from poselift.structures import THRESHOLD, Keypoints2D, Motion
from tests.camera_path import test_leaving_people as leaving
from tests.camera_path.scenes import FPS, SIZE, K, angle, as_frames, see, turns, wall
from tests.lifting.world.test_hard_backgrounds import PAN, barred, blank, blurred, crowd, faded, logo, water
from tests.web.test_numbers import GRAPHS, WEB, numbers

pytestmark = [pytest.mark.slow, pytest.mark.many_calls]

WIDER = K * [[0.75, 1, 1], [1, 0.75, 1], [1, 1, 1]]


def panned(degrees, zoom=1.0, seed=0, count=12, start=1.0):
    """Pictures of a camera that turns by so many degrees and zooms."""
    shares = np.linspace(0, 1, count)
    R, picture = turns(np.outer(shares, degrees)), wall(seed)
    return [see(picture, R[row], start + (zoom - start) * share) for row, share in enumerate(shares)]


def aside():
    """The floor below a camera that walks aside: what is near moves more."""
    middle = (SIZE[1] - 1) / 2
    shears = [np.array([[1, 0.006 * row, -0.006 * row * middle], [0, 1, 0]]) for row in range(12)]
    return [cv2.warpAffine(wall(), shear, SIZE, borderMode=cv2.BORDER_REFLECT_101) for shear in shears]


def walker(count):
    """Somebody whose keypoints go across the picture, and who is not found in one frame."""
    body = np.random.default_rng(0).uniform(-1, 1, (17, 2)) * [12, 35] + [60, 100]
    keypoints = body + np.arange(count)[:, None, None] * [6.0, 0.0]
    scores = np.full((count, 17), 0.8)
    scores[3], keypoints[3] = 0, np.nan
    return Keypoints2D(keypoints, scores, np.arange(count) / FPS, COCO17, SIZE, 1)


NOISE = np.random.default_rng(0)
CLIPS = {
    "still": [wall()] * 9,
    "turns and zooms": panned([3, -12, 5], zoom=1.4),
    "zooms out": panned([0, 12, 0], start=1.4),
    "far": panned([0, 40, 0], count=24),
    "cut": [*panned([0, 5, 0]), *panned([4, 0, 0], seed=7)],
    "noise": [NOISE.integers(80, 100, (*SIZE[::-1], 3)).astype(np.uint8) for _ in range(12)],
    "assumed lens": panned([0, 30, 0], count=20),
    "aside": aside(),
}


HARD = {
    "blank wall": (blank, "unknown", 0.0),
    "logo": (logo, "unknown", 0.0),
    "crowd": (crowd, "unknown", 0.0),
    "water": (water, "unknown", 0.0),  # 0.44 of its corners agree by chance
    "black bars": (barred, "turning", 0.15),
    "fade": (faded, "turning", 1.0),
    "blur": (blurred, "turning", 0.4),
}
"""Backgrounds that hide what the camera does, what it does, and the largest error of its rotation, degrees."""

CLIPS |= {name: make() for name, (make, *_) in HARD.items()}
# A zoom that goes astray brings rays close to each other, so that no error seems to be left.
CLIPS["other water"] = water(7, 12)

WIDEST = {"far": 0.95}
"""Of the still view of a clip, so that the person leaves it."""


def lens(name):
    """The lens of a clip, and whether it is assumed: a third too wide."""
    return (WIDER, True) if name == "assumed lens" else (K, False)


def turned_walk(kind) -> tuple[CameraPath, StillView, Motion]:
    """Somebody who walks, lifted by a still view of a camera that turns; not in the first two frames."""
    track = made_view(Scene("", walk, 30, 10, seconds=1.0))[0]
    camera, count = camera_for(track.image_size), len(track)
    R, one = turns(np.linspace([2, -4, 1], [-2, 4, -1], count)), np.ones(count)
    shot = ShotPath(0, count, kind, False, 8.0, 1.0, 1.0)
    path = CameraPath(track.timestamps, R, one, np.zeros((count, 3)), one, one > 0, (shot,))
    motion = lift(track, load_weights("tiny"), camera)
    root = motion.root.copy()
    root[:2] = np.nan
    return path, StillView(track, camera, track, shot, R, path.place), replace(motion, root=root)


def world_for_page(kind):
    """The same as JSON."""
    path, view, motion = turned_walk(kind)
    skeleton = {"joints": list(motion.skeleton.joints), "name": motion.skeleton.name}
    about = {"skeleton": skeleton, "joints": numbers(motion.joints), "root": numbers(motion.root)}
    given = {"K": view.camera.K.tolist(), "size": view.camera.image_size, "times": path.times.tolist()}
    return {**given, "kind": kind, "R": path.R.reshape(-1, 9).tolist(), "motions": [about]}


def leavers() -> list[Keypoints2D]:
    """People who leave the picture, come into it, or stay at its edge."""
    there = np.arange(500, 640, 6.0)
    return [*(leaving.walker(middles) for middles in (there, there[::-1], np.full(60, 640.0))), leaving.taken_over()]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What node gives of each clip."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("camera")
    clips = []
    for number, (name, pictures) in enumerate(CLIPS.items()):
        opaque = [np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)]) for picture in pictures]
        np.stack(opaque).tofile(folder / f"{number}.rgba")
        given, assumed = lens(name)
        about = {"K": given.tolist(), "assumed": assumed, "times": (np.arange(len(pictures)) / FPS).tolist()}
        about |= {
            "widest": WIDEST.get(name, _WIDEST),
            "file": str(folder / f"{number}.rgba"),
            "width": SIZE[0],
            "height": SIZE[1],
        }
        clips.append({**about, "tracks": [track_for_page(walker(len(pictures)))]})
    worlds = [world_for_page(kind) for kind in ("turning", "moving")]
    gone = {"width": leaving.SIZE[0], "tracks": [track_for_page(track) for track in leavers()]}
    request = {"numbers": str(GRAPHS / "numbers.json"), "clips": clips, "worlds": worlds, "leaving": gone}
    (folder / "request.json").write_text(json.dumps(request, default=float))
    command = ["node", WEB / "test" / "camera_path.mjs", folder / "request.json", folder / "answer.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "answer.json").read_text())
    return {**dict(zip(CLIPS, found["answers"], strict=True)), "worlds": found["placed"], "left": found["left"]}


def by_python(name) -> tuple[CameraPath, Keypoints2D]:
    """The camera's path, and the person who hides the background."""
    given, assumed = lens(name)
    track = walker(len(CLIPS[name]))
    return find_camera_path(iter(as_frames(CLIPS[name])), [track], given, None, assumed), track


def shots_of(path) -> Iterator[tuple]:
    """What is found of each shot."""
    for shot in path["shots"]:
        yield shot["first"], shot["end"], shot["kind"], shot["lost"], shot["degrees"], shot["zoom"]


@pytest.mark.parametrize("name", [name for name in CLIPS if name not in {"aside", "other water", *HARD}])
def test_the_path_is_that_of_python(answers, name, monkeypatch):
    path, track = by_python(name)
    answer, (given, _) = answers[name], lens(name)
    found = answer["path"]
    assert answer["still"] == found["still"] == path.still
    for ours, shot in zip(shots_of(found), path.shots, strict=True):
        assert ours[:4] == (shot.first, shot.end, shot.kind, shot.lost)
        assert ours[4:] == pytest.approx((shot.degrees, shot.zoom), abs=0.02)
    R = np.reshape(found["R"], (-1, 3, 3))
    assert angle(path.R, R).max() < 0.02
    np.testing.assert_allclose(found["zoom"], path.zoom, atol=1e-3)
    np.testing.assert_allclose(found["focal"], path.focal, rtol=1e-3)
    np.testing.assert_allclose(np.reshape(answer["lenses"], (-1, 3, 3)), frame_lenses(path, given), rtol=2e-3)
    between = np.reshape(answer["between"], (-1, 3, 3))
    assert angle(between[::2], R).max() < 1e-6
    assert angle(between[1::2] @ between[1::2].swapaxes(1, 2), np.eye(3)).max() < 1e-6
    camera = FoundCamera("auto", path)
    assert answer["text"] == camera.describe()
    monkeypatch.setattr(still_view, "_WIDEST", WIDEST.get(name, _WIDEST))
    views = [see_still(part, path, Camera(given.astype(np.float32), SIZE)) for part in split_tracks([track], path)]
    assert answer["unseen"] == _find_unseen(views)
    assert bool(answer["unseen"]) == (name == "far")
    for ours, view in zip(answer["views"], views, strict=True):
        assert ours["person"] == view.keypoints.person
        np.testing.assert_allclose(ours["times"], view.keypoints.timestamps, atol=1e-9)
        pixels = np.array(ours["pixels"], float).reshape(view.keypoints.keypoints.shape)
        np.testing.assert_allclose(pixels, view.keypoints.keypoints, atol=0.15)
        np.testing.assert_allclose(np.reshape(ours["scores"], pixels.shape[:2]), view.keypoints.scores, atol=1e-6)
        np.testing.assert_allclose(np.reshape(ours["K"], (3, 3)), view.camera.K, rtol=1e-3)


@pytest.mark.parametrize("name", HARD)
def test_bad_backgrounds_are_solved_or_told(answers, name):
    (_, kind, most), answer = HARD[name], answers[name]
    R = np.reshape(answer["path"]["R"], (-1, 3, 3))
    assert {shot["kind"] for shot in answer["path"]["shots"]} == {kind}
    assert not answer["still"]
    assert bool(answer["cautions"]) == (kind == "unknown")
    if kind == "turning":
        assert angle(PAN[0].T @ PAN, R[0].T @ R).max() < most


def test_what_is_doubtful_is_told(answers):
    assert answers["turns and zooms"]["cautions"] == answers["zooms out"]["cautions"] == []
    assert answers["other water"]["cautions"]
    assert answers["cut"]["cautions"] == [str(each) for each in FoundCamera("auto", by_python("cut")[0]).cautions()]
    assert "too little background is seen" in answers["noise"]["cautions"][0]


def test_a_camera_that_walks_is_never_one_that_turns(answers):
    """Python looks for a path through space; the page says that it does not solve it."""
    (shot,) = answers["aside"]["path"]["shots"]
    assert shot["kind"] == "moving"
    assert answers["aside"]["text"].startswith("the camera seems to move through space")
    assert "people are shown in one place" in answers["aside"]["cautions"][0]


def placed_by_page(answers, row, motion):
    """The camera's R and t, and joints and root of the person, in the page's world."""
    found = answers["worlds"][row]
    (person,) = found["people"]
    assert person["frame"] == "world"
    joints, root = (np.array(person[name], float).reshape(len(motion), -1, 3) for name in ("joints", "root"))
    return np.reshape(found["R"], (-1, 3, 3)), np.array(found["t"]), joints, root[:, 0]


def test_the_world_is_level_with_the_lowest_feet_on_the_ground(answers):
    path, _, motion = turned_walk("turning")
    R, t, joints, root = placed_by_page(answers, 0, motion)
    level = level_axes(estimate_up([motion]), path.R[0] @ [1.0, 0.0, 0.0])
    np.testing.assert_allclose(R, level @ path.R, atol=1e-6)
    assert (t == t[0]).all()
    np.testing.assert_allclose(joints, motion.joints @ level.T, atol=1e-5)
    np.testing.assert_allclose(root, motion.root @ level.T + t[0], atol=1e-5)
    np.testing.assert_allclose(root[2, ::2], 0, atol=1e-5)
    lowest = (joints + root[:, None])[2:, :, 1].min(-1)
    assert np.percentile(lowest, 5) == pytest.approx(_FLESH, abs=1e-4)


def test_people_stay_in_one_place_where_the_camera_walks(answers):
    path, view, motion = turned_walk("moving")
    world, (told,) = place_in_moving_world([motion], [view], path, view.camera)
    R, t, joints, root = placed_by_page(answers, 1, motion)
    np.testing.assert_allclose(R, world.camera.R, atol=1e-6)
    np.testing.assert_allclose(t, np.broadcast_to(world.camera.t, t.shape), atol=1e-9)
    np.testing.assert_allclose(joints, world.motions[0].joints, atol=1e-5)
    np.testing.assert_allclose(root, world.motions[0].root, atol=1e-5)
    assert "people are shown in one place" in told


def test_who_leaves_the_picture_is_left_out(answers):
    for answer, track in zip(answers["left"], leavers(), strict=True):
        kept = without_cut_off(track, THRESHOLD)
        np.testing.assert_array_equal(answer["times"], kept.timestamps)
        assert answer["told"] == [str(text) for text in describe_left_out(track, kept)]
        np.testing.assert_array_equal(answer["pixels"], kept.keypoints.ravel().astype(np.float32))
    assert [len(answer["times"]) for answer in answers["left"]][:2] == [len(leavers()[0]) - 3] * 2
