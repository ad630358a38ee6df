"""The commands that Hydra configures: they find conf/, run, and explain what is wrong with an override."""

import functools
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar, Unpack, cast, get_args, get_origin, get_type_hints

import hydra
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException, InstantiationException, MissingConfigException
from hydra.utils import get_object
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from poselift.core.choices import did_you_mean
from poselift.core.errors import InputError, describe, printable
from poselift.core.files import check_writable

_PACKAGED = Path(__file__).parents[1] / "conf"

CONF = str(_PACKAGED if _PACKAGED.is_dir() else _PACKAGED.parents[1] / "conf")
"""The folder of the configs: inside an installed package, at the top level of a checkout."""

Result = TypeVar("Result")


def run_hydra(command: Callable[[DictConfig], Any], name: str, arguments: Sequence[str]) -> None:
    """Composes a config and runs a command with it, or does what an option such as --help or -m says.

    A mistyped override, or an output folder that Hydra cannot make, gives one line on stderr and exit code 2.

    Args:
        command: takes the composed config.
        name: of the config in conf/.
        arguments: overrides and Hydra's own options.
    """
    # Hydra then raises its errors; otherwise it prints each in several lines.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    whole = sys.argv

    @functools.wraps(command)  # Hydra names the job after the command's module
    def task(config: DictConfig) -> Any:
        sys.argv = whole  # from which Lightning starts the other processes of trainer=ddp
        return command(config)

    sys.argv = [whole[0], *arguments]
    try:
        hydra.main(version_base="1.3", config_path=CONF, config_name=name)(task)()
    except (HydraException, OmegaConfBaseException) as error:
        _stop(explain(error, name, [argument for argument in arguments if "=" in argument]))
    except OSError as error:  # Hydra's own: run_configured handles those of the commands
        _stop(f"cannot write to the folder of output= ({describe(error)}); give another output=")
    finally:
        sys.argv = whole


def run_configured(command: Callable[[DictConfig], Result], config: DictConfig) -> Result:
    """Runs a command; prints errors that are meant for people and exits with code 2.

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
        # Hydra wraps the error of a class that could not be built.
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, InputError | OmegaConfBaseException):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, OmegaConfBaseException):
            _stop(_explain_value(cause))
        # Without such a cause, the second line of the message names a value of the wrong type.
        lines = str(error if cause is None else cause).splitlines()
        if found := re.search(r"'[\w.]+\.(\w+)':\s.*unexpected keyword argument '(\w+)'", str(error)):
            model = found.group(1).removesuffix("Config")
            _stop(f"{model} takes no {found.group(2)}; leave out the override that sets it")
        if wrong := _wrong_kind(config, str(error)):
            _stop(wrong)
        _stop("\n".join(lines) if isinstance(cause, InputError) else " ".join(lines[:2]))


def plain_dict(config: DictConfig) -> dict[str, Any]:
    """A config as plain data, with its interpolations resolved."""
    return cast(dict[str, Any], OmegaConf.to_container(config, resolve=True))


def output_folder(config: DictConfig) -> Path:
    """The folder of `output=`, which can be written to.

    Raises:
        InputError: `output=` is empty, for example because a shell variable is not set, or cannot be written to.
    """
    if config.output in (None, ""):
        # `${output}/checkpoints` would be at the root of the file system.
        raise InputError("output= names no folder; give one, or leave it out")
    config.output = str(config.output)  # a name such as 2026 is a number to Hydra
    check_writable(config.output)
    return Path(config.output)


def _check_words(config: DictConfig, prefix: str = "") -> None:
    """Refuses yes, no, on and off: they are text to Hydra, and every text counts as true.

    Raises:
        InputError: a value is one of these words.
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
    """The value that is text but must be a number, in one line; None if there is no such value."""
    found = re.search(r"call to target '([\w.]+)'(?:.|\n)*full_key: ([\w.]+)", message)
    if not found:
        return None
    target, group = found.groups()
    for name, kind in _kinds(get_object(target)).items():
        value = OmegaConf.select(config, f"{group}.{name}")
        if kind in (int, float) and isinstance(value, str):
            return f"{group}.{name}={value} must be a {'whole ' if kind is int else ''}number"
    return None


def _kinds(target: Callable[..., Any]) -> dict[str, Any]:
    """The type of each argument without its range, including those of `**common: Unpack[...]`."""
    kinds: dict[str, Any] = {}
    for name, parameter in inspect.signature(target).parameters.items():
        if get_origin(parameter.annotation) is Unpack:
            kinds |= get_type_hints(*get_args(parameter.annotation))
        else:
            kinds[name] = parameter.annotation
    return {name: get_args(kind)[0] if get_origin(kind) is Annotated else kind for name, kind in kinds.items()}


def _explain_value(error: OmegaConfBaseException) -> str:
    """One line about a value that cannot be used."""
    if isinstance(error, MissingMandatoryValue):
        return f"{error.full_key} is not given; add {error.full_key}=..."
    return str(error).splitlines()[0]


def _stop(message: str) -> NoReturn:
    print(printable(f"error: {message}"), file=sys.stderr)
    raise SystemExit(2)


def explain(error: Exception, config_name: str, overrides: list[str]) -> str:
    """One line about a wrong override, with the closest keys or choices.

    Args:
        error: from Hydra.
        config_name: of the config that Hydra composed.
        overrides: of the command line.
    """
    message = str(error)
    if isinstance(error, MissingConfigException) and (
        found := re.search(r"Could not find '([\w@./]+)/([^'/]+)'", message)
    ):
        group, name = found.groups()
        choices = sorted(path.stem for path in (Path(CONF) / group).glob("*.yaml") if not path.stem.startswith("_"))
        if not choices:
            return f"there is no {group}={name} here; {_EXTRA.get(group, message.splitlines()[0])}"
        hints = [did_you_mean(name, choices), f"there are {', '.join(choices)}"]
        return f"there is no {group}={name}; {' '.join(filter(None, hints))}"
    if found := re.search(r"Could not override '([^']+)'", message):
        key = found.group(1)
        if "/" in key and (Path(CONF) / key).is_dir():
            group, part = key.rsplit("/", 1)
            return f"{key} does not go with this {group}=, which has no {part}; choose another {group}"
        others = [override for override in overrides if not re.match(rf"[+~]*{re.escape(key)}(@|=)", override)]
        known = _keys(config_name, others)
        if key in known:
            return f"there is no key {key} in this combination of choices; --cfg job prints all keys"
        hints = [_hint(key, known), "--cfg job prints all keys"]
        return f"there is no key {key}; {' '.join(filter(None, hints))}"
    return message.splitlines()[0]


_EXTRA = dict.fromkeys(
    ("hydra/sweeper", "hydra/launcher"), "for optuna and submitit_slurm: pip install 'poselift[sweep]'"
)


def _hint(wanted: str, known: list[str]) -> str:
    """A question with close keys: those of the same group with the same last part, or similar ones."""
    group, last = wanted.split(".")[0], wanted.split(".")[-1]
    same = [name for name in known if (name.split(".")[0], name.split(".")[-1]) == (group, last)]
    return did_you_mean(wanted, same or known)


def _keys(config_name: str, overrides: list[str]) -> list[str]:
    """Every key of the config, and the config groups."""
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
