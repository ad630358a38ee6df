"""The study: its rows, its measurements, and continuing after a stop."""

import copy
import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

import benchmarks.study
from benchmarks.study.budgets import BUDGETS, Budget
from benchmarks.study.kept_batches import KeptBatches
from benchmarks.study.results import Result, spread
from benchmarks.study.rows import FAMILIES, REFERENCE, Row, all_rows, efficient_rows, warmup_rows
from benchmarks.study.run import Study, exponent
from poselift.cli.config import CONF
from poselift.core.errors import InputError
from poselift.data.batches import Batch, Batches
from poselift.nn.attention import ATTENTION
from poselift.reports.entries import sections
from poselift.reports.runs import read_runs

pytestmark = pytest.mark.slow

ROOT = Path(CONF).parent
PAGE = ROOT / "docs" / "mechanisms.md"
TINY = Budget(
    steps=2,
    batch=4,
    frames=16,
    views=1,
    repeats=1,
    sizes={"martinez": ("model.dim=16",), "rnn": ("model.dim=16",)},
    other=("data.clips=2", "data.clip_frames=40", "callbacks.ema=null"),
)


def stems(group):
    return {path.stem for path in (Path(CONF) / group).glob("[!_]*.yaml")}


class TestRows:
    def test_every_name_on_disk_is_trained(self):
        overrides = {override for row in all_rows() for override in row.overrides}
        missing = {
            f"{group}={name}"
            for group in ("model", "model/attention", "schedule", "schedule/warmup")
            for name in stems(group)
        } - overrides
        # benchmarks/lifters.py compares it at equal cost.
        assert missing == {"model=mixste"}
        assert "model/init=t_fixup" in overrides
        assert set(ATTENTION) == stems("model/attention")

    def test_names_are_told_apart_and_files_are_there(self):
        rows = all_rows()
        assert len({row.name for row in rows}) == len(rows)
        for row in rows:
            assert (ROOT / row.code).is_file(), row
            assert (ROOT / row.test).is_file(), row
            assert row.family in FAMILIES

    def test_a_mechanism_has_a_control_with_its_positions_in_its_family(self):
        rows = all_rows()
        controls = {
            (row.family, row.positions) for row in rows if row.overrides == (f"model.positions={row.positions}",)
        }
        mechanisms = [row for row in rows if any("attention" in override for override in row.overrides)]
        assert {(row.family, row.positions) for row in mechanisms} <= controls
        assert (FAMILIES[0], "sinusoidal") in controls

    @pytest.mark.slow
    def test_equal_rows_alone_have_equal_configs_and_positions_are_those_of_the_config(self):
        rows = {row.name: row for row in all_rows()}
        configs = {}
        for row in rows.values():
            with initialize_config_dir(CONF, version_base="1.3"):
                config = compose("train", Study(TINY, Path(), ()).overrides(row, 0))
            configs[row.name] = OmegaConf.to_yaml(config)
            assert row.positions == config.model.get("positions", "none"), row
        trained = [configs[row.name] for row in rows.values() if row.equals is None]
        assert len(set(trained)) == len(trained)
        assert sum(row.equals == REFERENCE for row in rows.values()) == 10
        assert all(configs[row.name] == configs[row.equals] for row in rows.values() if row.equals)

    def test_rows_of_long_windows_and_of_warm_ups(self):
        assert {row.positions for row in efficient_rows() if "control" in row.name} == {"rotary", "sinusoidal"}
        assert not [row for row in efficient_rows() if row.equals]
        names = [row.name for row in warmup_rows()]
        assert len(set(names)) == len(names)
        assert {"post_radam_3e-2", "pre_none_1e-1", "t_fixup_none_3e-3"} <= set(names)

    @pytest.mark.parametrize("budget", BUDGETS)
    def test_the_keys_of_a_budget_exist(self, budget, tmp_path):
        """The keys that a budget sets exist: one row for each model that it sizes and each key of a warm-up."""
        study = Study(BUDGETS[budget], tmp_path, ["data=synthetic"])
        rows = BUDGETS[budget].rows()
        sized = {row.model: row for row in rows if row.model in BUDGETS[budget].sizes}
        assert sized.keys() == {row.model for row in rows} & BUDGETS[budget].sizes.keys()
        one_each = sized | {row.warmup: row for row in rows}
        for row in one_each.values():
            with initialize_config_dir(CONF, version_base="1.3"):
                config = compose("train", study.overrides(row, 3))
            assert config.frames == config.data.frames == BUDGETS[budget].frames
            assert config.steps == config.data.batches == BUDGETS[budget].steps
            assert config.seed == config.data.seed == 3


@pytest.mark.parametrize(("power", "factor"), [(1.0, 3.0), (2.0, 0.1), (0.0, 5.0)])
def test_the_exponent_of_a_power_of_the_length(power, factor):
    assert exponent({t: factor * t**power for t in (27, 81, 243, 729)}) == pytest.approx(power, abs=1e-9)


