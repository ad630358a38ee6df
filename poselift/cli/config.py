"""The commands that Hydra configures.

They find conf/, run, and explain what is wrong with an override. One file, because what explains an error must know how
the config was found and composed.
"""

import contextlib
import functools
import os
import pkgutil
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast, get_type_hints

import hydra
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException, InstantiationException, MissingConfigException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import (
    GrammarParseError,
    InterpolationKeyError,
    InterpolationResolutionError,
    MissingMandatoryValue,
    OmegaConfBaseException,
)

from poselift.cli.hydra_arguments import (
    expand_pattern,
    find_own_configs,
    import_own_code,
    refuse_unknown_options,
    split_arguments,
)
from poselift.cli.overrides import override
from poselift.core.annotations import check_call, check_value
from poselift.core.choices import did_you_mean
from poselift.core.errors import InputError, describe, first_line, make_printable, shorten
from poselift.core.files import check_writable
from poselift.core.locks import write_alone
from poselift.models.build import MODELS

_PACKAGED = Path(__file__).parents[1] / "conf"

CONF = str(_PACKAGED if _PACKAGED.is_dir() else _PACKAGED.parents[1] / "conf")
"""The folder of the configs: inside an installed package, at the top level of a checkout."""

_FOLDERS = [CONF]
"""The folders of configs: ours, then that of --config-dir."""

Result = TypeVar("Result")


def _store_models() -> None:
    """Gives conf/model/*.yaml the defaults of the models' configs. They stand nowhere else."""
    for kind in MODELS:
        defaults = asdict(kind())
        for key in ("skeleton_in", "skeleton_out"):
            defaults[key] = f"${{{key}}}"
        # Of attention only the name: another choice has other options.
        plain = {key: {"name": value["name"]} if isinstance(value, dict) else value for key, value in defaults.items()}
        ours = kind.__module__.startswith("poselift.models.")
        node = {"_target_": f"{'poselift.models' if ours else kind.__module__}.{kind.__name__}", **plain}
        ConfigStore.instance().store(kind.__name__, node, group="model")


_store_models()


def run_hydra(command: Callable[[DictConfig], Any], name: str, arguments: Sequence[str]) -> None:
    """Composes a config and runs its command, or does --help or -m.

    It does Hydra's other options too. A mistyped override, or an output folder that Hydra cannot make, gives one line
    on stderr and exit code 2.

    Args:
        command: takes the composed config.
        name: of the config in conf/.
        arguments: overrides and Hydra's own options.
    """
    # Hydra then raises its errors; otherwise it prints each in several lines.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    whole = sys.argv
    try:
        options, overrides = split_arguments(arguments)
        refuse_unknown_options(options)
        own = find_own_configs(options)
    except InputError as error:
        _stop(str(error))
    swept = bool({"-m", "--multirun"} & set(options))
    if swept:
        overrides = list(map(expand_pattern, overrides))

    @functools.wraps(command)  # Hydra names the job after the command's module
    def task(config: DictConfig) -> Any:
        sys.argv = whole  # from which Lightning starts the other processes of trainer=ddp
        return command(config)

    # Hydra's parser takes no option between two overrides.
    sys.argv = [whole[0], *options, *overrides]
    _FOLDERS[1:] = [] if own is None else [str(own)]
    try:
        if own is not None:
            import_own_code(own)
            _store_models()
        _check_choices(overrides)
        hydra.main(version_base="1.3", config_path=CONF, config_name=name)(task)()
    except InputError as error:
        _stop(str(error))
    except (HydraException, OmegaConfBaseException) as error:
        _stop(explain(error, name, [*map(_first_of_sweep, overrides)] if swept else overrides))
    except BrokenPipeError:  # of stdout: `main` ends
        raise
    except OSError as error:  # Hydra's own: run_configured handles those of the commands
        _stop(f"cannot write to the folder of output= ({describe(error)}); give another output=")
    except ValueError as error:
        if str(error).startswith("Only one of "):
            _stop("-m, --run, --cfg, --info and --shell-completion do not go together; give one of them")
        if "badly formed help string" not in str(error):
            raise
        _stop("Hydra 1.3 does not run on this Python (its options fail on 3.14); train and evaluate on 3.11 to 3.13")
    finally:
        sys.argv = whole


