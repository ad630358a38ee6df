"""The JavaScript that settles left and right does what Python does with the same keypoints."""

import json
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.made_worlds import Scene, hop, lie, see, walk
from poselift.cli.editable import track_for_page
from poselift.lifting import camera_for
from poselift.lifting.prepare.exchanged_sides import exchange, group_pairs
from poselift.lifting.settled_sides import lift_settled
from poselift.models import load_weights
from poselift.skeleton import COCO17
from tests.web.test_numbers import GRAPHS, WEB, WEIGHTS, needs_modules

pytestmark = [pytest.mark.slow, pytest.mark.many_calls]

BODY, LEGS, ARMS, _ = group_pairs(COCO17)


def tracks():
    """A walk seen from the side, and somebody who lies, with sides exchanged as detectors do."""
    right = see(Scene("", walk, 30, 10, seconds=2.0))[0]
    rows, random = np.arange(len(right)), np.random.default_rng(0)
    gap = right.scores.copy()
    gap[40:55] = 0  # nobody knows whether the sides are the same before and after it
    profile = see(Scene("", hop, 0, 10, seconds=2.0), noise=2.0)[0]
    often = random.random(len(right)) < 1 / 3
    stolen = right.keypoints.copy()
    stolen[40:, LEGS] = stolen[:20, LEGS] * 0.9 + (70, -50)
    given = [
        right,
        exchange(right, rows >= 45, BODY),
        exchange(right, random.random(len(right)) < 1 / 3, BODY),
        exchange(right, (rows >= 20) & (rows < 26), ARMS),
        exchange(replace(right, scores=gap), (rows >= 15) & (rows < 33) | (rows >= 70), BODY),
        exchange(see(Scene("", walk, 0, 10, seconds=2.0))[0], (rows >= 33) & (rows < 39), LEGS),
        exchange(see(Scene("", lie, 60, 10, seconds=2.0))[0], rows >= 50, BODY),
        exchange(profile, often, BODY),
        exchange(profile, often, LEGS),
        exchange(replace(right, keypoints=stolen), (rows >= 20) & (rows < 26), LEGS),
    ]
    return [replace(track, person=person) for person, track in enumerate(given, 1)]


@pytest.fixture(scope="module")
def settled(tmp_path_factory):
    """What node gives of each track."""
    needs_modules()
    folder = tmp_path_factory.mktemp("sides")
    request = {"folders": [str(GRAPHS), str(WEIGHTS)], "modules": str(WEB / "x.js")}
    request["tracks"] = [track_for_page(track) for track in tracks()]
    (folder / "request.json").write_text(json.dumps(request, default=float))
    command = ["node", WEB / "test" / "sides.mjs", folder / "request.json", folder / "answer.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "answer.json").read_text())


def test_sides_are_those_of_python(settled):
    weights, unsure = load_weights("small"), 0
    for found, track in zip(settled, tracks(), strict=True):
        motion, wanted = lift_settled(track, weights, camera_for(track.image_size))
        np.testing.assert_array_equal(found["exchanged"], wanted.exchanged)
        np.testing.assert_array_equal(np.reshape(found["unsure"], wanted.unsure.shape), wanted.unsure)
        assert found["cautions"] == [str(caution) for caution in wanted.cautions()]
        shape = wanted.keypoints.keypoints.shape
        np.testing.assert_allclose(
            np.array(found["pixels"], float).reshape(shape), wanted.keypoints.keypoints, atol=1e-3
        )
        np.testing.assert_allclose(np.reshape(found["scores"], shape[:2]), wanted.keypoints.scores, atol=1e-6)
        if wanted.unsure.any():
            unsure += 1
            uncertainty = np.array(found["uncertainty"], float).reshape(motion.uncertainty.shape)
            np.testing.assert_allclose(uncertainty, motion.uncertainty, atol=2e-3)
    assert [sum(found["exchanged"]) for found in settled[:2]] == [0, 15]
    assert unsure