def test_kept_batches_are_those_of_their_seed():
    class Drawn:
        device = torch.device("cpu")
        drawn = 0

        def sample(self, count, generator):
            self.drawn += 1
            values = torch.rand(count, 4, 17, 3, generator=generator)
            return Batch(*(values[..., 0] for _ in range(6)), values, values[:, :, 0])

    sampler = Drawn()
    kept = KeptBatches(Batches(sampler, 2, 3, seed=1))
    other = copy.copy(kept)
    other.seed = 0
    fresh = {seed: Batches(Drawn(), 2, 3, seed=seed).make(0).joints for seed in (0, 1)}
    for _ in range(2):
        assert torch.equal(other.make(0).joints, fresh[0])
        assert torch.equal(kept.make(0).joints, fresh[1])
    assert sampler.drawn == 2


def test_the_spread_is_pooled_over_the_rows_that_were_trained():
    def row(errors, equals=None):
        trainings = {seed: {"error": {"mpjpe": error}} for seed, error in enumerate(errors)}
        return Result(Row("x", FAMILIES[0], (), "", "", equals=equals), trainings, None)

    # Deviations -1, 0, 1 and -2, 2: 2 + 8, with 2 + 1 degrees of freedom.
    rows = {"a": row([9, 10, 11]), "b": row([98, 102]), "again": row([9, 10, 11], "a"), "alone": row([5])}
    assert spread(rows) == pytest.approx((10 / 3) ** 0.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


# The warning is Lightning's own.
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")
class TestRun:
    @pytest.fixture
    def study(self, folder, monkeypatch):
        monkeypatch.setitem(BUDGETS, "smoke", TINY)

        def start(*arguments):
            benchmarks.study.main(["--out", str(folder), *arguments])

        return start

    def test_rows_are_trained_scored_and_measured(self, study, folder, capsys):
        study("--seeds", "0", "1", "--workers", "2", "--only", "martinez", "rnn", "--page", str(folder / "page.md"))
        assert f"2 of {len(all_rows())} rows in {folder}" in capsys.readouterr().out
        found, _ = sections(read_runs([folder / "rows" / "martinez" / "seed_0", folder / "rows" / "rnn" / "seed_0"]))
        assert [entry.name for entry in found[0].entries] == ["martinez", "rnn"]
        rows = json.loads((folder / "study.json").read_text())["rows"]
        assert [row["name"] for row in rows] == ["martinez", "rnn"]
        for row in rows:
            errors = []
            for seed, training in enumerate(row["trainings"]):
                metrics = json.loads((folder / "rows" / row["name"] / f"seed_{seed}" / "metrics.json").read_text())
                errors.append(metrics["metrics"]["mpjpe"]["mean"])
                assert (training["seed"], training["error"]["mpjpe"]) == (seed, errors[-1])
                assert "model.dim=16" in training["command"]
            assert errors[0] != errors[1]
            cost = row["cost"]
            assert cost["growth"]["macs"] == pytest.approx(1.0, abs=1e-3), "frame by frame"
            assert cost["cost"]["729"]["macs"] == pytest.approx(27 * cost["cost"]["27"]["macs"], rel=1e-3)
        with open(folder / "study.csv", newline="") as file:
            table = list(csv.DictReader(file))
        assert float(table[1]["MPJPE (mm)"]) == pytest.approx(sum(errors) / 2)
        assert "| Before Transformers | rnn | none |" in (folder / "study.md").read_text()
        assert all((folder / "plots" / f"{name}.png").stat().st_size > 5000 for name in ("errors", "growth"))
        page = (folder / "page.md").read_text()
        assert "<br>`model=martinez` |" in page
        assert "`lstm`" not in page, "it was not trained"

    def test_what_is_finished_is_not_trained_again(self, study, folder, monkeypatch):
        runs = []
        monkeypatch.setattr(Study, "run", lambda self, row, seed: runs.append((row.name, seed)))
        study("--seeds", "0", "1", "--only", "martinez", "rnn")
        assert runs == []
        study("--seeds", "2", "--seconds", "-1", "--only", "martinez", "rnn")
        assert runs == [], "the time was over"
        monkeypatch.setitem(BUDGETS, "smoke", Budget(**{**vars(TINY), "steps": 3}))
        benchmarks.study.main(["--out", str(folder), "--only", "rnn"])
        assert runs == [("rnn", 0)], "under another budget it is another row"

    @pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143)])
    def test_a_stop_leaves_what_is_finished(self, stop, code, study, folder, monkeypatch, capsys):
        """SIGTERM ends a training with exit code 143."""

        def interrupt(self, row, seed):
            raise stop

        monkeypatch.setattr(Study, "run", interrupt)
        with pytest.raises(SystemExit) as caught:
            study("--only", "martinez", "gru")
        assert caught.value.code == code
        out = capsys.readouterr().out
        assert "Stopped. The same command continues." in out
        assert f"2 of {len(all_rows())} rows" in out

    def test_a_row_that_fails_does_not_stop_the_others(self, study, monkeypatch, capsys):
        def fail(self, row, seed):
            raise InputError("nothing came of it")

        monkeypatch.setattr(Study, "run", fail)
        with pytest.raises(SystemExit) as caught:
            study("--only", "gru", "lstm")
        assert caught.value.code == 2
        assert "row gru, seed 0: nothing came of it\nrow lstm, seed 0: nothing came of it" in capsys.readouterr().err

    def test_nothing_is_named_that_was_not_written(self, monkeypatch, tmp_path, capsys):
        def fail(self, row, seed):
            raise InputError("nothing came of it")

        monkeypatch.setattr(Study, "run", fail)
        with pytest.raises(SystemExit):
            benchmarks.study.main(["--out", str(tmp_path / "new"), "--only", "gru"])
        out = capsys.readouterr().out
        assert (
            out
            == f"None of {len(all_rows())} rows is finished in {tmp_path / 'new'}, so there are no tables and plots\n"
        )

    def test_quotation_marks_in_paths(self, monkeypatch, tmp_path):
        """The data is read from there; the row is written there."""
        monkeypatch.setitem(BUDGETS, "smoke", replace(TINY, other=()))
        given = []
        monkeypatch.setattr("benchmarks.study.run.train", lambda config, data: given.append(config))
        monkeypatch.setattr(Study, "_data", lambda self, config: None)
        names = [str(tmp_path / name) for name in ("o'b.npz", "v'b.npz")]
        with pytest.raises(SystemExit):
            benchmarks.study.main(
                ["--out", str(tmp_path / "o'b"), "--only", "rnn", "--corpus", names[0], "--bench", names[1]]
            )
        (config,) = given
        assert [config.data.corpus, config.data.bench] == names
        assert config.output == config.callbacks.dynamics.path.removesuffix("/dynamics.json")
        assert config.output == str(tmp_path / "o'b" / "rows" / "rnn" / "seed_0")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--only", "scaled_dots"], "no row is called 'scaled_dots'; did you mean 'scaled_dot'?"),
            (["--corpus", "cmu50.npz"], "--corpus and --bench go together"),
        ],
    )
    def test_bad_options(self, study, arguments, message, capsys):
        with pytest.raises(SystemExit) as caught:
            study(*arguments)
        assert caught.value.code == 2
        assert message in capsys.readouterr().err


