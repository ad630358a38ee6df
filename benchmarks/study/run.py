"""One row of the study: training, evaluation, and cost at several window lengths."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import open_dict

from benchmarks.study.budgets import Budget
from benchmarks.study.rows import Row
from poselift.cli.config import CONF
from poselift.cli.overrides import quote
from poselift.cli.predictions import LifterPredictions
from poselift.cli.train import train
from poselift.core.bounded import read_json
from poselift.core.errors import InputError
from poselift.core.files import write_json
from poselift.data.views import View
from poselift.reports.cost import cost_key, measure_costs
from poselift.reports.entries import Entry
from poselift.reports.evaluation import evaluation_results, score_view
from poselift.reports.protocols import PROTOCOLS, Protocol
from poselift.reports.runs import read_runs

LENGTHS = (27, 81, 243, 729)
"""Frames in the windows of the cost measurements."""

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
        protocol: of the evaluation.

    Args:
        budget: of each row.
        out: the folder of the study.
        data: the overrides that choose the data.
    """

    def __init__(self, budget: Budget, out: Path, data: Sequence[str]) -> None:
        self.budget, self.out, self.data = budget, out, tuple(data)
        self.protocol: Protocol = SYNTHETIC if "data=synthetic" in data else PROTOCOLS["cmu_bench"]
        self._views: list[View] = []

    def overrides(self, row: Row) -> list[str]:
        """The overrides of `poselift train` for a row."""
        return [*self.data, *row.overrides, *self.budget.overrides(row)]

    def command(self, row: Row) -> str:
        """The command that trains a row."""
        return " ".join(["poselift train", *self.overrides(row)])

    def folder(self, row: Row) -> Path:
        """The folder of a row."""
        return self.out / "rows" / row.name

    def finished(self, row: Row) -> dict[str, Any] | None:
        """The result of a row from an earlier run; None if there is none, or if its command was another one."""
        path = self.folder(row) / "row.json"
        try:
            result = read_json(path)
        except InputError:
            return None
        return result if isinstance(result, dict) and result.get("command") == self.command(row) else None

    def run(self, row: Row) -> dict[str, Any]:
        """The result of a row after training, evaluation and cost; writes metrics.json, then row.json.

        Raises:
            InputError: the data cannot be used, or the training failed.
        """
        folder = self.folder(row)
        begun = time.perf_counter()
        weights = self._train(row, folder)
        trained = time.perf_counter()
        metrics = self._evaluate(row, weights, folder)
        evaluated = time.perf_counter()
        cost = self._cost(row, folder)
        result = {
            "name": row.name,
            "positions": row.positions,
            "command": self.command(row),
            "seconds": {
                "training": trained - begun,
                "evaluation": evaluated - trained,
                "cost": time.perf_counter() - evaluated,
            },
            "error": {key: metrics["metrics"][key]["mean"] for key in ("mpjpe", "p_mpjpe", "mpjve")},
            "parameters": metrics["model"]["parameters"],
            **cost,
            "environment": metrics["environment"],
        }
        write_json(folder / "row.json", result)
        return result

    def _train(self, row: Row, folder: Path) -> Path:
        """The path of a row's trained weights."""
        dynamics = folder / "dynamics.json"
        every = max(1, self.budget.steps // _STEPS_WRITTEN)
        written = f"{{_target_: benchmarks.study.dynamics.Dynamics, path: {quote(str(dynamics))}, every: {every}}}"
        more = [f"output={quote(str(folder))}", f"name={row.name}", f"+callbacks.dynamics={written}", *_QUIET]
        more.append("overwrite=true")  # the folder may hold a row that was stopped or had another command
        with initialize_config_dir(CONF, version_base="1.3"):
            config = compose("train", [*self.overrides(row), *more], return_hydra_config=True)
            HydraConfig.instance().set_config(config)
            with open_dict(config):
                del config["hydra"]
            error = train(config)
        if error is None:
            raise InputError("the validation error is not a number; the training diverged")
        return folder / f"{row.name}.safetensors"

    def _validation_views(self, row: Row) -> list[View]:
        """The validation views, the same for all rows."""
        if not self._views:
            with initialize_config_dir(CONF, version_base="1.3"):
                config = compose("train", self.overrides(row))
            views = instantiate(config.data, _convert_="all").validation_views()
            self._views = [views[place] for place in range(min(len(views), self.budget.views))]
        return self._views

    def _evaluate(self, row: Row, weights: Path, folder: Path) -> dict[str, Any]:
        """The metrics of a row on the validation views, without flips, refinement or constant bones."""
        with initialize_config_dir(CONF, version_base="1.3"):
            lifted = LifterPredictions(compose("evaluate", [f"weights={quote(str(weights))}", *_PLAIN]))
        views = self._validation_views(row)
        scores = [score_view(view, lifted.predict(view), lifted.skeleton, self.protocol) for view in views]
        method = {"name": row.name, "seed": lifted.seed, "model": lifted.model}
        results = evaluation_results(scores, self.protocol, method, {**lifted.settings, "views": len(views)})
        write_json(folder / "metrics.json", results)
        return results

    def _cost(self, row: Row, folder: Path) -> dict[str, Any]:
        """The cost of a whole window by its frames, and the exponents of its growth."""
        (run,) = read_runs([folder])
        entries = {frames: Entry(row.name, (run,), {"window": str(frames)}) for frames in LENGTHS}
        measured, _ = measure_costs(list(entries.values()), self.budget.repeats)
        costs = {frames: measured[cost_key(entry)] for frames, entry in entries.items()}
        amounts = {
            "macs": {frames: cost.macs * frames for frames, cost in costs.items()},
            "ms": {frames: cost.ms * frames for frames, cost in costs.items()},
            "memory": {frames: float(cost.memory) for frames, cost in costs.items()},
        }
        return {
            "cost": {str(t): {what: values[t] for what, values in amounts.items()} for t in LENGTHS},
            "growth": {what: exponent(values) for what, values in amounts.items()},
        }


def exponent(values: Mapping[int, float]) -> float:
    """The exponent k of the c T^k that fits the values by frames T, by least squares of logarithms."""
    lengths, amounts = np.log(list(values)), np.log(list(values.values()))
    return float(np.polyfit(lengths, amounts, 1)[0])
