"""One row of the study: trained, evaluated on the study's views, and its cost measured at several lengths."""

import json
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

from poselift.cli.config import CONF
from poselift.cli.sources import Lifted
from poselift.cli.study.budgets import Budget
from poselift.cli.study.rows import Row
from poselift.cli.train import train
from poselift.core.errors import InputError
from poselift.core.files import write_json
from poselift.data.views import View
from poselift.reports.cost import cost_key, measure_costs
from poselift.reports.entries import Entry
from poselift.reports.environment import environment
from poselift.reports.evaluation import score_view, summarise
from poselift.reports.protocols import PROTOCOLS, Protocol
from poselift.reports.runs import FORMAT, VERSION, read_runs

LENGTHS = (27, 81, 243, 729)
"""Frames in a window, where cost is measured."""

_QUIET = (
    "logger.csv=null",
    "logger.tensorboard=null",
    "callbacks.last=null",
    "callbacks.progress=null",
    "callbacks.lr=null",
)
_STEPS_WRITTEN = 100
"""Of the gradients and updates, at most."""

SYNTHETIC = replace(
    PROTOCOLS["cmu_bench"],
    name="synthetic",
    title="Synthetic motion",
    citation="walking stick people of our own making (data=synthetic)",
    note="Every frame of every view, 17 joints relative to the pelvis. No real motion: for comparing models alone.",
)


class Study:
    """What all rows have in common.

    Attributes:
        budget: of each row.
        out: the folder; each row has one in it.
        data: the overrides of `tools/train.py` that say what is trained on.
        protocol: of the evaluation.

    Args:
        budget: of each row.
        out: the folder.
        data: the overrides that say what is trained on.
    """

    def __init__(self, budget: Budget, out: Path, data: Sequence[str]) -> None:
        self.budget, self.out, self.data = budget, out, tuple(data)
        self.protocol: Protocol = SYNTHETIC if "data=synthetic" in data else PROTOCOLS["cmu_bench"]
        self._views: list[View] = []

    def overrides(self, row: Row) -> list[str]:
        """Of `tools/train.py`, to train a row."""
        return [*self.data, *row.overrides, *self.budget.overrides(row)]

    def command(self, row: Row) -> str:
        """That trains a row."""
        return " ".join(["python tools/train.py", *self.overrides(row)])

    def folder(self, row: Row) -> Path:
        """Where a row's files are."""
        return self.out / "rows" / row.name

    def finished(self, row: Row) -> dict[str, Any] | None:
        """What an earlier run has written of a row; None where it has not, or was told to train something else."""
        path = self.folder(row) / "row.json"
        try:
            result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return result if result.get("command") == self.command(row) else None

    def run(self, row: Row) -> dict[str, Any]:
        """Trains a row, evaluates it and measures its cost; writes metrics.json and, at last, row.json.

        Raises:
            InputError: the data cannot be used, or the row's training came to nothing.
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
        """The weights of a row."""
        dynamics = folder / "dynamics.json"
        every = max(1, self.budget.steps // _STEPS_WRITTEN)
        written = f"{{_target_: poselift.training.dynamics.Dynamics, path: '{dynamics}', every: {every}}}"
        more = [f"output='{folder}'", f"name={row.name}", f"+callbacks.dynamics={written}", *_QUIET]
        more.append("overwrite=true")  # what is there is of a row that was stopped, or told to train something else
        with initialize_config_dir(CONF, version_base="1.3"):
            config = compose("train", [*self.overrides(row), *more], return_hydra_config=True)
            HydraConfig.instance().set_config(config)
            with open_dict(config):
                del config["hydra"]
            error = train(config)
        if error is None:
            raise InputError("its validation error is not a number")
        return folder / f"{row.name}.safetensors"

    def _validation_views(self, row: Row) -> list[View]:
        """The same for all rows."""
        if not self._views:
            with initialize_config_dir(CONF, version_base="1.3"):
                config = compose("train", self.overrides(row))
            views = instantiate(config.data, _convert_="all").validation_views()
            self._views = [views[place] for place in range(min(len(views), self.budget.views))]
        return self._views

    def _evaluate(self, row: Row, weights: Path, folder: Path) -> dict[str, Any]:
        """Scores a row as `tools/evaluate.py` does, on the views of the study."""
        with initialize_config_dir(CONF, version_base="1.3"):
            lifted = Lifted(compose("evaluate", [f"weights='{weights}'", f"name={row.name}", "flip=false"]))
        views = self._validation_views(row)
        scores = [score_view(view, lifted.predict(view), lifted.skeleton, self.protocol) for view in views]
        results = {
            "format": FORMAT,
            "version": VERSION,
            "protocol": self.protocol.name,
            "title": self.protocol.title,
            "name": row.name,
            "seed": lifted.seed,
            "model": lifted.model,
            **summarise(scores, self.protocol),
            "settings": {
                **lifted.settings,
                "views": len(views),
                "citation": self.protocol.citation,
                "note": self.protocol.note,
                "warnings": [],
            },
            "environment": environment(),
        }
        write_json(folder / "metrics.json", results)
        return results

    def _cost(self, row: Row, folder: Path) -> dict[str, Any]:
        """Of a whole window, by its frames; and the exponents with which that grows."""
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
    """The k of the c T^k that is nearest to the values, by least squares of their logarithms."""
    lengths, amounts = np.log(list(values)), np.log(list(values.values()))
    return float(np.polyfit(lengths, amounts, 1)[0])
