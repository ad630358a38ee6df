"""Runs the corrections of the page in node: edits of tracks, and the frames that it lists first."""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from poselift.lifting import camera_for, lift
from poselift.models import load_weights
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Keypoints2D

WEB = Path(__file__).parents[2] / "web"
NUMBERS = WEB.parent / "poselift" / "viz" / "site" / "numbers" / "numbers.json"


def run_page(tracks, edits=(), motions=()):
    """The tracks after edits, and the frames of their motions as the page lists them."""
    given = [
        {
            "person": motion.keypoints.person,
            "skeleton": {"joints": motion.skeleton.joints},
            "threshold": motion.threshold,
            "times": motion.timestamps.tolist(),
            **{name: _numbers(getattr(motion, name)) for name in ("joints", "root", "uncertainty")},
        }
        for motion in motions
    ]
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder, "request.json"), Path(folder, "answer.json")
        request.write_text(
            json.dumps({"tracks": tracks, "edits": list(edits), "motions": given, "numbers": str(NUMBERS)})
        )
        command = ["node", str(WEB / "test" / "corrections.mjs"), str(request), str(answer)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found = json.loads(answer.read_text())
        return found["tracks"], found["ranked"]


def _numbers(values):
    """Numbers as JSON has them: null for NaN."""
    return [None if value != value else float(value) for value in np.asarray(values, float).ravel()]


def lift_tracks(tracks):
    """The motions of tracks, as `poselift lift` writes them."""
    weights, motions = load_weights("small"), []
    for track in tracks:
        points = np.array(track["pixels"], float).reshape(len(track["times"]), -1, 2)
        scores = np.array(track["scores"], float).reshape(points.shape[:2])
        size = (track["width"], track["height"])
        keypoints = Keypoints2D(points, scores, np.array(track["times"]), COCO17, size, track["person"])
        motions.append(lift(keypoints, weights, camera_for(size)).restrict(H36M17))
    return motions


def holds(edit, entry):
    """Whether a listed frame lies in the span of an edit, or a frame beside it."""
    near = edit["from"] - 0.034 <= entry["time"] <= edit["to"] + 0.034
    return near and edit["person"] == entry["person"]