def run_configured(command: Callable[[DictConfig], Result], config: DictConfig) -> Result:
    """Runs a command; errors for people are printed, with exit code 2.

    Args:
        command: takes the composed config.
        config: from Hydra.
    """
    try:
        return command(config)
    except InputError as error:
        _stop(str(error))
    except OmegaConfBaseException as error:
        _stop(_explain_value(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        _stop(describe(error))
    except InstantiationException as error:
        # Hydra wraps the error of a class that could not be built.
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, InputError | OmegaConfBaseException):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, OmegaConfBaseException):
            _stop(_explain_value(cause))
        # Without such a cause, the message is a library's.
        lines = str(error if cause is None else cause).splitlines()
        _stop("\n".join(lines) if isinstance(cause, InputError) else " ".join(lines[:2]))


def plain_dict(config: DictConfig) -> dict[str, Any]:
    """A config as plain data, with its interpolations resolved."""
    return cast(dict[str, Any], OmegaConf.to_container(config, resolve=True))


@contextlib.contextmanager
def output_folder(config: DictConfig, first: bool = True) -> Iterator[Path]:
    """The folder of `output=`, to which no other command writes meanwhile.

    Args:
        config: of the command.
        first: whether this is the first process of the command; the others share its folder.

    Raises:
        InputError: `output=` is empty, for example because a shell variable is not set, or cannot be written to, or
            another command is writing to it.
    """
    if config.output in (None, ""):
        # `${output}/checkpoints` would be at the root of the file system.
        raise InputError("output= names no folder; give one, or leave it out")
    check_writable(config.output)
    output = Path(config.output)
    with write_alone(output, "output=") if first else contextlib.nullcontext():
        yield output


def check_name(name: object) -> None:
    """Checks that `name=` names a file of the run's folder.

    It is not a path to another one.

    Raises:
        InputError: it is empty or a path.
    """
    if name in (None, ""):
        raise InputError("name= is empty; give the weights a name, or leave it out")
    text = str(name)
    if "${" in text:  # not known yet; Hydra says what is wrong with it
        return
    if text in (".", "..") or text.startswith("~") or any(letter in text for letter in "/\\:\0"):
        raise InputError(f"name={shorten(text)} is a path; give a name without / and \\, and the folder as output=")


def check_config(config: DictConfig, keys: type) -> None:
    """Checks every value by the annotation of what takes it.

    Numbers that are meant as text become text. What takes it: for the keys of the command, `keys`; for those of a group
    with `_target_`, the target's signature.

    Args:
        config: the composed config, which is changed.
        keys: a TypedDict of the command's keys.

    Raises:
        InputError: a value does not fit, or a target takes no such key.
    """
    plain = cast(dict[str, Any], OmegaConf.to_container(config, resolve=True))
    kinds = get_type_hints(keys, include_extras=True)
    if missing := [key for key in kinds if key not in plain]:
        raise InputError(f"{missing[0]} is missing; leave out the override that deletes it")
    for key, value in plain.items():
        _replace_numbers(config, key, value, check_value(key, kinds.get(key, Any), value))
    _check_targets(config, "", plain)


def _check_targets(config: DictConfig, path: str, node: Any) -> None:
    """Checks the groups with `_target_` at and below a config's path."""
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        _check_targets(config, f"{path}.{key}".lstrip("."), value)
    if "_target_" not in node or not path:
        return
    target = _find_target(f"{path}._target_", node["_target_"])
    check_value(f"{path}._partial_", bool, node.get("_partial_", False))
    # Values of other groups are made first; ??? is not given yet.
    given = {
        key: value
        for key, value in node.items()
        if not key.startswith("_") and value != "???" and not (isinstance(value, dict) and "_target_" in value)
    }
    for key, value in check_call(path, target, given).items():
        _replace_numbers(config, f"{path}.{key}", given[key], value)


