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

ROOT = Path(__file__).parents[1]

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


def public_program():
    """Imports and uses every public name, each under a name of its own: `lift` is in two packages."""
    packages = ["poselift", *(f"poselift.{package}" for package in PACKAGES)]
    names = [(package, name) for package in packages for name in import_module(package).__all__]
    lines = [f"from {package} import {name} as _{place}" for place, (package, name) in enumerate(names)]
    return "\n".join([*lines, f"print({', '.join(f'_{place}' for place in range(len(names)))})"])


def service():
    """The service of docs/library.md."""
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    return re.search(r"<!-- service -->\n```python\n(.*?)```", page, re.DOTALL)[1]


def checker_command(checker, folder):
    """How to start a checker with its strictest rules; skips the test where it is not installed."""
    if checker == "mypy":
        if not importlib.util.find_spec("mypy"):
            pytest.skip("mypy is not installed")
        (folder / "mypy.ini").write_text(CONFIG)
        return [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", "cache"]
    script = ROOT / "web" / "node_modules" / "pyright" / "index.js"
    own = [node, str(script)] if script.is_file() and (node := shutil.which("node")) else []
    found = own or [path for path in [shutil.which("pyright")] if path]
    if not found:
        pytest.skip("pyright is not installed; `npm ci` in web/ installs it")
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    return [*found, "--pythonpath", sys.executable]


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_public_names_and_no_others_are_known_and_the_service_passes(checker, tmp_path):
    programs = {"public.py": public_program(), "wrong.py": WRONG, "service.py": service()}
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
    command = [*checker_command(checker, tmp_path), *programs]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=500, check=False)
    found = sorted(set(re.findall(r"(\w+\.py):(\d+).*?error: ", ran.stdout)))
    assert found == [("wrong.py", str(line)) for line in (3, 4, 5, 7)], ran.stdout + ran.stderr
