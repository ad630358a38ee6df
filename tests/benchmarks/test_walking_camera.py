"""The judge of made scenes: the truth itself, and worlds that are wrong by a known amount."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.depth_scenes import MOVES, SIZE, make_scene
from benchmarks.walking_camera import judge
from poselift.core.caution import Caution
from poselift.geometry.camera import Camera
from poselift.skeleton import CMU28
from poselift.structures import Clock, Motion, Origin, Recording


@pytest.fixture(scope="module")
def scene(shared: Path):
    return make_scene(shared / "data" / "cmu" / "cmu50.npz", "12_01", MOVES["aside 0.8 m/s"], seconds=1.0)


def truth(scene) -> Recording:
    joints, root = scene.joints - scene.joints[:, :1], scene.joints[:, 0]
    motion = Motion(joints, root, scene.times, np.zeros(len(root), bool), CMU28, "world", scene.keypoints)
    camera = Camera(scene.K, SIZE, R=scene.R, t=scene.t, times=scene.times)
    origin = Origin(Path("made"), None, "made", {}, {}, "none")
    report = {"found": "moving"}
    clock = Clock(25.0, len(root), (0.0, 1.0))
    return Recording((motion,), (camera,), clock, origin, camera_report=report)


@pytest.mark.slow
def test_the_truth_has_no_error(scene):
    found = judge(scene, truth(scene))
    assert (found.found, found.refused) == ("moving", False)
    assert found.degrees == pytest.approx(0, abs=1e-9)
    assert found.way == pytest.approx(0.8 * 0.96, rel=0.02)
    assert found.share == pytest.approx(1)
    assert found.root == pytest.approx(0, abs=1e-6)


def test_a_short_path_and_a_refusal(scene):
    true = truth(scene)
    camera = true.camera
    short = replace(true, cameras=(replace(camera, t=camera.t[0] + 0.9 * (camera.t - camera.t[0])),))
    assert judge(scene, short).share == pytest.approx(0.9)
    refused = replace(true, warnings=(Caution("people are shown in one place", "camera"),))
    assert judge(scene, refused).refused
    assert np.isnan(judge(scene, refused).share)
