import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PARTS = (
    "poselift poselift.models poselift.lifting poselift.detection poselift.tracking poselift.geometry poselift.cli.main"
)


def test_importing_is_silent_and_light():
    """No warning, no output, and neither MMPose nor matplotlib nor Lightning comes along."""
    code = (
        f"import sys\nfor part in {PARTS.split()!r}: __import__(part)\n"
        "heavy = [m for m in ('mmpose', 'matplotlib', 'pytorch_lightning', 'hydra') if m in sys.modules]\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_runs_no_network_imports_no_torch():
    code = (
        "import sys\nfor part in 'geometry kinematics skeleton structures video export viz viz.page'.split():\n"
        "    __import__(f'poselift.{part}')\n"
        "    assert 'torch' not in sys.modules, part"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
