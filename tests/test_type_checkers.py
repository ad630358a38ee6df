"""What type checkers say of programs that import poselift: public names are known, wrong ones are not."""

import importlib.util
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.test_public_api import PACKAGES

WRONG = """
from poselift import detection
from poselift.detection import Detections
from poselift.lifting import lift_vew
from poselift.models import bild_model

detector = detection.MuveNet()
"""

CONFIG = """
[mypy]
strict = True
follow_imports = silent
ignore_missing_imports = True
[mypy-torch.*,scipy.*,cv2.*,onnxruntime.*,onnx.*,sympy.*,matplotlib.*,lightning.*,pytorch_lightning.*,torchmetrics.*]
follow_imports = skip
"""
"""The packages on which poselift stands take most of the time, and names do not depend on them."""


def errors(folder, text, checker):
    """The lines of a program in which a checker finds an error."""
    path = folder / "program.py"
    path.write_text(text)
    if checker == "mypy":
        (folder / "mypy.ini").write_text(CONFIG)
        command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", "cache", path.name]
    else:
        (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
        command = ["pyright", "--pythonpath", sys.executable, path.name]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=500, check=False)
    found = re.findall(r"program\.py:(\d+).*?error: (.*)", ran.stdout)
    assert bool(found) == bool(ran.returncode), ran.stdout + ran.stderr
    return sorted({int(line) for line, _ in found})


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_all_public_names_are_known_and_no_others(checker, tmp_path):
    if checker == "mypy" and not importlib.util.find_spec("mypy"):
        pytest.skip("mypy is not installed")
    if checker == "pyright" and shutil.which("pyright") is None:
        pytest.skip("pyright is not installed; it downloads itself when it first runs, so it is not in dev")
    packages = ["poselift", *(f"poselift.{package}" for package in PACKAGES)]
    packages = ["poselift", *(f"poselift.{package}" for package in PACKAGES)]
    names = [(package, name) for package in packages for name in import_module(package).__all__]
    # Each under a name of its own: `lift` is in two packages.
    right = [f"from {package} import {name} as _{place}" for place, (package, name) in enumerate(names)]
    used = f"print({', '.join(f'_{place}' for place in range(len(names)))})"
    assert errors(tmp_path, "\n".join([*right, used]), checker) == []
    assert errors(tmp_path, WRONG, checker) == [3, 4, 5, 7]
    page = (Path(__file__).parents[1] / "docs" / "library.md").read_text("utf-8")
    service = re.search(r"<!-- service -->\n```python\n(.*?)```", page, re.DOTALL)[1]
    assert errors(tmp_path, service, checker) == []
