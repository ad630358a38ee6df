"""The results of a study: the errors of each row with each seed, and its costs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.study.rows import Row
from benchmarks.study.run import Study


@dataclass(frozen=True)
class Result:
    """What is known of a row.

    Attributes:
        row: that was trained.
        trainings: the result of each training, by its seed.
        cost: by the frames in a window; None if it was not measured.
    """

    row: Row
    trainings: Mapping[int, Mapping[str, Any]]
    cost: Mapping[str, Any] | None

    @property
    def trained(self) -> str:
        """The seeds of the trainings by their device, such as "GPU: 0, CPU: 1, 2"."""
        seeds: dict[str, list[str]] = {}
        for seed, training in self.trainings.items():
            seeds.setdefault("GPU" if "trainer=gpu" in training["command"] else "CPU", []).append(str(seed))
        return ", ".join(f"{device}: {', '.join(found)}" for device, found in seeds.items())

    @property
    def parameters(self) -> int:
        """Their number."""
        return int(next(iter(self.trainings.values()))["parameters"])

    def errors(self, key: str = "mpjpe") -> list[float]:
        """The error of each seed, mm."""
        return [training["error"][key] for training in self.trainings.values()]

    def error(self, key: str = "mpjpe") -> float:
        """The mean error over the seeds, mm."""
        return fmean(self.errors(key))


def read_results(studies: Sequence[Study], rows: Sequence[Row], seeds: Sequence[int]) -> dict[str, Result]:
    """The results of all rows that have any, by name; rows that equal another one have those of the other.

    Args:
        studies: of one budget. The first one that has trained a row with a seed gives its errors, and the last one
            that has measured it its costs.
        rows: in the order of the results.
        seeds: of the trainings.
    """
    by_name = {row.name: row for row in rows}
    results = {}
    for row in rows:
        trained = by_name[row.equals or row.name]
        found = {seed: next(filter(None, (study.finished(trained, seed) for study in studies)), None) for seed in seeds}
        trainings = {seed: training for seed, training in found.items() if training}
        costs = [study.costs(trained, seed) for study in studies for seed in seeds]
        if trainings:
            results[row.name] = Result(row, trainings, next(filter(None, reversed(costs)), None))
    return results


def spreads(results: Mapping[str, Result], key: str = "mpjpe") -> dict[str, float]:
    """The standard deviation of an error over the seeds in mm, by the kind of model and pooled over its rows.

    Kinds differ: the seeds of a lifter agree within a millimetre, those of an encoder with a decoder do not.

    Returns:
        The kinds in the order of their first rows; NaN without a second seed.
    """
    squares: dict[str, float] = {}
    freedom: dict[str, int] = {}
    for result in results.values():
        kind = result.row.kind
        errors = result.errors(key) if result.row.equals is None else []
        squares[kind] = squares.get(kind, 0.0) + sum((error - fmean(errors)) ** 2 for error in errors)
        freedom[kind] = freedom.get(kind, 0) + max(0, len(errors) - 1)
    return {kind: math.sqrt(squares[kind] / freedom[kind]) if freedom[kind] else math.nan for kind in squares}
