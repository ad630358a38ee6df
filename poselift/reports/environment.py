"""The environment of a result, so that others can reproduce it."""

import os
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import torch

import poselift


def environment() -> dict[str, str | None]:
    """Versions, machine, command, date (UTC) and commit.

    The commit is None without a checkout.
    """
    gpu = f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""
    return {
        "poselift": poselift.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{gpu}",
        "command": _command(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
    }


def _command() -> str:
    """The command line, as the user could type it again."""
    program, *arguments = sys.argv
    script = ["poselift"] if Path(program).name == "poselift" else ["python", program]
    return shlex.join([*script, *arguments])


def _commit() -> str | None:
    file = Path(poselift.__file__)
    try:
        # An environment may lie inside another project's repository, which does not track the package.
        _git(file.parent, "ls-files", "--error-unmatch", file.name)
        return _git(file.parent, "describe", "--always", "--dirty", "--abbrev=12")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()
