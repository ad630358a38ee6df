"""One row of the study: training, evaluation, and cost at several window lengths."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf, open_dict

from benchmarks.study.budgets import Budget
from benchmarks.study.gpu_cost import gpu_costs
from benchmarks.study.kept_batches import KeptBatches
from benchmarks.study.rows import Row
from poselift.cli.config import CONF
from poselift.cli.overrides import quote
from poselift.cli.predictions import LifterPredictions
from poselift.cli.train import train
from poselift.core.errors import InputError
from poselift.core.files import write_json
from poselift.core.safe_parsing import read_json
from poselift.data.module import MotionData
from poselift.data.views import View
from poselift.reports.cost import cost_key, measure_costs
from poselift.reports.entries import Entry
from poselift.reports.evaluation import evaluation_results, score_view
from poselift.reports.protocols import PROTOCOLS, Protocol
from poselift.reports.runs import read_runs

LENGTHS = (27, 81, 243, 729)
"""Frames in the windows of the cost measurements."""

_TRAINERS = {"cpu": ("trainer=cpu",), "cuda": ("trainer=gpu", "trainer.precision=32-true")}
"""The overrides of `poselift train` for each device."""
_ONE_VIEW = "+trainer.limit_val_batches=1"
"""The row's own evaluation sees the others."""
_QUIET = (
    "logger.csv=null",
    "callbacks.last=null",
    "callbacks.progress=null",
    "callbacks.lr=null",
)
_PLAIN = ("flip=false", "refine=false", "constant_bones=false")
"""Rows are compared by what the lifter itself predicts."""
_STEPS_WRITTEN = 100
"""Most steps of which a row keeps the gradients and updates."""

SYNTHETIC = replace(
    PROTOCOLS["cmu_bench"],
    name="synthetic",
    title="Synthetic motion",
    citation="synthetic walking stick figures (data=synthetic)",
    note="Every frame of every view, 17 joints relative to the pelvis. No real motion: use it only to compare models.",
)


class Study:
    """The settings that all rows share.

    Attributes:
        budget: of each row.
        out: the folder of the study, with one folder per row.
        data: the overrides of `poselift train` that choose the data.
        device: of the training: cpu or cuda.
        protocol: of the evaluation.

    Args:
        budget: of each row.
        out: the folder of the study.
        data: the overrides that choose the data.
        device: of the training.
    """

    def __init__(self, budget: Budget, out: Path, data: Sequence[str], device: str = "cpu") -> None:
        self.budget, self.out, self.data, self.device = budget, out, tuple(data), device
        self.protocol: Protocol = SYNTHETIC if "data=synthetic" in data else PROTOCOLS["cmu_bench"]
        self._kept: tuple[str, MotionData] | None = None
        self._views: list[View] = []

    def overrides(self, row: Row, seed: int) -> list[str]:
        """The overrides of `poselift train` for a row."""
        return [*self.data, *row.overrides, *self.budget.overrides(row), *_TRAINERS[self.device], f"seed={seed}"]

    def command(self, row: Row, seed: int) -> str:
        """The command that trains a row."""
        return " ".join(["poselift train", *self.overrides(row, seed)])

    def folder(self, row: Row) -> Path:
        """The folder of a row; a row that equals another one has that of the other."""
        return self.out / "rows" / (row.equals or row.name)

    def finished(self, row: Row, seed: int) -> dict[str, Any] | None:
        """The result of a training from an earlier run; None if there is none, or if its command was another one.

        Args:
            row: one that equals no other row.
            seed: of the training.
        """
        return self._written(self.folder(row) / f"seed_{seed}" / "row.json", row, seed)

    def costs(self, row: Row, seed: int) -> dict[str, Any] | None:
        """The costs of a row from an earlier run; None if there are none."""
        return self._written(self.folder(row) / "cost.json", row, seed)

    def run(self, row: Row, seed: int) -> dict[str, Any]:
        """The result of a row after training and evaluation; writes metrics.json, then row.json.

        Raises:
            InputError: the data cannot be used, or the training failed.
        """
        folder = self.folder(row) / f"seed_{seed}"
        begun = time.perf_counter()
        if self.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        weights = self._train(row, seed, folder)
        memory = torch.cuda.max_memory_allocated() if self.device == "cuda" else None
        trained = time.perf_counter()
        metrics = self._evaluate(row, weights, folder)
        result = {
            "name": row.name,
            "seed": seed,
            "command": self.command(row, seed),
            "seconds": {"training": trained - begun, "evaluation": time.perf_counter() - trained},
            "gpu_memory": memory,
            "loss": _losses(folder / "dynamics.json"),
            "error": {key: metrics["metrics"][key]["mean"] for key in ("mpjpe", "p_mpjpe", "mpjve")},
            "parameters": metrics["model"]["parameters"],
            "environment": metrics["environment"],
        }
        write_json(folder / "row.json", result)
        return result

    def measure(self, row: Row, seed: int) -> None:
        """Writes the cost of a trained row by the frames in a window, with the exponents of its growth."""
        folder = self.folder(row) / f"seed_{seed}"
        costs: Mapping[int, Mapping[str, float]]
        if self.device == "cuda":
            costs = gpu_costs(folder / f"{row.name}.safetensors", (*LENGTHS, 3 * LENGTHS[-1]), self.budget.repeats)
        else:
            costs = _cpu_costs(row, folder, self.budget.repeats)
        growth = {key: exponent({t: costs[t][key] for t in LENGTHS}) for key in costs[LENGTHS[0]]}
        result = {"command": self.command(row, seed), "device": self.device, "cost": costs, "growth": growth}
        write_json(self.folder(row) / "cost.json", result)

    def _written(self, path: Path, row: Row, seed: int) -> dict[str, Any] | None:
        try:
            result = read_json(path)
        except InputError:
            return None
        return result if isinstance(result, dict) and result.get("command") == self.command(row, seed) else None

    def _train(self, row: Row, seed: int, folder: Path) -> Path:
        """The path of a row's trained weights."""
        dynamics = folder / "dynamics.json"
        every = max(1, self.budget.steps // _STEPS_WRITTEN)
        written = f"{{_target_: benchmarks.study.dynamics.Dynamics, path: {quote(str(dynamics))}, every: {every}}}"
        more = [f"output={quote(str(folder))}", f"name={row.name}", f"+callbacks.dynamics={written}", *_QUIET]
        more += ["overwrite=true", _ONE_VIEW]  # the folder may hold a row that was stopped or had another command
        with initialize_config_dir(CONF, version_base="1.3"):
            config = compose("train", [*self.overrides(row, seed), *more], return_hydra_config=True)
            HydraConfig.instance().set_config(config)
            with open_dict(config):
                del config["hydra"]
            error = train(config, self._data(config))
        if error is None:
            raise InputError("the validation error is not a number; the training diverged")
        return folder / f"{row.name}.safetensors"

    def _data(self, config: DictConfig) -> MotionData:
        """The data, with the batches of the rows before; only those of the last seed are kept."""
        key = OmegaConf.to_yaml(config.data, resolve=True)
        if self._kept is None or self._kept[0] != key:
            data: MotionData = instantiate(config.data, _convert_="all")
            data.setup("fit")
            data.training = KeptBatches(data.training)
            data.training.device = torch.device(self.device)
            self._kept = (key, data)
            views = data.validation_views()
            self._views = [views[place] for place in range(min(len(views), self.budget.views))]
        return self._kept[1]

    def _evaluate(self, row: Row, weights: Path, folder: Path) -> dict[str, Any]:
        """The metrics of a row on the validation views, without flips, refinement or constant bones."""
        with initialize_config_dir(CONF, version_base="1.3"):
            config = compose("evaluate", [f"weights={quote(str(weights))}", f"device={self.device}", *_PLAIN])
        lifted = LifterPredictions(config)
        scores = [score_view(view, lifted.predict(view), lifted.skeleton, self.protocol) for view in self._views]
        method = {"name": row.name, "seed": lifted.seed, "model": lifted.model}
        settings = {**lifted.settings, "views": len(self._views)}
        results = evaluation_results(scores, self.protocol, method, settings)
        write_json(folder / "metrics.json", results)
        return results


def _losses(dynamics: Path) -> dict[str, float]:
    """The largest loss of a training, and the mean of the last tenth of its written steps."""
    losses = [step["loss"] for step in read_json(dynamics)["steps"]]
    return {"largest": max(losses), "last": float(np.mean(losses[-(len(losses) // 10 or 1) :]))}


def _cpu_costs(row: Row, folder: Path, repeats: int) -> dict[int, dict[str, float]]:
    """The cost of a forward pass over one window on one core, by the frames in it."""
    (run,) = read_runs([folder])
    entries = {frames: Entry(row.name, (run,), {"window": str(frames)}) for frames in LENGTHS}
    measured, _ = measure_costs(list(entries.values()), repeats)
    costs = {frames: measured[cost_key(entry)] for frames, entry in entries.items()}
    return {t: {"macs": cost.macs * t, "ms": cost.ms * t, "memory": float(cost.memory)} for t, cost in costs.items()}


def exponent(values: Mapping[int, float]) -> float:
    """The exponent k of the c T^k that fits the values by frames T, by least squares of logarithms."""
    lengths, amounts = np.log(list(values)), np.log(list(values.values()))
    return float(np.polyfit(lengths, amounts, 1)[0])
