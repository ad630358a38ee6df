"""The arguments of Hydra's commands. Options stand anywhere, patterns name files, and a folder has your code."""

import importlib
import sys
from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

from poselift.cli.overrides import override
from poselift.core.errors import InputError, reason

_WITH_VALUE = ("--cfg", "-c", "--config-dir", "-cd", "--config-name", "-cn", "--config-path", "-cp", "--package", "-p")
_WITH_VALUE_OR_NOT = {"--info": ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")}
_WITH_VALUE_OR_NOT["-i"] = _WITH_VALUE_OR_NOT["--info"]
"""Hydra's options that take a value (hydra/_internal/utils.py, get_args_parser, of Hydra 1.3)."""
_FLAGS = (
    *("--help", "-h", "--hydra-help", "--version", "--resolve", "--run", "-r", "--multirun", "-m"),
    *("--shell-completion", "-sc", "--experimental-rerun"),
)
"""Its other options."""


def refuse_unknown_options(options: Sequence[str]) -> None:
    """Says what replaces an option that Hydra does not have.

    Raises:
        InputError: there is one.
    """
    known = (*_FLAGS, *_WITH_VALUE, *_WITH_VALUE_OR_NOT)
    for option in options:
        name, equals, value = option.partition("=")
        # Hydra takes the beginning of a long name too.
        if name.startswith("-") and not any(each.startswith(name) for each in known):
            key = name.lstrip("-").replace("-", "_")
            raise InputError(f"there is no {name}; settings have no dashes: {key}={value if equals else 'VALUE'}")


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Hydra's options with their values, and the overrides, each in their order.

    Example:
        >>> split_arguments(["seed=0,1", "-m", "steps=5", "--cfg", "job"])
        (['-m', '--cfg', 'job'], ['seed=0,1', 'steps=5'])
    """
    options: list[str] = []
    overrides: list[str] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-"):
            overrides.append(argument)
            continue
        options.append(argument)
        if rest and (argument in _WITH_VALUE or rest[0] in _WITH_VALUE_OR_NOT.get(argument, ())):
            options.append(rest.pop(0))
    return options, overrides


def expand_pattern(line: str) -> str:
    """A sweep's override, with files in place of a pattern.

    Others stay as they are.

    Example:
        >>> expand_pattern("weights=no/such/folder/*.safetensors"), expand_pattern("seed=0,1")
        ('weights=no/such/folder/*.safetensors', 'seed=0,1')
    """
    key, equals, value = line.partition("=")
    found = sorted(glob(value)) if equals and has_magic(value) else []
    if not found:
        return line
    return f"{key}={','.join(override('', path).removeprefix('=') for path in found)}"


def find_own_configs(options: Sequence[str]) -> Path | None:
    """The folder of --config-dir, with your configs and code, or None.

    Raises:
        InputError: there is no such folder.
    """
    folder: str | None = None
    for option, value in zip(options, [*options[1:], ""], strict=False):
        name, equals, joined = option.partition("=")
        if name in ("--config-dir", "-cd"):
            folder = joined if equals else value
    if folder is None:
        return None
    if not Path(folder).is_dir():
        raise InputError(f"--config-dir {folder}: there is no such folder; give the one with your model/, loss/ ...")
    return Path(folder).resolve()


def import_own_code(folder: Path) -> None:
    """Imports the Python files of the user's own folder.

    They can add models, losses and metrics.

    Raises:
        InputError: a file raises an error, or its name is that of an installed module.
    """
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    for file in sorted(folder.glob("*.py")):
        try:
            module = importlib.import_module(file.stem)
        except Exception as error:  # what an import runs may raise anything
            raise InputError(f"{file} cannot be imported ({type(error).__name__}: {reason(error)}); mend it") from error
        if Path(getattr(module, "__file__", None) or "").resolve() != file:
            raise InputError(f"{file} has the name of another module, {module.__name__}; give the file another name")