def _find_target(key: str, name: Any) -> Callable[..., Any]:
    """The function or class of this name."""
    try:
        target = pkgutil.resolve_name(name)
    except Exception as error:  # what an import runs may raise anything
        raise InputError(f"{key}={name} cannot be imported; give a function or class") from error
    if not callable(target):
        raise InputError(f"{key}={name} cannot be called; give a function or class")
    return cast(Callable[..., Any], target)


def _replace_numbers(config: DictConfig, path: str, before: Any, now: Any) -> None:
    """Writes text, or a list of it, in place of numbers."""
    if isinstance(now, str | list) and now != before:
        OmegaConf.update(config, path, now)


def _explain_value(error: OmegaConfBaseException, overrides: Sequence[str] | None = None) -> str:
    """One line about an unusable value. The overrides are Hydra's if None."""
    if overrides is None:
        given = HydraConfig.get().overrides.task if HydraConfig.initialized() else OmegaConf.create([])
        overrides = cast(list[str], OmegaConf.to_container(given))  # it would resolve each
    if isinstance(error, MissingMandatoryValue):
        return f"{error.full_key} is not given; add {error.full_key}=..."
    if isinstance(error, InterpolationResolutionError | GrammarParseError):
        # The error names the last key of a chain of references.
        lines = " or ".join(line for line in overrides if "${" in line) or str(error.full_key)
        if isinstance(error, InterpolationKeyError | GrammarParseError):
            return f"{shorten(lines)} has no value; ${{KEY}} stands for another key, and --cfg job prints all keys"
        return f"{shorten(lines)} has no value ({first_line(error)})"
    return first_line(error)


def _stop(message: str) -> NoReturn:
    print(make_printable(f"error: {message}"), file=sys.stderr)
    raise SystemExit(2)


def explain(error: Exception, config_name: str, overrides: list[str]) -> str:
    """One line about a wrong override, with the closest keys or choices.

    Args:
        error: from Hydra.
        config_name: of the config that Hydra composed.
        overrides: of the command line.
    """
    if isinstance(error, MissingConfigException) and "/" in (error.missing_cfg_file or ""):
        group, _, name = str(error.missing_cfg_file).rpartition("/")
        choices = _list_choices(group)
        if not choices:
            return f"there is no {group}={name} here; {_EXTRA.get(group, first_line(error))}"
        hints = [did_you_mean(name, choices), f"there are {', '.join(choices)}"]
        return f"there is no {group}={name}; {' '.join(filter(None, hints))}"
    for cause in (error, error.__cause__):
        if isinstance(cause, InterpolationResolutionError | GrammarParseError):
            return _explain_value(cause, overrides)
    for line in overrides:
        key, _, value = line.partition("=")
        try:
            several = OverridesParser.create().parse_override(line).is_sweep_override()
        except HydraException:
            return f"{shorten(line)} cannot be read; put the value into quotes: {shlex.quote(override(key, value))}"
        if several:
            return f"{shorten(line)} gives several values; a list is {key}=[{shorten(value)}], and a sweep needs -m"
    found = _find_unknown(config_name, overrides)
    if found is None:
        return first_line(error)
    key, line, others = found
    if key == "data" and config_name == "evaluate":
        names = ", ".join(_list_choices("protocol"))
        return f"{line}: the data of an evaluation is that of its protocol; give protocol=NAME, of {names}"
    if _list_choices(key):
        chosen = [other for other in others if _list_choices(other.partition("=")[0].partition("@")[0])]
        return f"{line} does not go with {' '.join(chosen) or 'the other choices'}; choose others"
    known = _list_keys(config_name, others)
    if key in known:
        return f"there is no key {key} in this combination of choices; --cfg job prints all keys"
    hints = [_hint(key, known), "--cfg job prints all keys"]
    return f"there is no key {key}; {' '.join(filter(None, hints))}"


def _first_of_sweep(line: str) -> str:
    """The override of the first job of a sweep."""
    try:
        parsed = OverridesParser.create().parse_override(line)
        first = next(iter(parsed.sweep_string_iterator())) if parsed.is_sweep_override() else None
    except (HydraException, NotImplementedError):  # intervals have no first value
        return line
    return line if first is None else f"{parsed.get_key_element()}={first}"


