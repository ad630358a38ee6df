"""Commands that train, evaluate and report run page after page, on small files in the formats of the datasets.

A page's commands share a folder, as its reader's do: what one writes, the next reads.
"""

import json
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch.distributed as dist
from hydra.utils import instantiate

from poselift.data.h36m import load_h36m
from poselift.data.synthetic import synthetic_corpus
from poselift.models import build_model
from poselift.models.saved_weights import shipped_weights
from tests.cli.running import (
    NOTHING_WRITTEN,
    TINY_LIFTER,
    composed,
    hydra_as_before,
)
from tests.data.formats.asf_amc import write_cmu_subjects
from tests.data.formats.cmu import write_cmu
from tests.data.formats.h36m import write_h36m, write_h36m_cdf, write_h36m_motionbert
from tests.data.formats.pictures import write_coco
from tests.docs.commands import ROOT, RUN_PAGES, commands_of
from tests.docs.stand_ins import detector, export, skip_without_package, write_lifter
from tests.docs.test_commands import start

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning"),  # Lightning's
    pytest.mark.filterwarnings("ignore:It is recommended to use .self.log:UserWarning"),  # likewise, with one process
]

INSTEAD = {
    "data.batch_size=256": "data.batch_size=2",
    "trainer=gpu": "trainer=smoke",
    "trainer=ddp": "trainer=ddp trainer.accelerator=cpu trainer.devices=1",
    "trainer=slurm": "trainer=slurm trainer.accelerator=cpu trainer.devices=1",
    "trainer.num_nodes=2": "trainer.num_nodes=1",
    "compile=true": "compile=false",
    "trainer.precision=bf16-mixed": "trainer.precision=32-true",
    "data.clip=243": "data.clip=12",  # the made takes are shorter
    "weights=FILE": "weights=runs/h36m_243_sh/h36m_243_sh.safetensors",
    "FILE": "lifter.onnx",
    "DIR": "prepared",
    "hydra/launcher=submitit_slurm": "hydra/launcher=basic",
    "seed=0,1,2": "seed=0,1",
    "hydra.launcher.timeout_min=240": "",
    "hydra.launcher.max_num_timeout=100": "",
}
"""What needs a GPU, other machines or minutes; and what the reader fills in."""

SHORT = [*NOTHING_WRITTEN, "data.batch_size=2"]
TWO_STEPS = ["steps=2", "data.batches=2"]
"""In place of trainer=smoke, where the command has another trainer."""

ALSO_GIVEN = {
    "report": ["--cost", "none"],  # the page with the folder of evaluate measures it
    "evaluate": ["flip=false", "refine=false", "weights=mine.safetensors"],
    "export-onnx": ["--weights", "mine.safetensors"],
}
"""Options that make a command short; overrides of its own stay."""

SLURM = {
    "JOB_ID": "1",
    "JOB_NAME": "large",
    "NNODES": "1",
    "NODELIST": "localhost",
    "NTASKS": "1",
    **dict.fromkeys(("PROCID", "LOCALID", "NODEID"), "0"),
}
"""The variables that SLURM gives the one process of a job."""


OTHERS = ("report", "calibrate", "export-onnx")
"""Other commands of poselift that read what training and evaluation wrote, or train."""


def chosen(command):
    """Whether a command is of those that this file runs."""
    return bool(command.config or command.program.startswith("tools/") or command.name in OTHERS)


def of_a_model(command):
    """Whether a command trains on made people and changes nothing but the model and how it is optimized."""
    return command.config == "train" and all(
        word.startswith(("model", "schedule", "optimizer", "frames")) for word in command.overrides
    )


COMMANDS = {str(command): (page, command) for page in reversed(RUN_PAGES) for command in commands_of(page).values()}
"""Each command and the first page on which it stands."""
OURS = {text: found for text, found in COMMANDS.items() if chosen(found[1])}
MODELS = [command for _, command in OURS.values() if of_a_model(command)]


def of_pages():
    """Page -> the other commands, in their order."""
    found = {}
    for page in RUN_PAGES:
        for text, command in ((str(command), command) for command in commands_of(page).values()):
            if text in OURS and OURS[text][0] == page and not of_a_model(command):
                found.setdefault(page.relative_to(ROOT).as_posix(), []).append(command)
    return found


