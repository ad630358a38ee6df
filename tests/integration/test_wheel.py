"""The wheel, installed where the checkout cannot be seen."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from poselift import __version__
from poselift.models import load_weights

ROOT = Path(__file__).parents[2]
SMALL = [
    *("trainer=smoke", "frames=16", "data.batch_size=4", "callbacks.progress=null", "logger.tensorboard=null"),
    *(f"model.{size}" for size in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def run(*command, **options):
    """The standard output of a command that succeeds."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy of the sources: setuptools leaves files where it builds, and packs those of earlier builds."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in ("poselift", "conf"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder, source)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def poselift(wheel, tmp_path_factory):
    """Runs `poselift` of an environment with the wheel, in an empty folder.

    The environment takes the dependencies from this one. A checkout that is installed here stays unseen: Python reads
    the .pth files of an environment's own folder alone.
    """
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "environment")
    python = folder / "environment" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel)
    (site,) = (folder / "environment").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    (folder / "work").mkdir()

    def start(*arguments):
        return run(python.with_name("poselift"), *arguments, cwd=folder / "work", env=clean)

    start.folder = folder / "work"
    found = run(python, "-c", "import poselift; print(poselift.__file__)", cwd=start.folder, env=clean)
    assert Path(found.strip()).is_relative_to(folder)
    return start


def test_it_has_all_data_and_less_than_40_mib(wheel):
    packed = set(zipfile.ZipFile(wheel).namelist())
    data = {path for path in (ROOT / "poselift").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    configs = {Path("poselift") / path.relative_to(ROOT) for path in (ROOT / "conf").rglob("*.yaml")}
    assert {path.relative_to(ROOT).as_posix() for path in data} | {path.as_posix() for path in configs} <= packed
    assert {name.split("/")[0] for name in packed} == {"poselift", f"poselift-{__version__}.dist-info"}
    assert wheel.stat().st_size < 40 * 2**20


def test_it_lifts_the_clip(poselift):
    options = ["--detector", "movenet-fast", "--no-render", "--end", "0.5", "--no-flip", "--quiet"]
    poselift("lift", "--out", "lifted", *options)
    summary = json.loads((poselift.folder / "lifted" / "summary.json").read_text())
    assert summary["frames"] == 15
    assert summary["people"]


def test_it_trains_and_evaluates(poselift, cmu_files):
    corpus, bench = cmu_files
    data = [f"data.corpus={corpus}", f"data.bench={bench}"]
    said = poselift("train", *SMALL, "data=cmu", *data, "output=run")
    assert "Evaluate them: poselift evaluate protocol=cmu_bench" in said
    assert load_weights(poselift.folder / "run" / "lifter.safetensors").card["training"]["step"] == 2
    poselift("evaluate", "protocol=cmu_bench", *data, "weights=run/lifter.safetensors", "flip=false", "output=scores")
    assert json.loads((poselift.folder / "scores" / "metrics.json").read_text())["views"] == 2


@pytest.mark.parametrize("command", ["report", "study"])
def test_it_says_how_a_command_is_used(command, poselift):
    assert f"poselift {command}" in poselift(command, "--help")
