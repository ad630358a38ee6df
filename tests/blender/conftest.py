"""Blender's Python module, in a process of its own: it keeps one scene, and its numpy may be another."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
ADD_ON = _HERE.parents[1] / "blender"


@pytest.fixture(scope="session")
def blender():
    """Blender's Python module.

    POSELIFT_BPY names a Python that has the package `bpy`; this one is taken if it has it.
    """
    python = os.environ.get("POSELIFT_BPY", sys.executable)
    if subprocess.run([python, "-c", "import bpy"], capture_output=True).returncode:
        pytest.skip("Blender's module is not there: pip install bpy, or POSELIFT_BPY of a Python that has it")

    return Blender(python)


@dataclass(frozen=True)
class Blender:
    """Blender's Python.

    Attributes:
        python: path of the interpreter.
    """

    python: str

    def __call__(self, script, *arguments):
        """What a script of this folder prints last, as JSON."""
        return json.loads(self.script(_HERE / script, *arguments).splitlines()[-1])

    def script(self, script, *arguments):
        """What a script prints."""
        ran = subprocess.run(
            [self.python, script, *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ADD_ON)},
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout
