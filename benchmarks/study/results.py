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
        """The device and the seeds of the trainings, such as "GPU: 0, 1"."""
        on_gpu = "trainer=gpu" in next(iter(self.trainings.values()))["command"]
        return f"{'GPU' if on_gpu else 'CPU'}: {', '.join(map(str, self.trainings))}"

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
        studies: of one budget. The first one that has trained a row gives its errors, and the last one that has
            measured it its costs.
        rows: in the order of the results.
        seeds: of the trainings.
    """
    by_name = {row.name: row for row in rows}
    results = {}
    for row in rows:
        trained = by_name[row.equals or row.name]
        found = [{seed: one for seed in seeds if (one := study.finished(trained, seed))} for study in studies]
        costs = [study.costs(trained, seed) for study in studies for seed in seeds]
        if any(found):
            trainings = next(filter(None, found))
            results[row.name] = Result(row, trainings, next(filter(None, reversed(costs)), None))
    return results


def spread(results: Mapping[str, Result], key: str = "mpjpe") -> float:
    """The standard deviation of an error over the seeds, pooled over all rows, in mm; NaN without a second seed."""
    squares, freedom = 0.0, 0
    for result in results.values():
        if result.row.equals is None:
            errors = result.errors(key)
            squares += sum((error - fmean(errors)) ** 2 for error in errors)
            freedom += len(errors) - 1
    return math.sqrt(squares / freedom) if freedom else math.nan
