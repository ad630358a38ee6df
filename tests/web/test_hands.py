"""The JavaScript of web/src finds and steadies hands as Python does."""

import json
import subprocess
from itertools import product

import numpy as np
import pytest

from benchmarks.clips import demo
from poselift.core.registry import published
from poselift.detection.detector_protocol import Search
from poselift.detection.hands import HandModel
from poselift.detection.movenet import MoveNet
from poselift.geometry.camera import camera_for
from poselift.lifting import find_hands
from poselift.numerics.curves import interpolate_spline
from poselift.structures import Hands
from tests.web.test_detector import to_file
from tests.web.test_numbers import GRAPHS, WEB, needs_modules, numbers

pytestmark = pytest.mark.slow

SIZE = (640, 480)
CURVE = np.array([0.0, 0.05, 0.2, 0.3, 0.45]), np.array([[1.0, 0], [2, 3], [-1, 4], [0, 4], [2, 5]])
LOOKS = (16, 72)
"""Frames of the demo clip with several hands."""


def moving_hands():
    """Hands that turn over 60 frames, with gaps, a jump, a palm that turns over, and one that is seen twice only."""
    random, times = (
        np.random.default_rng(0),
        np.sort(np.arange(60) / 15 + np.random.default_rng(1).uniform(0, 0.02, 60)),
    )
    shape = random.normal(scale=0.04, size=(21, 3))
    shape -= shape[0]
    turn = 0.4 * np.sin(2 * times)
    c, s, zero, one = np.cos(turn), np.sin(turn), np.zeros(60), np.ones(60)
    R = np.stack([c, -s, zero, s, c, zero, zero, zero, one], -1).reshape(60, 3, 3)
    joints = np.stack([shape @ R.swapaxes(-1, -2), shape @ R], 1) + random.normal(scale=1e-3, size=(60, 2, 21, 3))
    joints -= joints[:, :, :1]
    joints[20, 0] += random.normal(scale=0.1, size=(21, 3))
    joints[30:34, 1] *= [-1, 1, 1]
    keypoints = np.array([300.0, 200]) + 900 * joints[..., :2] + 100 * turn[:, None, None, None]
    scores = random.uniform(0.5, 1, (60, 2))
    for rows, side in ((slice(8, 10), 0), (slice(40, 46), 0), (slice(48, 60), 0), (14, 1), (slice(50, 55), 1)):
        joints[rows, side], keypoints[rows, side], scores[rows, side] = np.nan, np.nan, 0
    single = [np.float32(values).astype(float) for values in (keypoints, joints, scores)]
    return Hands(*single), times


def crops(people):
    """Boxes and angles beyond the wrists."""
    for points in people.keypoints:
        for elbow, wrist in (points[[7, 9]], points[[8, 10]]):
            along = wrist - elbow
            middle, half = wrist + 0.35 * along, 0.5 * np.linalg.norm(along)
            yield np.concatenate([middle - half, middle + half]), float(np.arctan2(along[0], -along[1]))


def people(picture):
    """The people of a picture with MoveNet's joints."""
    detector = MoveNet("cpu")
    found = detector.search(picture, Search())
    return detector.look(picture, found.boxes, np.zeros(len(found)), quick=True)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What node wrote, the folder, and the people of the pictures."""
    needs_modules()
    folder, clip = tmp_path_factory.mktemp("hands"), demo()
    hands, times = moving_hands()
    track = {"times": times.tolist(), "width": SIZE[0], "height": SIZE[1], "scores": numbers(hands.scores)}
    track |= {"pixels": numbers(hands.keypoints), "joints": numbers(hands.joints)}
    found = [(clip[frame][0], people(clip[frame][0])) for frame in LOOKS]
    looks = [
        {
            **to_file(picture, folder / f"{number}.rgba"),
            "crops": [{"box": box.tolist(), "angle": angle} for box, angle in crops(detected)],
            "people": [
                {"pixels": numbers(points), "scores": numbers(scores)}
                for points, scores in zip(detected.keypoints, detected.scores, strict=True)
            ],
        }
        for number, (picture, detected) in enumerate(found)
    ]
    request = {
        "folders": [str(GRAPHS), str(published("hand_landmark").path.parent)],
        "modules": str(WEB / "x.js"),
        "tracks": [track],
        "looks": looks,
        "curve": {
            "times": CURVE[0].tolist(),
            "rows": CURVE[1].tolist(),
            "wanted": np.linspace(-0.1, 0.5, 9).tolist(),
        },
    }
    (folder / "request.json").write_text(json.dumps(request))
    command = ["node", WEB / "test" / "hands.mjs", folder / "request.json", folder / "answer.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "answer.json").read_text()), folder, found


def test_curves_through_looks(ran):
    np.testing.assert_allclose(ran[0]["curve"], interpolate_spline(*CURVE, np.linspace(-0.1, 0.5, 9)), atol=1e-9)


def test_hands_are_placed_and_made_steady(ran):
    hands, times = moving_hands()
    wanted, (found,) = find_hands._place(hands, times, camera_for(SIZE)), ran[0]["placed"]
    seen = wanted.seen.mean(0)
    assert 0.5 < seen[0] < 0.8
    assert 0.7 < seen[1] < 0.95
    for name, values, near in (("pixels", wanted.keypoints, 1e-3), ("joints", wanted.joints, 1e-6)):
        np.testing.assert_allclose(np.array(found[name], float).reshape(values.shape), values, atol=near)
    np.testing.assert_allclose(np.reshape(found["scores"], (-1, 2)), wanted.scores, atol=1e-6)


def test_a_crop_gives_the_hand_of_python(ran):
    model, answers = HandModel(), iter(ran[0]["crops"])
    for picture, detected in ran[2]:
        for box, angle in crops(detected):
            found, (wanted, _) = next(answers), model._run(picture, box, angle)
            apart = np.linalg.norm(np.reshape(found["points"], (21, 2)) - wanted.keypoints, axis=-1)
            assert np.median(apart) < 0.5, "pixels"
            assert np.median(np.linalg.norm(np.reshape(found["joints"], (21, 3)) - wanted.joints, axis=-1)) < 0.005
            assert found["score"] == pytest.approx(wanted.score, abs=0.1)


def test_most_hands_that_python_sees_are_seen(ran):
    """Hands of 17 pixels depend on the pixel at which the second crop begins."""
    model, both, one = HandModel(), 0, 0
    for answer, (picture, detected) in zip(ran[0]["looks"], ran[2], strict=True):
        for person, side in product(range(len(detected)), (0, 1)):
            points = detected.keypoints[person]
            hand = model.look_at(picture, points[7 + side], points[9 + side], float(np.ptp(points, axis=0).max()))
            found = answer[person][side]
            one += (found is None) != (hand is None)
            if found is not None and hand is not None:
                both += 1
                apart = np.linalg.norm(np.reshape(found["points"], (21, 2)) - hand.keypoints, axis=-1)
                assert np.median(apart) < 3, "pixels"
    assert both >= 4
    assert one <= 2


def test_python_reads_the_hands_of_the_page(ran):
    arrays = np.load(ran[1] / "answer.json.npz")
    assert arrays["hand_scores"].tolist() == [[0, 0.5], [0, 0], [0, 0.5], [0, 0], [0, 0]]
    assert arrays["hand_keypoints"].shape == (5, 2, 21, 2)
    np.testing.assert_allclose(arrays["hand_joints"][2, 1], 0.1)
