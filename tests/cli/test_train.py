"""`poselift train` as a researcher runs it, on synthetic data and on small files in the CMU format.

One file, because its tests share a training of two steps.
"""

import csv
import importlib.util
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from functools import partial

import pytest
import torch
from omegaconf import OmegaConf

from poselift.cli.train_settings import follow_command_line
from poselift.core.errors import InputError
from poselift.core.locks import write_alone
from poselift.models import load_weights
from poselift.training.callbacks import BestWeights
from poselift.training.checkpoints import LastCheckpoint
from poselift.training.task import LiftingTask
from tests.cli.running import NOTHING_WRITTEN, TINY_DATA, TINY_LIFTER, composed, poselift, trained

SMOKE = ["trainer=smoke", *TINY_DATA, *TINY_LIFTER]
AVERAGED = "callbacks.ema.start=0"
"""From the first step on."""

# Lightning's own warning.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a run of two steps on synthetic data."""
    folder = tmp_path_factory.mktemp("run")
    ran = poselift("train", *SMOKE, AVERAGED, f"output={folder}", "seed=3")
    assert ran.code == 0, ran.err
    assert "Epoch 0 " in ran.out
    last = ran.out.strip().splitlines()[-1]
    assert last.startswith(f"Best weights: {folder / 'lifter.safetensors'} (val/mpjpe_subjects ")
    return folder


@pytest.fixture
def train_here(tmp_path):
    """Trains into `tmp_path`; errors are raised, not printed."""
    return partial(trained, *SMOKE, *NOTHING_WRITTEN, f"output={tmp_path}")