RUN = of_pages()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that the commands name."""
    folder = tmp_path_factory.mktemp("files")
    corpus, bench = write_cmu(folder, synthetic_corpus(clips=6, frames=150, seed=0))
    shutil.copy(corpus, folder / "extra50.npz")
    for name in ("bench_val.npz", "bench_test.npz"):
        shutil.copy(bench, folder / name)
    (folder / "DIR").mkdir()
    write_h36m(folder / "DIR", frames=14, some=3)
    write_h36m_motionbert(folder / "DIR", frames=14, some=3)
    tree = {}
    for view in load_h36m(folder / "DIR", "test", "gt"):
        subject, take, _ = view.name.split("/")
        tree.setdefault(subject, {}).setdefault(take, []).append(view.joints.numpy())
    np.savez(folder / "theirs.npz", positions_3d=tree)
    for name in ("tiny", "small"):
        for run in ("first", f"runs/cmu_{name}"):
            (folder / run).mkdir(parents=True, exist_ok=True)
            weights = shipped_weights()[name]
            for file in (weights, weights.with_suffix(".json")):
                shutil.copy(file, folder / run / f"{run.rpartition('/')[2].replace('first', name)}{file.suffix}")
    write_lifter(folder / "mine.safetensors")
    (folder / "docs" / "web").mkdir(parents=True)
    return folder


def write_downloads(page):
    """The downloads that the commands of a page prepare, or measure a detector on."""
    here = Path.cwd()
    if page == "docs/human36m.md":
        write_h36m_cdf(here / "raw", frames=2)
    if page == "docs/training.md":
        write_cmu_subjects(here / "RAW", {"01_01": 61, "08_03": 61, "135_02": 61})
    if page == "docs/mmpose.md":
        write_coco(here, people=2)
        (here / "val2017").mkdir()
        for number in range(2):
            cv2.imwrite(f"val2017/{number:012}.jpg", np.zeros((480, 640, 3), np.uint8))


def evaluate_seeds(folder):
    """Evaluations of two seeds, from that of `small`."""
    for seed in (0, 1):
        shutil.copytree(folder / "small", folder / f"seed{seed}")
        metrics = folder / f"seed{seed}" / "metrics.json"
        metrics.write_text(json.dumps(json.loads(metrics.read_text()) | {"seed": seed}))


def shortened(command):
    """The arguments of a command with what makes it short."""
    given = " ".join(INSTEAD.get(word, word) for word in command.arguments).split()
    keys = {word.partition("=")[0] for word in given}
    if command.config != "train":
        if command.name == "report" and "outputs/evaluate" in given:
            return given
        if "predictions" in keys:
            keys.add("weights")  # there are none
        also = ALSO_GIVEN.get(command.name, [])
        return [*given, *(word for word in also if not command.config or word.partition("=")[0] not in keys)]
    short = [*SHORT]
    if "init" in keys or "experiment=cmu_newest" in given:  # a lifter of full size takes a single step
        short.append("trainer.max_steps=1")
    else:
        short += TINY_LIFTER
    if any(word.startswith("experiment=cmu") for word in given):
        short.append("data.corpus=cmu50.npz")
    if not keys & {"data", "experiment"} or "experiment=first" in given:
        short += ["data.clips=2", "data.clip_frames=40"]
    short += TWO_STEPS if "trainer.devices" in keys else ["trainer=smoke"]
    short.append("frames=16")
    if "resume" not in keys:
        short.append("overwrite=true")
    return [*given, *(word for word in short if word.partition("=")[0] not in keys)]


@contextmanager
def launched(command):
    """A process as SLURM or torchrun starts it, if the command needs one; nothing of it is left."""
    before = dict(os.environ)
    if "trainer=slurm" in command.arguments:
        os.environ.update({f"SLURM_{name}": value for name, value in SLURM.items()})
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        if dist.is_initialized():
            dist.destroy_process_group()


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_run_one_after_the_other(page, files, tmp_path, monkeypatch, capsys):
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    write_downloads(page)
    monkeypatch.setattr("poselift.cli.detector.build_detector", detector)
    monkeypatch.setattr("poselift.models.onnx_export.export_onnx", export)
    if page != "README.md":  # that of README draws the plots of a report; they take seconds
        monkeypatch.setattr("poselift.reports.report_folder.section_plots", lambda *_: [])
    for command in RUN[page]:
        skip_without_package(str(command))
        if "outputs/seed*" in command.arguments:
            evaluate_seeds(Path("outputs"))
        run(command, monkeypatch, capsys)


def run(command, monkeypatch, capsys):
    """Runs a command, shortened, in this process; its end and its files are checked."""
    arguments = shortened(command)
    monkeypatch.setattr(sys, "argv", [command.program, *arguments])
    # Hydra would compose each config twice, the first time for its mode alone; -m tells the mode here.
    monkeypatch.setattr("hydra._internal.hydra.Hydra.get_mode", lambda *_, **__: None)
    with hydra_as_before(), launched(command):
        start(type(command)(command.program, tuple(arguments)))
    err = capsys.readouterr().err
    assert "error" not in err, command


@pytest.mark.parametrize("command", MODELS, ids=str)
def test_a_model_is_built(command):
    """tests/cli/test_every_name.py trains each."""
    with composed(*command.overrides) as config:
        assert build_model(instantiate(config.model, _convert_="all"))
