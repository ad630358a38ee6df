"""The commands of the documentation that take a clip run on a short one; the parser of every other command reads it.

test_pages.py runs those of training, evaluation and reports.
"""

import argparse
import glob
import importlib
import re
import runpy
import shutil
import sys
import webbrowser
from itertools import pairwise
from pathlib import Path

import pytest
from fsspec.registry import _registry

from poselift.cli.main import main
from poselift.core import threads
from tests.cli.batch.conftest import OneProcess
from tests.cli.running import poselift
from tests.cli.test_stream import free_port
from tests.docs.commands import PAGES, ROOT, RUN_PAGES, commands_of
from tests.docs.stand_ins import (
    END,
    Bucket,
    Camera,
    RayInOneProcess,
    detector,
    skip_without_package,
    write_files,
)
from tests.video.rtsp_server import rtsp_served

COMMANDS = {str(command): command for page in PAGES for command in commands_of(page).values()}
OF_USERS = {str(command) for page in RUN_PAGES for command in commands_of(page).values()}

RUN = {
    "lift": ["--end", str(END), "--weights", "tiny"],
    "batch": ["--weights", "tiny", "--quality", "fast", "--workers", "1"],
    "stream": ["--no-window", "--duration", "0.2", "--weights", "tiny"],
    "attention": ["--frames", "8", "--weights", "tiny", "--detector", "movenet-fast"],
    **{name: [] for name in ("view", "export", "figure", "measure", "smooth", "weights")},
}
"""The commands that run here, with the options that make them short; options of their own come after these."""

STAND_INS = {
    r"--weights (FILE|WEIGHTS)": "--weights mine.safetensors",
    r"--keypoints PATH": "--keypoints results.json --video clip.mp4",
    r"\b(VIDEO|FILE|video\.mp4|long\.mp4)\b": "clip.mp4",
    r"\b(SOURCE|FOLDER)\b": "videos",
    r"--keypoints corrected --video walk\.mp4": "--keypoints walk",
    r"--out DIR": "--out lifted",
    r"\bDIR\b": "walk",
    r"poselift_out/clip": "walk",
    r" person_1": " walk/person_1",
    r" /data/videos": " data/videos",
    r"/scratch/": "",
    r"\b(videos|lifted)/(?= |$)": r"\1",
    r" --no-window": "",  # RUN has it
    r"--duration 60": "--duration 0.2",
    r"--device cuda": "--device cpu",
    r"--detector rtmpose": r"\g<0> --quality best",  # its made-up people need more looks
}
"""Files and devices of the pages, as patterns -> those of the tests."""


def runs_here(text):
    """Whether a command is one of those of users in RUN."""
    return text in OF_USERS and COMMANDS[text].program == "poselift" and COMMANDS[text].arguments[0] in RUN


def options(text):
    """The options of a command, some with their values."""
    name, *words = COMMANDS[text].arguments
    valued = {f"{word} {value}" for word, value in pairwise(words) if word in ("--kind", "--detector")}
    return {name, *valued, *(word for word in words if word.startswith("--"))}


def chosen(text):
    """Whether a command is run here: no other one has its options and more."""
    return runs_here(text) and not any(options(text) < options(other) for other in COMMANDS if runs_here(other))


def named(text, places=None):
    """The arguments of a command with the files of the test."""
    arguments = " ".join(COMMANDS[text].arguments)
    for pattern, place in (STAND_INS | (places or {})).items():
        arguments = re.sub(pattern, place, arguments)
    return arguments


class ReadError(Exception):
    """Raised where a command would begin to work."""


@pytest.mark.parametrize("text", [text for text in COMMANDS if not (COMMANDS[text].config or chosen(text))])
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
def folder(tmp_path_factory):
    """A folder in which the commands find the files that they name."""
    folder = tmp_path_factory.mktemp("commands")
    main(["lift", "--out", str(folder / "walk"), "--world", *RUN["lift"]])
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def places(folder):
    """Addresses of the pages -> those of this machine."""
    with rtsp_served((folder / "live.ts").read_bytes(), seconds=1.0) as url:
        yield {r"rtsp://\S+": url, "8765": str(free_port())}


@pytest.mark.slow
@pytest.mark.parametrize("text", {named(text): text for text in COMMANDS if chosen(text)}.values())
def test_a_command_runs(text, folder, places, tmp_path, monkeypatch):
    skip_without_package(text)
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(threads, "_limit", threads._limit)  # put back at the end: a worker sets it for good
    monkeypatch.setattr("poselift.cli.batch.batch_command.LocalEngine", OneProcess)
    monkeypatch.setattr("poselift.cli.batch.batch_command.cores", lambda: 1)  # the other tests need theirs
    monkeypatch.setattr("poselift.cli.batch.batch_command.RayEngine", RayInOneProcess)
    monkeypatch.setattr("poselift.cli.batch.batch_command.require", lambda *_: None)
    monkeypatch.setattr("poselift.cli.detector.build_detector", detector)
    monkeypatch.setattr("poselift.video.source._quiet_capture", Camera)
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    monkeypatch.setitem(_registry, "s3", Bucket)
    monkeypatch.setattr(Bucket, "store", {})
    Bucket().pipe_file("/bucket/videos/clip.mp4", Path("clip.mp4").read_bytes())
    name, *arguments = named(text, places).split()
    # A batch gets its patterns in quotes; those of the others are for the shell.
    words = [[word] if name == "batch" else sorted(glob.glob(word)) or [word] for word in arguments]
    quick = ["--quality", "fast"] if name == "lift" and "--keypoints" not in arguments else []
    ran = poselift(name, *RUN[name], *quick, *(word for some in words for word in some))
    assert ran.code == 0, ran.out + ran.err
