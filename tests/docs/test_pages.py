"""Commands that train, evaluate and report run page after page, on small files in the formats of the datasets.

A page's commands share a folder, as its reader's do: what one writes, the next reads.
"""

import re
import shutil
import sys

import jaxtyping
import numpy as np
import pytest

from poselift.data.h36m import load_h36m
from poselift.data.synthetic import synthetic_corpus
from poselift.models.weights import shipped_weights
from tests.cli.running import (
    NOTHING_WRITTEN,
    TINY_DATA,
    TINY_LIFTER,
    composed,
    hydra_as_before,
    small_model,
    two_steps,
)
from tests.cli.test_every_name import ALSO, NAMES
from tests.data.formats.cmu import write_cmu
from tests.data.formats.h36m import write_h36m, write_h36m_motionbert
from tests.docs.commands import PAGES, ROOT, commands_of
from tests.docs.test_commands import PATTERNS, start

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")]  # Lightning's

NOT_RUN = {
    "=ddp": "two machines; tests/integration/test_ddp.py trains in two processes",
    "=slurm": "a cluster; test_commands.py composes it",
    "tools/prepare_h36m.py": "runs on a download in tests/data/test_h36m_cdf.py",
    "tools/prepare_cmu.py": "runs on a download in tests/data/test_cmu_asf.py",
    "tools/evaluate_detector.py": "the weights of a detector; tests/cli/test_evaluate_detector.py",
    "tools/evaluate.py": "N is left open",
    "poselift study": "hours; tests/cli/test_study.py runs rows with a smaller budget",
    "benchmarks": "minutes to hours; its own test of tests/benchmarks calls it on smaller data",
    "export-onnx": "15 s each; tests/cli/test_export_onnx.py runs the command",
    r"experiment=cmu_newest$": "its data is left open; the page has the whole command",
    r"experiment=cmu_tiny|weights=tiny": "as those of small, which run",
    r"outputs/seed\*": "the shell expands it; the page's other report runs",
}
"""Commands of pages that nothing runs here, as patterns, and why."""

OPTIONS = {
    "batch --faults": "two minutes; tests/cli/batch kills batches",
    "batch --ray": "ray",
    "readers --model": "OpenSim and its model",
    "pipeline --against": "a checkout of an earlier commit",
    "uncertainty --real": "data of real people; tests/benchmarks/test_real.py has its reader",
}
"""Options of documented benchmarks that their tests do not pass, and why."""

INSTEAD = {
    "data.batch_size=256": "data.batch_size=2",
    "trainer=gpu": "trainer=smoke",
    "compile=true": "compile=false",
    "trainer.precision=bf16-mixed": "trainer.precision=32-true",
    "data.clip=243": "data.clip=12",  # the made takes are shorter
    "weights=FILE": "weights=runs/h36m_243_sh/h36m_243_sh.safetensors",
}
"""What needs a GPU or minutes; and what the reader fills in."""

SHORT = [*NOTHING_WRITTEN, "data.batch_size=2"]


CHAIN = (("report",), ("calibrate",))
"""Other commands of poselift that read what training and evaluation wrote."""


def chosen(command):
    """Whether a command is of those that this file runs, or gives a reason not to run."""
    other = command.program.startswith(("tools/", "benchmarks.")) or command.arguments[:1] in (
        *CHAIN,
        ("study",),
        ("export-onnx",),
    )
    return bool(command.config or other) and str(command) not in PATTERNS


def reason(text):
    """Why a command does not run here; None if it does."""
    return next((why for pattern, why in NOT_RUN.items() if re.search(pattern, text)), None)


def of_a_model(command):
    """Whether a command trains on made people and changes nothing but the model and how it is optimized."""
    return command.config == "train" and all(
        word.startswith(("model", "schedule", "optimizer", "frames")) for word in command.overrides
    )


