import logging
import subprocess
import sys

import numpy as np

from poselift.keypoints import KeypointClip, KeypointFile, Observation
from poselift.lifting import lift_clip
from poselift.models import load_weights
from poselift.skeleton import COCO17


def test_the_library_is_silent_unless_told_otherwise():
    """Without a handler of its own, Python would print warnings of a library."""
    code = "import logging, poselift; logging.getLogger('poselift.lifting').warning('hidden')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_packages_log_under_their_names(tmp_path, caplog):
    body = Observation(np.linspace([300, 100], [340, 400], 17), np.ones(17))
    file = KeypointFile(tmp_path / "clip.json", "coco", COCO17, {number: [body] for number in range(4)})
    with caplog.at_level(logging.DEBUG, "poselift"):
        lifted = lift_clip(KeypointClip(file, fps=2, image_size=(640, 480)), load_weights("tiny"))
    logged = [(record.name, record.levelname, record.getMessage()) for record in caplog.records]
    assert ("poselift.lifting.run", "DEBUG", f"{file.path}: lifted 1 people in 4 frames") in logged
    assert lifted.warnings
    for warning in lifted.warnings:
        assert ("poselift.lifting.run", "WARNING", f"{file.path}: {warning}") in logged