class TestWhatARunLeaves:
    def test_weights_logs_and_checkpoint(self, run):
        weights = load_weights(run / "lifter.safetensors")
        assert weights.window == 16
        assert weights.card["training"]["seed"] == 3
        assert weights.card["training"]["command"].startswith("poselift train trainer=smoke")
        with open(run / "metrics.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["step"] for row in rows] == ["0", "1"]
        assert float(rows[1]["val/mpjpe_subjects"]) > 0
        assert (run / "checkpoints" / "last.ckpt").is_file()
        assert OmegaConf.load(run / "config.yaml").model.dim == 32
        assert all((run / f"curves.{kind}").stat().st_size > 1000 for kind in ("png", "pdf"))

    def test_the_record_says_what_it_was_made_with(self, run):
        record = json.loads((run / "run.json").read_text())
        assert record["seed"] == 3
        assert record["config"]["model"]["dim"] == 32
        assert record["packages"]["torch"] == torch.__version__
        assert record["dirty"] == (record["commit"] or "").endswith("-dirty")
        assert len(record["data"]["first_batch"]["sha256"]) == 64
        assert {"machine", "python", "threads", "command", "date"} <= set(record)

    def test_the_card_and_the_checkpoint_say_where_the_pelvis_lies(self, run):
        """Synthetic people have it between the hips."""
        (weights,) = run.glob("*.safetensors")
        assert load_weights(weights).pelvis == "hips"
        checkpoint = torch.load(run / "checkpoints" / "last.ckpt", weights_only=True)
        assert checkpoint["model"]["pelvis"] == "hips"

    def test_the_averaged_weights_are_written(self, run):
        """Those that were validated: the average, not where the last step happened to be."""
        checkpoint = torch.load(run / "checkpoints" / "last.ckpt", weights_only=True)
        written = load_weights(run / "lifter.safetensors").lifter.state_dict()
        for key, value in written.items():
            torch.testing.assert_close(value, checkpoint["state_dict"][f"lifter.{key}"], atol=1e-3, rtol=1e-3)
        now = checkpoint["current_model_state"]["lifter.head.0.weight"]
        assert not torch.equal(now, checkpoint["state_dict"]["lifter.head.0.weight"])
        assert checkpoint["model"]["config"]["dim"] == 32

    def test_a_run_can_be_resumed_in_another_folder(self, run, tmp_path, train_here):
        train_here("trainer.max_steps=4", AVERAGED, "seed=3", f"resume={run / 'checkpoints' / 'last.ckpt'}")
        before, after = (
            torch.load(folder / "checkpoints" / "last.ckpt", weights_only=True) for folder in (run, tmp_path)
        )
        assert (before["global_step"], after["global_step"]) == (2, 4)
        assert (before["epoch"], after["epoch"]) == (0, 1)

    def test_a_run_is_initialised_from_pretrained_weights(self, run, tmp_path, train_here):
        train_here(f"init={run / 'lifter.safetensors'}", "optimizer.lr=0", "callbacks.ema=null")
        pretrained, now = (load_weights(folder / "lifter.safetensors").lifter for folder in (run, tmp_path))
        assert all(torch.equal(value, now.state_dict()[key]) for key, value in pretrained.state_dict().items())

    def test_the_same_seed_gives_the_same_weights_and_another_does_not(self, run, tmp_path, train_here):
        ours = load_weights(run / "lifter.safetensors").sha256
        shas = []
        for seed in ("data.seed=3", "data.seed=4"):
            train_here("seed=3", AVERAGED, seed, "overwrite=true")
            shas.append(load_weights(tmp_path / "lifter.safetensors").sha256)
        assert shas[0] == ours
        assert shas[1] != ours

    @pytest.mark.parametrize(
        ("overrides", "message"),
        [
            (["model.dim=64", "resume={run}/checkpoints/last.ckpt"], "dim is 32 there and 64 here"),
            (["resume={run}/run.json"], "cannot be read as a checkpoint"),
            (
                ["optimizer.lr=0.01", "resume={run}/checkpoints/last.ckpt"],
                "last.ckpt has another optimizer: lr is 0.003 there and 0.01 here; .* or start anew with init=",
            ),
        ],
    )
    def test_what_does_not_fit_is_named(self, run, train_here, overrides, message):
        with pytest.raises(ValueError, match=message):
            train_here(*(override.format(run=run) for override in overrides))


class TestAnEarlierRun:
    @pytest.mark.parametrize("file", ["lifter.safetensors", "checkpoints/last.ckpt"])
    def test_is_not_replaced(self, file, tmp_path, train_here):
        earlier = tmp_path / file
        earlier.parent.mkdir(exist_ok=True)
        earlier.write_bytes(b"earlier")
        with pytest.raises(InputError, match=rf"earlier run \({earlier.name}\); .*overwrite=true") as caught:
            train_here("callbacks=average_last")
        assert ("resume=auto" in str(caught.value)) == (earlier.suffix == ".ckpt"), "only a checkpoint can be resumed"
        assert earlier.read_bytes() == b"earlier"
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == [earlier]

    def test_is_finished_and_says_how_to_train_on(self, run, tmp_path, train_here, capsys):
        shutil.copytree(run, tmp_path, dirs_exist_ok=True)
        last = tmp_path / "checkpoints" / "last.ckpt"
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        best = json.loads((run / "lifter.json").read_text())["training"]["val/mpjpe_subjects"]
        assert train_here("resume=auto", AVERAGED) == pytest.approx(best, abs=0.01)
        finished, weights = capsys.readouterr().out.splitlines()
        assert finished.startswith("This run is finished: it has its 2 steps. To train on")
        assert finished.endswith(f"{AVERAGED} trainer.max_steps=4 resume=auto")
        assert weights.startswith(f"Best weights: {tmp_path / 'lifter.safetensors'} ")
        with pytest.raises(InputError, match="is at step 2 already; give more steps than steps=2"):
            train_here(f"resume={last}", AVERAGED)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        (tmp_path / "lifter.safetensors").unlink()
        train_here("resume=auto", AVERAGED)
        assert f"The best weights are missing: {tmp_path / 'lifter.safetensors'}" in capsys.readouterr().out

    def test_is_completed_if_it_was_killed_after_its_last_step(self, run, tmp_path, capsys):
        shutil.copytree(run, tmp_path, dirs_exist_ok=True)
        (tmp_path / "curves.png").unlink()
        checkpoints = tmp_path / "checkpoints"
        for ending in (".safetensors", ".json"):  # the weights of the only validation
            shutil.copy(tmp_path / f"lifter{ending}", checkpoints / f"step_00000002{ending}")
        partial_files = [tmp_path / f".{name}" for name in ("metrics.ab3_d5fg.csv", "lifter_mean.ab3_d5fg.json")]
        partial_files += [
            checkpoints / f".{name}" for name in ("last.ab3_d5fg.ckpt", "step_00000002.ab3_d5fg.safetensors")
        ]
        mine = {tmp_path / ".env.template", tmp_path / ".editor.settings.json", checkpoints / ".step_2.settings"}
        for path in (*partial_files, *mine):
            path.touch()
        trained(*SMOKE, "callbacks=average_last", "resume=auto", f"output={tmp_path}")
        assert (tmp_path / "curves.png").read_bytes() == (run / "curves.png").read_bytes()
        assert load_weights(tmp_path / "lifter_mean.safetensors").card["training"]["mean_of_steps"] == [2]
        assert set(tmp_path.rglob(".*")) == mine, "files of the user stay"
        assert f"Mean of the last 1: {tmp_path / 'lifter_mean.safetensors'}" in capsys.readouterr().out

    def test_is_overwritten_by_overwrite_true(self, tmp_path, train_here, monkeypatch):
        """A run that is stopped before its first checkpoint does not leave that of another to go on from."""
        last = tmp_path / "checkpoints" / "last.ckpt"
        last.parent.mkdir()
        last.touch()
        with monkeypatch.context() as patch:
            patch.setattr(LastCheckpoint, "_save", lambda self, trainer: None)
            train_here("overwrite=true")
        assert not last.exists()


@pytest.mark.parametrize(
    ("callback", "place", "message"),
    [
        (LastCheckpoint, "on_train_end", "Stopped. Go on with: poselift train {overrides} resume=auto"),
        (LastCheckpoint, "on_train_start", "Stopped before the first checkpoint in {output}; start the run again."),
    ],
)
def test_an_interrupted_run_prints_how_to_continue(callback, place, message, tmp_path, train_here, monkeypatch, capsys):
    """Where a signal is not handled: before the first step, and after the last."""

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(callback, place, interrupt)
    handler = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as stopped:
            train_here("overwrite=true")
    finally:
        signal.signal(signal.SIGINT, handler)  # which Lightning takes away, to shut down in peace
    assert stopped.value.code == 130
    overrides = " ".join([*SMOKE, *NOTHING_WRITTEN, f"output={tmp_path}"])
    assert capsys.readouterr().out.splitlines()[-1] == message.format(output=tmp_path, overrides=overrides)


class TestADivergedRun:
    def test_ends_before_the_loss_spoils_the_weights(self, tmp_path, train_here):
        with pytest.raises(InputError, match=r"its loss is not finite at step 1\. .* lower optimizer\.lr="):
            train_here("optimizer.lr=1e30", "schedule=constant")
        assert torch.load(tmp_path / "checkpoints" / "last.ckpt", weights_only=True)["global_step"] == 1

    def test_keeps_the_last_good_checkpoint(self, tmp_path, train_here, monkeypatch):
        """The weights of the last step are not finite, and no later loss shows it."""

        def spoil(self, trainer, task):
            next(task.lifter.parameters()).data.fill_(torch.nan)

        monkeypatch.setattr(BestWeights, "on_validation_end", spoil)
        with pytest.raises(InputError, match=r"its weights are not finite at step 2\."):
            train_here("callbacks.ema=null")
        kept = torch.load(tmp_path / "checkpoints" / "last.ckpt", weights_only=True)
        assert kept["global_step"] == 1
        assert all(value.isfinite().all() for value in kept["state_dict"].values())


def test_a_full_device_names_the_batch_size(train_here, monkeypatch):
    def full(self, batch, batch_idx):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(LiftingTask, "training_step", full)
    with pytest.raises(
        InputError, match=r"too little memory for a step of 4 windows; choose a smaller data\.batch_size="
    ):
        train_here()


def test_a_run_says_first_how_long_it_is_and_how_to_stop(tmp_path, train_here, capsys):
    train_here("trainer.limit_train_batches=8", "trainer.max_steps=8")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == f"8 steps, into {tmp_path}; about how long, after the first few"
    last = tmp_path / "checkpoints" / "last.ckpt"
    assert lines[2].startswith(f"From the first step on, Ctrl-C stops after the step and saves {last}. Go on ")
    assert re.fullmatch(r"About \d+ s left, validations not counted \(\d+\.\d\d s a step\)\.", lines[3])
    assert re.search(r"\(val/mpjpe_subjects [\d.]+ mm, a mean pose [\d.]+ mm\)", lines[-1])


def test_loggers_that_are_not_installed_name_the_extra(train_here, monkeypatch):
    package = "wandb"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Exception, match=r"Error in call to target") as caught:
        train_here(f"logger={package}")
    assert f"pip install 'poselift[{package}]'" in str(caught.value)


