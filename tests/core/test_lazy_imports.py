"""What packages load on first use is loaded before threads start: two threads that load it at once can fail."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from poselift.samples import demo_video

ROOT = Path(__file__).parents[2]

SLOW = """
import sys, threading, time, types

class Slow(types.ModuleType):
    # Between the end of a submodule's import and its name in the package, other threads get a turn.
    def __setattr__(self, name, value):
        if isinstance(value, types.ModuleType):
            late.append(f"{self.__name__}.{name} in {threading.current_thread().name}")
            time.sleep(0.3)
        super().__setattr__(name, value)

late = []

def slow_down():
    sys.setswitchinterval(1e-5)
    for name in ("numpy", "cv2", "av", "onnxruntime", "poselift", "poselift.models", "poselift.detection"):
        sys.modules[name].__class__ = Slow
"""
"""Widens to 0.3 s the moment in which numpy's `np.ma` calls itself in a second thread, and keeps what loads late."""


def run(code):
    done = subprocess.run([sys.executable, "-c", SLOW + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def lazy():
    """The parts of numpy that load on first use."""
    code = "import numpy; print(*(name for name in numpy.__numpy_submodules__ if name not in vars(numpy)))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.slow
def test_no_module_loads_parts_of_numpy_on_first_use(lazy):
    assert {"ma", "random"} <= lazy
    touched = []
    for path in sorted(ROOT.glob("poselift/**/*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        loaded = {name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names}
        for node in ast.walk(tree):
            of_numpy = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np"
            if of_numpy and node.attr in lazy and f"numpy.{node.attr}" not in loaded:
                touched.append(f"{path.relative_to(ROOT)}:{node.lineno}: np.{node.attr}")
    assert touched == []


@pytest.mark.slow
def test_many_threads_that_check_arrays_first():
    code = """
import numpy as np
from poselift.detection import MoveNet, build_detector
from poselift.lifting import camera_for, lift
from poselift.models import load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D

slow_down()
failed, begin = [], threading.Barrier(8)

def work(number):
    begin.wait()
    time.sleep(0.03 * number)  # one of them comes at the moment that fails
    try:
        points = np.linspace(200, 400, 8 * 17 * 2).reshape(8, 17, 2)
        keypoints = Keypoints2D(points, np.ones((8, 17)), np.arange(8) / 30, COCO17, (640, 480))
        lift(keypoints, load_weights("tiny"), camera_for((640, 480)))
        build_detector("movenet-fast", "cpu").detect([np.zeros((120, 160, 3), np.uint8)])
    except BaseException as error:
        failed.append(repr(error)[:200])

threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""
    assert run(code) == "[]\n"


@pytest.mark.slow
def test_names_that_many_threads_ask_for_at_once():
    """Those of `poselift` may load in any thread; Python promises nothing of packages, see docs/library.md."""
    code = """
import poselift
failed, begin = [], threading.Barrier(len(poselift.__all__))
sys.setswitchinterval(1e-5)

def load(name):
    begin.wait()
    try:
        getattr(poselift, name)
    except BaseException as error:
        failed.append(repr(error)[:200])

threads = [threading.Thread(target=load, args=(name,)) for name in poselift.__all__]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""
    for _ in range(3):
        assert run(code) == "[]\n"


@pytest.mark.slow
def test_lift_and_stream_load_nothing_in_threads(tmp_path):
    """Whole commands. Which thread comes first to a part of numpy is chance, so none may load it."""
    video = str(demo_video())
    commands = [
        ["lift", video, "--end", "0.4", "--out", str(tmp_path / "out")],
        ["stream", video, "--no-window", "--duration", "1", "--out", str(tmp_path / "lines.jsonl")],
    ]
    for command in commands:
        code = f"""
import poselift.detection, poselift.models, poselift.cli.lift, poselift.cli.stream, av
from poselift.cli.main import main
slow_down()
try:
    main({command!r})
finally:
    print([name for name in late if name.startswith("numpy.") or not name.endswith(" in MainThread")])
"""
        assert run(code).splitlines()[-1] == "[]"
