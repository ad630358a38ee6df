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
    *("trainer=smoke", "frames=16", "callbacks.progress=null"),
    *("data.batch_size=4", "data.clips=2", "data.clip_frames=40"),
    *(f"model.{size}" for size in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
]
IMPORT_ALL_AND_TRAIN = """
import importlib, pathlib, sys
import poselift

folder = pathlib.Path(poselift.__file__).parent
print(folder)
for path in sorted(folder.rglob("*.py")):
    parts = path.relative_to(folder.parent).with_suffix("").parts
    importlib.import_module(".".join(parts).removesuffix(".__init__"))
from poselift.cli.main import main
main(["train", *sys.argv[1:], "output=run"])
"""

MOST = 75_000_000
"""Bytes of the wheel as built; `advzip -z -4` of a release (CONTRIBUTING.md) packs it about 0.2 MB smaller."""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def run(*command, **options):
    """The standard output of a command that succeeds."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy of the sources, without the checkout's folders of earlier builds."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in ("poselift", "conf"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source)
    # What pip calls, without its copies and its further processes.
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    run(sys.executable, "-c", build, folder, cwd=source)
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
    # Without PYTHONPATH, where pip would find a checkout and take it for installed.
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, env=clean)
    (site,) = (folder / "environment").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (folder / "work").mkdir()

    def start(*arguments):
        return run(python.with_name("poselift"), *arguments, cwd=folder / "work", env=clean)

    start.folder = folder / "work"
    start.python = lambda program, *arguments: run(python, "-c", program, *arguments, cwd=start.folder, env=clean)
    return start


def test_it_has_all_data_and_is_small(wheel):
    archive = zipfile.ZipFile(wheel)
    packed = set(archive.namelist())
    data = {path for path in (ROOT / "poselift").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    configs = {Path("poselift") / path.relative_to(ROOT) for path in (ROOT / "conf").rglob("*.yaml")}
    assert {path.relative_to(ROOT).as_posix() for path in data} | {path.as_posix() for path in configs} <= packed
    assert {name.split("/")[0] for name in packed} == {"poselift", f"poselift-{__version__}.dist-info"}
    assert wheel.stat().st_size < MOST


def test_every_module_can_be_imported_and_it_trains(poselift):
    """In one process, because the imports take seconds."""
    found = Path(poselift.python(IMPORT_ALL_AND_TRAIN, *SMALL).splitlines()[0])
    assert found.is_relative_to(poselift.folder.parent), "not the checkout"
    assert load_weights(poselift.folder / "run" / "lifter.safetensors").card["training"]["step"] == 2


def test_it_lifts_the_clip(poselift):
    options = ["--detector", "movenet-fast", "--no-render", "--end", "0.2", "--no-flip", "--quiet"]
    poselift("lift", "--out", "lifted", *options)
    summary = json.loads((poselift.folder / "lifted" / "summary.json").read_text())
    assert summary["frames"] == 6
    assert summary["people"]