def test_tensorboard(train_here, tmp_path):
    pytest.importorskip("tensorboard")
    train_here("logger=tensorboard")
    assert list((tmp_path / "tensorboard").rglob("events.out.tfevents.*"))


@pytest.mark.slow
def test_the_lifter_is_compiled(run, tmp_path):
    """The same validation error but for rounding.

    In another process, because shape checks cannot be compiled; without code generation, which takes minutes.
    """
    program = (
        "import sys, torch; from poselift.cli.main import main; compiled = torch.nn.Module.compile; "
        "torch.nn.Module.compile = lambda module: compiled(module, backend='eager'); main(sys.argv[1:])"
    )
    overrides = [*SMOKE, *NOTHING_WRITTEN, AVERAGED, "seed=3", "compile=true", f"output={tmp_path}"]
    subprocess.run([sys.executable, "-c", program, "train", *overrides], check=True)
    errors = [load_weights(f / "lifter.safetensors").card["training"]["val/mpjpe_subjects"] for f in (run, tmp_path)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-3)


def test_the_command_at_the_end_evaluates(cmu_files, tmp_path):
    corpus, bench = cmu_files
    data = ["data=cmu", f"data.corpus={corpus}", f"data.bench={bench}", "data.batch_size=4", "frames=16"]
    ran = poselift("train", "trainer=smoke", *TINY_LIFTER, *NOTHING_WRITTEN, *data, f"output={tmp_path / 'run'}")
    command = shlex.split(ran.out.strip().splitlines()[-1].split("Evaluate them: poselift ")[1])
    assert poselift(*command, f"output={tmp_path / 'out'}").code == 0
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["views"] == 2
    record = json.loads((tmp_path / "run" / "run.json").read_text())["data"]
    assert record["data.corpus"]["bytes"] == corpus.stat().st_size
    assert len(record["data.bench"]["sha256"]) == 64


