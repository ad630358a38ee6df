"""Each command of the documentation: its parser reads it, its config is complete, and its model can be built."""

import argparse
import importlib
import runpy
import sys

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from poselift.cli.config import CONF
from poselift.cli.main import main
from poselift.models import build_model
from tests.cli.running import (
    NOTHING_WRITTEN,
    TINY_DATA,
    TINY_LIFTER,
    assert_complete,
    composed,
    hydra_as_before,
    poselift,
)
from tests.docs.commands import PAGES, ROOT, commands_of

COMMANDS = {str(command): command for page in PAGES for command in commands_of(page).values()}
CONFIGURED = [each for each in COMMANDS.values() if "--config-dir" not in each.arguments]  # tests/cli/test_own_code.py
TRAINED = [command for command in CONFIGURED if command.config == "train"]
EVALUATED = [command for command in CONFIGURED if command.config == "evaluate"]
OTHERS = [command for command in COMMANDS.values() if not command.config]


class ReadError(Exception):
    """Raised where a command would begin to work."""


@pytest.mark.parametrize("command", OTHERS, ids=str)
def test_its_parser_reads_a_command(command, monkeypatch):
    for name in ("parse_args", "parse_intermixed_args"):
        read = getattr(argparse.ArgumentParser, name)

        def stop(self, args=None, namespace=None, read=read):
            raise ReadError(read(self, args, namespace))

        monkeypatch.setattr(argparse.ArgumentParser, name, stop)
    monkeypatch.setattr(sys, "argv", [command.program, *command.arguments])
    with pytest.raises(ReadError):
        start(command)


def start(command):
    """Starts a command in this process, with the arguments of `sys.argv`."""
    if command.program == "poselift":
        main(command.arguments)
    elif command.program.startswith("benchmarks."):
        importlib.import_module(command.program).main()
    else:
        runpy.run_path(str(ROOT / command.program), run_name="__main__")


def values_of(command):
    """The overrides of a command; those of a sweep or a search with their first value, without Hydra's own."""
    own = ("hydra", "search=")  # their plugins need not be installed
    if "-m" not in command.overrides and not any(word.startswith(own) for word in command.overrides):
        return command.overrides
    swept = [word.split(",")[0] for word in command.overrides if word != "-m"]
    return [word for word in swept if not word.startswith(own)]


@pytest.fixture(scope="module")
def built():
    """The configs of the models that were built: many commands train the same one."""
    return set()


@pytest.mark.parametrize("command", TRAINED, ids=str)
def test_a_training_has_a_complete_config_and_a_model(command, built):
    with composed(*values_of(command)) as config:
        assert OmegaConf.missing_keys(config) <= {"data.corpus"}, "text may leave out the reader's own file"
        if (model := OmegaConf.to_yaml(config.model, resolve=True)) not in built:
            assert build_model(instantiate(config.model, _convert_="all"))
            built.add(model)


@pytest.mark.parametrize("command", EVALUATED, ids=str)
def test_an_evaluation_has_a_complete_config(command):
    with hydra_as_before(), initialize_config_dir(CONF, version_base="1.3"):
        assert_complete(compose("evaluate", values_of(command)))


@pytest.mark.slow
def test_the_first_training_of_the_readme_is_evaluated_and_reported(tmp_path, monkeypatch):
    """Its three commands one after the other, with a small lifter, little data and one view."""
    monkeypatch.chdir(tmp_path)
    short = {
        "train": [*NOTHING_WRITTEN, *TINY_LIFTER, *TINY_DATA, "trainer=smoke"],
        "evaluate": ["flip=false", "refine=false", "view=Squat/p2"],
        "report": [],
    }
    commands = list(commands_of(ROOT / "README.md").values())
    first = next(place for place, command in enumerate(commands) if "experiment=first" in command.arguments)
    for command, name in zip(commands[first:], short, strict=False):
        assert command.name == name
        ran = poselift(name, *command.overrides, *short[name])
        assert (ran.code or 0) == 0, ran.out + ran.err
    assert (tmp_path / "outputs" / "report" / "index.html").is_file()
