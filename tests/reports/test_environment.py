import re
import subprocess
import sys

import torch

import poselift
from poselift.reports.environment import environment


def test_it_says_with_what_a_figure_was_made(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tools/evaluate.py", "flip=false"])
    found = environment()
    assert found["poselift"] == poselift.__version__
    assert found["torch"] == torch.__version__
    assert found["command"] == "python tools/evaluate.py flip=false"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", found["date"])


def test_the_repository_of_another_project_gives_no_commit(monkeypatch, tmp_path):
    def git(*arguments):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, capture_output=True)

    package = tmp_path / "venv" / "poselift"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.setattr(poselift, "__file__", str(package / "__init__.py"))
    git("init")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--allow-empty", "-m", "theirs")
    assert environment()["commit"] is None
    git("add", ".")
    assert re.fullmatch(r"[0-9a-f]{12}-dirty", environment()["commit"])