def _list_choices(group: str) -> list[str]:
    """The configs of a config group, if there are any."""
    found = (path.stem for folder in _FOLDERS for path in (Path(folder) / group).glob("*.yaml"))
    return sorted({name for name in found if not name.startswith("_")})


def _find_unknown(config_name: str, overrides: list[str]) -> tuple[str, str, list[str]] | None:
    """The first override that does not fit those before it.

    Returns its key, the override and all others, if there is one. Choices of groups come first, as Hydra takes them.
    """
    try:
        parsed = OverridesParser.create().parse_overrides(overrides)
    except HydraException:
        return None
    ordered = sorted(parsed, key=lambda each: (not _list_choices(each.key_or_group), each.key_or_group.count("/")))
    lines = [str(each.input_line) for each in ordered]
    for place, each in enumerate(ordered):
        try:
            with initialize_config_dir(CONF, version_base="1.3"):
                compose(config_name, [*_search(), *lines[: place + 1]])
        except MissingConfigException:
            continue  # of another folder of configs
        except (HydraException, OmegaConfBaseException):
            return each.key_or_group, lines[place], [line for line in lines if line != lines[place]]
    return None


def _check_choices(overrides: Sequence[str]) -> None:
    """Refuses choices and outputs that are no names.

    Hydra would end in its own words.

    Raises:
        InputError: a group is set to a number or a list of others than names, or the output to none or several.
    """
    try:
        parsed = OverridesParser.create().parse_overrides(list(overrides))
    except HydraException:
        return  # Hydra explains it
    for each in parsed:
        choices = _list_choices(each.key_or_group)
        if each.is_delete() or each.is_sweep_override():
            continue
        value: Any = each.value()
        if each.key_or_group == "name" and isinstance(value, str) and value:
            check_name(value)  # before Hydra makes a folder of it
        if each.key_or_group == "output" and (value is None or isinstance(value, list | dict)):
            raise InputError(f"{each.input_line} names no folder; give one, or leave it out")
        if not choices and each.key_or_group.split("/")[0] != "hydra":
            continue
        names = value if isinstance(value, list) else [value]
        if not all(isinstance(name, str) for name in names):
            known = f"there are {', '.join(choices)}" if choices else "give the name of one"
            raise InputError(f"{each.input_line} names no choice; {known}")


_EXTRA = dict.fromkeys(
    ("hydra/sweeper", "hydra/launcher"), "for optuna and submitit_slurm: pip install 'poselift[sweep]'"
)


def _hint(wanted: str, known: list[str]) -> str:
    """A question with close keys. They have the same group and last part, or are similar."""
    group, last = wanted.split(".")[0], wanted.split(".")[-1]
    same = [name for name in known if (name.split(".")[0], name.split(".")[-1]) == (group, last)]
    return did_you_mean(wanted, same or known)


def _search() -> list[str]:
    """The override with which `compose` finds the configs of --config-dir."""
    return [override("hydra.searchpath", [f"file://{folder}" for folder in _FOLDERS[1:]])] if _FOLDERS[1:] else []


def _list_keys(config_name: str, overrides: list[str]) -> list[str]:
    """Every key of the config, and the config groups."""
    groups = [path.name for folder in _FOLDERS for path in Path(folder).iterdir() if path.is_dir()]
    for attempt in (overrides, []):
        try:
            with initialize_config_dir(CONF, version_base="1.3"):
                return list(dict.fromkeys([*groups, *_list_paths(compose(config_name, [*_search(), *attempt]))]))
        except (HydraException, OmegaConfBaseException):
            continue  # a second mistake among the others
    return groups


def _list_paths(config: DictConfig, prefix: str = "") -> Iterator[str]:
    for key in config:
        yield f"{prefix}{key!s}"
        value = config._get_node(key)
        if isinstance(value, DictConfig) and not value._is_none() and not value._is_interpolation():
            yield from _list_paths(value, f"{prefix}{key!s}.")