COMMANDS = {str(command): (page, command) for page in reversed(PAGES) for command in commands_of(page).values()}
"""Each command and the first page on which it stands."""
OURS = {text: found for text, found in COMMANDS.items() if chosen(found[1])}
MODELS = [
    command
    for text, (_, command) in OURS.items()
    if of_a_model(command) and not reason(text) and " ".join(command.overrides) not in (*NAMES, *ALSO)
]


def of_pages():
    """Page -> the other commands, in their order."""
    found = {}
    for page in PAGES:
        for text, command in ((str(command), command) for command in commands_of(page).values()):
            if text in OURS and OURS[text][0] == page and not of_a_model(command) and not reason(text):
                found.setdefault(page.relative_to(ROOT).as_posix(), []).append(command)
    return found


RUN = of_pages()


@pytest.fixture(autouse=True)
def without_type_checks():
    """They double the time; the tests of the packages check types."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


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
    return folder


def shortened(command):
    """The arguments of a command with what makes it short."""
    given = [INSTEAD.get(word, word) for word in command.arguments]
    if command.arguments[:1] == ("report",) and "outputs/evaluate" not in given:
        return [*given, "--cost", "none"]  # the page with this folder measures it
    if command.config == "evaluate":
        return [*given, "flip=false", *([] if "refine=false" in given else ["refine=false"])]
    if command.config != "train":
        return given
    keys = {word.partition("=")[0] for word in given}
    # A lifter of full size takes a single step.
    full = "init" in keys or "experiment=cmu_newest" in given
    short = [*SHORT, *(["trainer.max_steps=1"] if full else TINY_LIFTER)]
    if not keys & {"trainer"}:
        short.append("trainer=smoke")
    short.append("frames=16")
    if "resume" not in keys:
        short.append("overwrite=true")
    return [*given, *(word for word in short if word.partition("=")[0] not in keys)]


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_run_one_after_the_other(page, files, tmp_path, monkeypatch, capsys):
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    if page != "README.md":  # that of README draws the plots of a report; they take seconds
        monkeypatch.setattr("poselift.reports.report.section_plots", lambda *_: [])
    for command in RUN[page]:
        arguments = shortened(command)
        monkeypatch.setattr(sys, "argv", [command.program, *arguments])
        with hydra_as_before():
            start(type(command)(command.program, tuple(arguments)))
        assert "error" not in capsys.readouterr().err, command


@pytest.mark.parametrize("command", MODELS, ids=str)
def test_a_model_takes_two_steps(command):
    # As deep as the default, for which the pages write their options.
    small = [word for word in small_model(command.overrides) if word != "model.depth=2"]
    with composed(*NOTHING_WRITTEN, *TINY_DATA, *small) as config:
        _, errors = two_steps(config)
    assert errors["val/mpjpe_subjects"] > 0


BENCHMARKS = sorted(
    {command.program.partition(".")[2] for _, command in OURS.values() if "benchmarks." in command.program}
)


def passed_by_tests(name):
    """The text of a benchmark's test, and of the options that it shares with others."""
    files = [ROOT / "tests" / "benchmarks" / file for file in (f"test_{name}.py", "conftest.py")]
    return "".join(path.read_text("utf-8") for path in files if path.is_file())


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_test_calls_a_benchmark_with_the_options_of_the_pages(name):
    text = passed_by_tests(name)
    assert f"{name}.main(" in text
    given = {
        f"{name} {word}"
        for _, command in OURS.values()
        if command.program == f"benchmarks.{name}"
        for word in command.arguments
        if word.startswith("--")
    }
    assert [option for option in given - set(OPTIONS) if f'"{option.split()[1]}"' not in text] == []


def test_no_exception_is_left_over():
    assert [pattern for pattern in NOT_RUN if not any(re.search(pattern, text) for text in OURS)] == []
    assert [
        option
        for option in OPTIONS
        if not any(option.split()[1] in text and option.split()[0] in text for text in OURS)
    ] == []