def test_three_commands_make_a_table_of_three_seeds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("poselift.reports.report_folder.section_plots", lambda *_: [])  # they take seconds
    trained = poselift("train", *SMOKE, *NOTHING_WRITTEN, "seed=0,1,2", "-m", "name=tried")
    assert trained.code == 0, trained.err
    options = ["protocol=made_people", "view=Squat/p2", "flip=false", "refine=false"]
    evaluated = poselift("evaluate", *options, "weights=runs/tried_sweep/*/tried.safetensors", "--multirun")
    assert evaluated.code == 0, evaluated.err
    assert poselift("report", "outputs/evaluate_sweep/*", "--cost", "none", "--peers", "none").code == 0
    table = (tmp_path / "outputs/report/report.md").read_text().splitlines()
    rows = [line for line in table if line.startswith("| tried ")]
    assert rows
    assert all(line.startswith("| tried | 3 | ") and " ± " in line for line in rows), rows


def test_runs_of_a_sweep_have_folders_and_are_named_by_what_differs(tmp_path):
    swept = ["optimizer.lr=0.001,0.002", "seed=3", f"output={tmp_path / 'all'}"]
    ran = poselift("train", *SMOKE, "-m", *NOTHING_WRITTEN, *swept)
    assert ran.code == 0, ran.err
    weights = [
        load_weights(tmp_path / "all_sweep" / job / f"lifter_lr_{lr}.safetensors")
        for job, lr in (("0", "0.001"), ("1", "0.002"))
    ]
    configs = [each.card["training"]["config"] for each in weights]
    assert [config["name"] for config in configs] == ["lifter_lr_0.001", "lifter_lr_0.002"]
    assert weights[0].sha256 != weights[1].sha256
    assert not (tmp_path / "all").exists()


