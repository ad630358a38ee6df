"""Every command of the documentation is read by its real parser, or composes; what a clip is enough for runs."""

import argparse
import importlib
import re
import runpy
import shutil
import sys
import webbrowser

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from poselift.cli.config import CONF
from poselift.cli.main import main
from poselift.core import threads
from poselift.models import Lifter, build_model
from tests.cli.batch.conftest import OneProcess
from tests.docs.commands import PAGES, ROOT, commands_of

COMMANDS = {str(command): command for page in PAGES for command in commands_of(page).values()}
READ = [text for text, command in COMMANDS.items() if not command.config]
COMPOSED = [text for text, command in COMMANDS.items() if command.config]

PATTERNS = {
    "poselift train model/attention=NAME name=NAME": "NAME is any mechanism",
    "poselift train data=NAME data.root=DIR": "NAME is the reader's own dataset",
    "poselift evaluate protocol=all_views views@data=NAME data.root=DIR": "NAME is the reader's own dataset",
    "poselift train init=small ...": "more overrides follow",
    "poselift train init=tiny ...": "more overrides follow",
    "poselift evaluate name=...": "more overrides follow",
    "poselift weights list|get|check": "three commands in one",
    "poselift weights get": "NAME is left out",
    "poselift batch --workers 1": "SOURCE is left out",
    "poselift export --to html": "the motions are left out",
    "poselift train -m seed=0,1,2 hydra/launcher=submitit_slurm hydra.launcher.timeout_min=240 "
    "hydra.launcher.max_num_timeout=100 resume=auto": (
        "the launcher needs poselift[sweep], and Hydra composes each job of a sweep alone"
    ),
}
"""What no parser can read as it stands, and why."""

RUN = {
    "lift": ["--end", "0.3", "--quality", "fast", "--weights", "tiny", "--quiet"],
    "batch": ["--weights", "tiny", "--quality", "fast", "--workers", "1", "--quiet"],
    "stream": ["--no-window", "--duration", "0.4", "--weights", "tiny"],
    "attention": ["--frames", "8", "--weights", "tiny", "--detector", "movenet-fast", "--quiet"],
    "smooth": ["--out", "smooth.npz"],
    **{name: [] for name in ("view", "export", "figure", "measure", "weights")},
}
"""The commands that run, with the options that make them short."""

NOT_RUN = {
    "lift long.mp4": "three hours of video; benchmarks/README.md has what they took",
    "--detector": "its models are not part of the project; tests/detection",
    "--keypoints": "each format has its test with files of its own: tests/keypoints",
    "s3://": "a bucket; tests/cli/batch",
    "/data/videos": "the folder of a cluster; tests/cli/batch",
    "batch (videos|FOLDER|SOURCE)": "as long as with list.csv; tests/cli/batch",
    "--rerun": "needs rerun-sdk; tests/cli/test_export.py",
    "rtsp://": "a network camera; tests/video/test_live.py",
    "stream( 1.*| -.*)?$": "a camera; tests/cli/test_stream.py",
    "weights get": "downloads; tests/cli/test_weights.py",
    r"\[NAME...\]": "NAME is left open",
    "weights FILE|WEIGHTS": "a run's own weights",
}
"""Commands of RUN that nothing runs here, as patterns, and why. For training and evaluation see test_pages.py."""

FILES = {
    "VIDEO": "two_people.mp4",
    "video.mp4": "two_people.mp4",
    "FILE": "two_people.mp4",
    "DIR": "walk",
    "person_1.npz": "walk/person_1.npz",
}


def runs(text):
    """Whether a command is one of RUN, and nothing speaks against it."""
    arguments = COMMANDS[text].arguments
    chosen = arguments and arguments[0] in RUN and text not in PATTERNS
    return chosen and not any(re.search(pattern, text) for pattern in NOT_RUN)


def named(text):
    """The arguments of a command with the files of the test."""
    return tuple(FILES.get(word, word) for word in COMMANDS[text].arguments)


class ReadError(Exception):
    """Raised where a command would begin to work."""


@pytest.mark.parametrize("text", [text for text in READ if text not in PATTERNS])
def test_its_parser_reads_a_command(text, monkeypatch):
    for name in ("parse_args", "parse_intermixed_args"):
        read = getattr(argparse.ArgumentParser, name)

        def stop(self, args=None, namespace=None, read=read):
            raise ReadError(read(self, args, namespace))

        monkeypatch.setattr(argparse.ArgumentParser, name, stop)
    command = COMMANDS[text]
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


@pytest.fixture(scope="module")
def configs():
    """The configs of all commands of training and evaluation."""
    commands = [COMMANDS[text] for text in COMPOSED if text not in PATTERNS]
    with initialize_config_dir(CONF, version_base="1.3"):
        return [(command.config, compose(command.config, command.overrides)) for command in commands]


@pytest.mark.slow
def test_training_and_evaluation_compose(configs):
    assert len(configs) > 50


@pytest.mark.slow
def test_the_models_of_training_can_be_built(configs):
    trained = {str(config.model): config for name, config in configs if name == "train"}
    for config in trained.values():
        assert isinstance(build_model(instantiate(config.model)), Lifter)
    for schedule in {str(config.schedule): config.schedule for _, config in configs if "schedule" in config}.values():
        assert callable(instantiate(schedule))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the commands find the files that they name."""
    folder = tmp_path_factory.mktemp("commands")
    clip = ROOT / "poselift" / "samples" / "two_people.mp4"
    for name in ("two_people.mp4", "video.mp4"):
        shutil.copy(clip, folder / name)
    (folder / "list.csv").write_text("path,start,end\nvideo.mp4,0,0.5\n", encoding="utf-8")
    main(["lift", str(clip), "--out", str(folder / "walk"), "--world", *RUN["lift"]])
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("text", {named(text): text for text in COMMANDS if runs(text)}.values())
def test_a_command_runs(text, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(threads, "_limit", threads._limit)  # put back at the end: a worker sets it for good
    monkeypatch.setattr("poselift.cli.batch.command.LocalEngine", OneProcess)
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    name, *arguments = named(text)
    given = [found for word in arguments for found in (sorted(map(str, folder.glob(word))) if "*" in word else [word])]
    main([name, *given, *RUN[name], *(["--out", str(tmp_path / "out")] if name == "lift" else [])])
    assert "error" not in capsys.readouterr().err


def test_no_exception_is_left_over():
    assert [text for text in PATTERNS if text not in COMMANDS] == []
    assert [pattern for pattern in NOT_RUN if not any(re.search(pattern, text) for text in COMMANDS)] == []


def test_commands_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nposelift lift no\n```\n"
        '```\nA="x  y"\npip install -e . && poselift lift  # x\ntorchrun --n=2 \\\n    tools/train.py $A\n```\n'
        "`poselift lift --fov` and `poselift view\nDIR` and `python -m benchmarks.pace --n 3`\n"
    )
    found = [str(command) for command in commands_of(page).values()]
    assert found == ["poselift lift", "tools/train.py x y", "poselift view DIR", "benchmarks.pace --n 3"]
