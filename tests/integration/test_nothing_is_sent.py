"""What SECURITY.md promises: no look-up of an address, and nothing kept in the user's home."""

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import islice

import pytest

from poselift.samples import demo_video
from poselift.video import VideoReader, VideoWriter

pytestmark = pytest.mark.slow

COMMANDS = """
import json, sys
from poselift.cli.main import main
for arguments in json.loads(sys.argv[1]):
    main(arguments)
"""
PYTHON = """
import time, numpy as np
from poselift.detection import build_detector
build_detector("movenet-fast", "cpu").detect([np.zeros((120, 160, 3), np.uint8)])
time.sleep(3)
"""
VIDEO = str(demo_video())
ARGUMENTS = [
    ["lift", VIDEO, "--end", "0.3", "--out", "out"],
    ["batch", "videos", "--out", "batch", "--detector", "movenet-fast"],
    ["stream", VIDEO, "--no-window", "--duration", "1", "--out", "lines.jsonl"],
]
PROGRAMS = {"commands": [COMMANDS, json.dumps(ARGUMENTS)], "python": [PYTHON]}
"""The commands in one process, because the imports take seconds; files that they write tell that all ran."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_home_stays_empty_and_nothing_is_looked_up(name, tmp_path):
    home, trace = tmp_path / "home", tmp_path / "trace.txt"
    home.mkdir()
    (tmp_path / "videos").mkdir()
    with VideoWriter(tmp_path / "videos" / "clip.mp4", 960, 540) as writer:
        for frame in islice(VideoReader(demo_video()), 9):
            writer.write(frame.image, frame.timestamp)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ORT_"))}
    environment["HOME"] = environment["USERPROFILE"] = str(home)
    strace = shutil.which("strace")
    watch = [strace, "-f", "-qq", "-e", "trace=network", "-o", str(trace)] if strace else []
    command = [sys.executable, "-c", *PROGRAMS[name]]
    done = subprocess.run([*watch, *command], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    if name == "commands":
        assert {"out", "batch", "lines.jsonl"} <= {path.name for path in tmp_path.iterdir()}
    assert list(home.rglob("*")) == []
    # Sockets of the machine itself (AF_UNIX) serve worker processes. Without strace, the home alone is checked.
    sockets = re.findall(r"AF_INET6?.*", trace.read_text()) if strace else []
    assert sockets == []
