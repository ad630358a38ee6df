import subprocess
import sys

import pytest

from poselift.cli.main import _COMMANDS

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


LIGHT = "geometry kinematics skeleton structures video export viz viz.page detection finding models lifting"
TRAINING = {"train", "evaluate", "report", "calibrate", "attention"}
"""Commands that need the extra `train`."""


def imported(code):
    """The names of all modules after some code has run in a new process."""
    code += "\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


HEAVY = {"torch", "pytorch_lightning", "torchmetrics", "hydra", "omegaconf", "tensorboard", "onnx"}
HEAVY |= {"matplotlib", "scipy", "array_api_compat"}


def test_what_lifts_or_shows_imports_no_training():
    """In one process, as each import takes half a second."""
    assert not HEAVY & set(imported("\n".join(f"import poselift.{part}" for part in LIGHT.split())))


def test_commands_that_do_not_train_import_no_training():
    """By the way of `poselift` itself, wherever the command's file lies."""
    commands = sorted(set(_COMMANDS) - TRAINING)
    assert not HEAVY & set(imported(f"from poselift.cli.main import _module\nfor name in {commands!r}: _module(name)"))


def test_poselift_itself_imports_nothing():
    modules = imported("import poselift")
    assert "numpy" not in modules
    assert [name for name in modules if name.startswith("poselift.")] == []


def test_the_commands_import_no_more_than_they_need():
    """Modules, because seconds depend on the machine."""
    assert len(imported("import poselift.cli.lift")) < 850
    assert len(imported("import poselift.cli.main")) < 150


def test_weights_come_back_without_pytorchs_compiler():
    """Its import takes longer than all that PyTorch then lifts of a short clip."""
    modules = imported("from poselift.models import load_weights\nload_weights('tiny').lifter")
    assert "torch" in modules
    assert not {"torch._dynamo", "torch._inductor", "sympy"} & set(modules)
