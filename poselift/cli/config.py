"""What the commands that are configured by Hydra share."""

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn, TypeVar

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException, InstantiationException, MissingConfigException
from hydra.utils import get_object
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from poselift.core.errors import InputError, describe
from poselift.core.files import check_writable

CONF = str(Path(__file__).parents[2] / "conf")
"""The folder of the configs."""

Result = TypeVar("Result")


def run_hydra(main: Callable[[], None], config_name: str) -> None:
    """Calls a function that `hydra.main` made; a mistyped override is one line on stderr and exit code 2.

    So is a folder for the output that Hydra cannot make.

    Args:
        main: the decorated function.
        config_name: that it composes.
    """
    # Hydra then raises what it would otherwise print in several lines of its own.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        main()
    except (HydraException, OmegaConfBaseException) as error:
        _stop(explain(error, config_name, [argument for argument in sys.argv[1:] if "=" in argument]))
    except OSError as error:  # Of Hydra alone: run_configured sees to those of the commands.
        _stop(f"cannot write to the folder of output= ({describe(error)}); give another output=")
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        raise SystemExit(130) from None


def run_configured(command: Callable[[DictConfig], Result], config: DictConfig) -> Result:
    """Runs a command; where what was given cannot be used, that on stderr and exit code 2.

    Args:
        command: takes the composed config.
        config: from Hydra.
    """
    try:
        _check_words(config)
        return command(config)
    except InputError as error:
        _stop(str(error))
    except OmegaConfBaseException as error:
        _stop(_explain_value(error))
    except OSError as error:
        _stop(describe(error))
    except InstantiationException as error:
        # Hydra wraps what a class raised while it was built.
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, InputError | OmegaConfBaseException):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, OmegaConfBaseException):
            _stop(_explain_value(cause))
        # Without one, what it wraps is a value of the wrong kind, in the second line of its message.
        lines = str(error if cause is None else cause).splitlines()
        if found := re.search(r"'[\w.]+\.(\w+)':\s.*unexpected keyword argument '(\w+)'", str(error)):
            _stop(
                f"{found.group(1).removesuffix('Config')} takes no {found.group(2)}; leave out what sets it, or "
                "choose another"
            )
        if wrong := _wrong_kind(config, str(error)):
            _stop(wrong)
        _stop("\n".join(lines) if isinstance(cause, InputError) else " ".join(lines[:2]))


def output_folder(config: DictConfig) -> Path:
    """The folder that `output=` names, after making sure that it can be written to.

    Raises:
        InputError: it names none, as where a script's variable is not set, or may not be written to.
    """
    if config.output in (None, ""):
        # `${output}/checkpoints` and the like would be at the root of the file system.
        raise InputError("output= names no folder; give one, or leave it out")
    config.output = str(config.output)  # a name such as 2026 is a number to Hydra
    check_writable(config.output)
    return Path(config.output)


def _check_words(config: DictConfig, prefix: str = "") -> None:
    """Refuses what YAML once read as true and false: it is text here, and text is as good as true.

    Raises:
        InputError: a value is such a word.
    """
    for key in config:
        value = config._get_node(key)
        if isinstance(value, DictConfig) and not value._is_none() and not value._is_interpolation():
            _check_words(value, f"{prefix}{key!s}.")
        elif isinstance(word := getattr(value, "_value", lambda: None)(), str) and word.lower() in _WORDS:
            meant = str(_WORDS[word.lower()]).lower()
            raise InputError(f"{prefix}{key!s}={word} is text; write {prefix}{key!s}={meant}")


_WORDS = {"yes": True, "on": True, "no": False, "off": False}


def _wrong_kind(config: DictConfig, message: str) -> str | None:
    """Which value is no number where the class that Hydra could not build takes one; None where all are."""
    found = re.search(r"call to target '([\w.]+)'(?:.|\n)*full_key: ([\w.]+)", message)
    if not found:
        return None
    target, group = found.groups()
    for name, parameter in inspect.signature(get_object(target)).parameters.items():
        value = OmegaConf.select(config, f"{group}.{name}")
        if parameter.annotation in (int, float) and isinstance(value, str):
            return f"{group}.{name}={value} must be a {'whole ' if parameter.annotation is int else ''}number"
    return None


def _explain_value(error: OmegaConfBaseException) -> str:
    """What is wrong with a value, in one line."""
    if isinstance(error, MissingMandatoryValue):
        return f"{error.full_key} is not given; add {error.full_key}=..."
    return str(error).splitlines()[0]


def _stop(message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(2)


def explain(error: Exception, config_name: str, overrides: list[str]) -> str:
    """What is wrong with the overrides, in one line with the nearest key or choice.

    Args:
        error: Hydra's.
        config_name: that was composed.
        overrides: the command line's.
    """
    message = str(error)
    if isinstance(error, MissingConfigException) and (
        found := re.search(r"Could not find '([\w@./]+)/([^'/]+)'", message)
    ):
        group, name = found.groups()
        choices = sorted(path.stem for path in (Path(CONF) / group).glob("*.yaml") if not path.stem.startswith("_"))
        if not choices:
            return f"there is no {group}={name} here; {_EXTRA.get(group, message.splitlines()[0])}"
        return f"there is no {group}={name}{_nearest(name, choices)}; there are {', '.join(choices)}"
    if found := re.search(r"Could not override '([^']+)'", message):
        key = found.group(1)
        if "/" in key and (Path(CONF) / key).is_dir():
            group, part = key.rsplit("/", 1)
            return f"{key} does not go with this {group}=, which has no {part} to choose; choose another {group}"
        others = [override for override in overrides if not re.match(rf"[+~]*{re.escape(key)}(@|=)", override)]
        known = _keys(config_name, others)
        if key in known:
            return f"there is no key {key} with what else is chosen; see --cfg job"
        return f"there is no key {key}{_nearest(key, known)}; see --cfg job"
    return message.splitlines()[0]


_EXTRA = dict.fromkeys(
    ("hydra/sweeper", "hydra/launcher"), "optuna and submitit_slurm come with: pip install 'poselift[sweep]'"
)


def _nearest(wanted: str, known: list[str]) -> str:
    """; the nearest is ... where one is near: the same last part in the same group, or else a similar name."""
    group, last = wanted.split(".")[0], wanted.split(".")[-1]
    near = [name for name in known if (name.split(".")[0], name.split(".")[-1]) == (group, last)]
    near = near or get_close_matches(wanted, known, 1)
    return f"; the nearest is {near[0]}" if near else ""


def _keys(config_name: str, overrides: list[str]) -> list[str]:
    """Every key that an override may name, and the config groups."""
    groups = [path.name for path in Path(CONF).iterdir() if path.is_dir()]
    for attempt in (overrides, []):
        try:
            with initialize_config_dir(CONF, version_base="1.3"):
                return [*groups, *_paths(compose(config_name, attempt))]
        except (HydraException, OmegaConfBaseException):
            continue  # a second mistake among the others
    return groups


def _paths(config: DictConfig, prefix: str = "") -> Iterator[str]:
    for key in config:
        yield f"{prefix}{key!s}"
        value = config._get_node(key)
        if isinstance(value, DictConfig) and not value._is_none() and not value._is_interpolation():
            yield from _paths(value, f"{prefix}{key!s}.")
