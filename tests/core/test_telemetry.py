import ast
import os
from pathlib import Path

import pytest

from poselift.core.telemetry import turn_off_telemetry

ROOT = Path(__file__).parents[2]


def test_a_choice_of_the_user_stays(monkeypatch):
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    turn_off_telemetry()
    assert (os.environ["ORT_DISABLE_TELEMETRY"], os.environ["RAY_USAGE_STATS_ENABLED"]) == ("0", "0")


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["poselift", "benchmarks", "tools", "tests"])
def test_onnxruntime_is_imported_in_one_place(folder):
    """The place that turns its telemetry off first."""
    places = []
    for path in ROOT.glob(f"{folder}/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.partition(".")[0] == "onnxruntime" for name in names):
                places.append(path.relative_to(ROOT).as_posix())
    assert places == (["poselift/core/onnx_runtime.py"] if folder == "poselift" else [])