@pytest.mark.parametrize(("given", "steps"), [(["steps=3"], 3), ([], 2), (["steps=3", "trainer.max_steps=1"], 1)])
def test_the_steps_of_the_user_win_over_those_of_a_trainer(given, steps):
    with composed("trainer=smoke", *given) as config:
        follow_command_line(config)
        assert config.trainer.max_steps == steps


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data=cmu", "data.corpus=nothing.npz", "data.bench=nothing.npz"], "no such file: nothing.npz"),
        (["model.dpth=8"], "there is no key model.dpth; did you mean 'model.depth'"),
        (["data.clips=many"], "data.clips=many must be a whole number"),
        (["name=../../x"], "name=../../x is a path; give a name without / and"),
        (["name=/tmp/x"], "is a path"),
        (["name=.."], "name=.. is a path"),
        (["name='${nope}'"], "name='${nope}' has no value; ${KEY} stands for another key"),
        (["name='${oc.env:POSELIFT_NOT_SET}'"], "Environment variable 'POSELIFT_NOT_SET' not found"),
        (["data=cmu", "data.corpus=a.npz", "data.skeleton=coco17"], "data.skeleton and data.keypoints are those of"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, tmp_path):
    ran = poselift("train", "trainer=smoke", *TINY_LIFTER, *arguments, f"output={tmp_path}")
    assert ran.code == 2
    assert "Traceback" not in ran.err
    last = ran.err.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert message in last


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("+loss.nonsense=1", "no loss is called nonsense"),
        ("resume=nothing.ckpt", "no such file: nothing.ckpt"),
        ("init=nothing", "weights are called 'nothing'"),
        ("optimizer.betas=[0.9]", r"optimizer.betas=\[0.9\] must be a list of 2"),
        ("optimizer.betas=[0.9,1.5]", "the optimizer or its schedule rejects its settings"),
        (
            "callbacks.weights.monitor=val/mpjpe_subject",
            "monitor=val/mpjpe_subject is not logged; choose .*val/mpjpe_subjects",
        ),
        ("steps=0", "steps=0 must be a whole number, 1 or more"),
        ("loss.scale_free=inf", "loss.scale_free=inf must be a finite number"),
        ("+trainer.max_time=[1]", r"trainer.max_time=\[1\] must be text or null"),
        ("+trainer.val_check_interval=99", "the trainer rejects its settings .*; change trainer"),
    ],
)
def test_bad_values_are_named(override, message, train_here):
    with pytest.raises(InputError, match=message):
        train_here(override)


def test_a_fault_of_a_step_is_not_told_as_one_of_the_settings(train_here, monkeypatch):
    monkeypatch.setattr(LiftingTask, "training_step", lambda self, *_: self.log("loss", "a word"))
    with pytest.raises(ValueError, match="a word") as error:
        train_here()
    assert not isinstance(error.value, InputError)


def test_a_missing_gpu_is_reported(train_here, monkeypatch):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    with pytest.raises(InputError, match=r"sees no GPU here; leave out trainer=gpu"):
        train_here("trainer.accelerator=gpu")
    with pytest.raises(InputError, match=r"sees none here; leave out trainer=ddp, or take two processes on the CPU"):
        train_here("trainer.devices=-1", "+trainer.strategy=ddp")


def test_help_lists_groups_choices_and_keys():
    """The groups with their choices, and the keys with what they mean."""
    output = poselift("train", "--help").out
    for part in ("Trains a lifter", "optimizer: adam, adamw, muon, radam", "resume: null", "experiment: "):
        assert part in output
    job = poselift("train", "--cfg", "job").out
    assert "gradient_clip_val: 1.0" in job
    assert "hydra:" not in job


def test_two_runs_in_one_folder_are_refused(train_here, tmp_path):
    """Otherwise the folder would have the weights of one and the config of the other."""
    with write_alone(tmp_path / "both", "output="):
        with pytest.raises(InputError, match=r"another run is writing to .*both"):
            train_here(f"output={tmp_path / 'both'}")
        assert [path.name for path in (tmp_path / "both").iterdir()] == [".poselift_lock"]


def test_a_search_without_optuna_says_what_to_install(monkeypatch):
    if importlib.util.find_spec("optuna") is not None:
        pytest.skip("optuna is installed")
    ran = poselift("train", "search=optuna", *SMOKE)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "for optuna and submitit_slurm: pip install 'poselift[sweep]'" in ran.err


@pytest.mark.filterwarnings("ignore")  # those of Optuna's old release
def test_a_search_gives_the_best_settings(tmp_path):
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper", reason="pip install 'poselift[sweep]'")
    small = [override for override in SMOKE if not override.startswith("model.depth")]
    ran = poselift("train", "search=optuna", *small, "hydra.sweeper.n_trials=2", f"output={tmp_path / 'run'}")
    assert ran.code == 0, ran.err
    best = OmegaConf.load(tmp_path / "run_sweep" / "optimization_results.yaml")
    assert set(best.best_params) == {"optimizer.lr", "optimizer.weight_decay", "model.depth"}
    names = [path.stem for path in sorted((tmp_path / "run_sweep").glob("*/*.safetensors"))]
    assert all(name.startswith("lifter_lr_") for name in names)
    assert len(set(names)) == 2
