"""A training run's log: CSV with a row per step."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from poselift.core.errors import InputError, reason
from poselift.core.files import sha256
from poselift.core.publishing import find_published
from poselift.core.safe_parsing import read_text
from poselift.reports.runs import Run

LOG = "metrics.csv"
"""The name of the log in the folder of a training run."""

Log = Mapping[int, Mapping[str, float | int]]
"""The values of each step by name."""


def read_log(path: str | Path) -> dict[int, dict[str, float | int]]:
    """The values of each step by name.

    Empty if there is no file.

    Raises:
        InputError: the file is damaged.
    """
    if not Path(path).is_file():
        return {}
    try:
        return {
            int(row["step"]): {
                name: int(value) if name == "epoch" else float(value)
                for name, value in row.items()
                if value and name != "step"
            }
            for row in csv.DictReader(io.StringIO(read_text(path), newline=""))
        }
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path} is damaged ({reason(error)}); remove it to continue without the earlier rows"
        ) from error


def values_of(log: Log, name: str) -> tuple[list[int], list[float]]:
    """The steps that have a value of this name, and the values."""
    points = [(step, float(row[name])) for step, row in sorted(log.items()) if name in row]
    return [step for step, _ in points], [value for _, value in points]


def log_of(run: Run) -> dict[int, dict[str, float | int]]:
    """The training log of an evaluated lifter.

    Empty if it is not beside the weights.

    Weights that a later training replaced do not count: the log is not theirs.

    Raises:
        InputError: the log is damaged.
    """
    model = run.results["model"]
    if model is None:
        return {}
    weights = Path(model["weights"])
    # Checkpoints lie in a folder of their own.
    folder = weights.parent.parent if weights.suffix == ".ckpt" else weights.parent
    log = folder / LOG
    if not (log.is_file() and find_published(weights).is_file() and sha256(weights) == model["sha256"]):
        return {}
    return read_log(log)