class TestPage:
    """docs/mechanisms.md, as it stands in the repository."""

    def test_every_name_is_there_with_its_override_and_its_figures(self):
        lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
        shown = {}
        for line in lines:
            first, *figures = (cell.strip() for cell in line.strip("|").split(" | "))
            name, override = re.fullmatch(r"`(\w+)` \[code]\(\S+\), \[test]\(\S+\)<br>`([^`]+)`", first).groups()
            shown[name] = (override, figures)
        assert sorted(shown) == sorted(row.name for row in all_rows())
        for row in all_rows():
            override, (positions, trained, *figures) = shown[row.name]
            assert (override, positions) == (" ".join(row.overrides), row.positions)
            device, seeds = trained.split(": ")
            assert device in ("GPU", "CPU")
            assert len(figures) == 8
            for error in figures[:2]:
                assert re.fullmatch(r"\d+\.\d ± \d+\.\d" if "," in seeds else r"\d+\.\d|-", error)
            # "-": not measured
            assert all(figure == "-" or float(figure) > 0 for figure in figures[2:])

    @pytest.mark.parametrize(("budget", "device"), [("short", "cpu"), ("long_729", "cuda")])
    def test_the_commands_are_in_the_repository(self, budget, device, capsys):
        data = ["--corpus", "cmu50.npz", "--bench", "bench_val.npz"]
        benchmarks.study.main(["--budget", budget, "--device", device, *data, "--commands"])
        kept = ROOT / "benchmarks" / "study" / f"{budget}_commands.txt"
        assert capsys.readouterr().out == kept.read_text(encoding="utf-8")

    def test_every_link_leads_somewhere(self):
        links = re.findall(r"\]\(([^)]+)\)", PAGE.read_text(encoding="utf-8"))
        assert len(links) >= 2 * len(all_rows())
        assert all((PAGE.parent / link).is_file() for link in links)


def test_a_warm_up_is_a_tenth_of_the_steps_where_a_key_says_so():
    row = Row("x", FAMILIES[0], ("schedule=noam",), "", "", warmup="schedule.warmup")
    assert "schedule.warmup=2" in Budget(25, 1, 1, 1, 1).overrides(row)
    bare = Row("x", FAMILIES[0], (), "", "", warmup=None)
    assert not [o for o in Budget(25, 1, 1, 1, 1).overrides(bare) if "warmup" in o]
