"""The table of everything that a run logs."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities.rank_zero import rank_zero_only

from poselift.core.files import write_text


class CsvLog(Logger):
    """Writes one row a step with a column for each value; empty where a step has none.

    Lightning's own begins a new file where a run goes on. This one goes on in the same, so that the table of a run
    that was stopped is that of one that never was.

    Args:
        path: of the file.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self.path = Path(path)
        self._rows: dict[int, dict[str, float | int]] = {}

    @property
    def name(self) -> str:
        """The stem of the file."""
        return self.path.stem

    @property
    def version(self) -> str:
        """There is one."""
        return ""

    def begin(self, step: int) -> None:
        """Takes up what an earlier process has written of the steps before this one; nothing at step 0."""
        self._rows = {at: row for at, row in read_log(self.path).items() if at < step} if step else {}

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        """Notes values of a step."""
        assert step is not None, "Lightning says the step"
        self._rows.setdefault(step, {}).update(metrics)

    def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None:
        """They are in the run's config."""

    @rank_zero_only
    def save(self) -> None:
        """Writes the file."""
        columns = ["step", *sorted({name for row in self._rows.values() for name in row} - {"epoch"}), "epoch"]
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({"step": step, **row} for step, row in sorted(self._rows.items()))
        write_text(self.path, text.getvalue())

    @rank_zero_only
    def finalize(self, status: str) -> None:
        """Writes what there is at the end, however it came."""
        if self._rows:
            self.save()


def read_log(path: str | Path) -> dict[int, dict[str, float | int]]:
    """The values of each step, by name; none where there is no file."""
    if not Path(path).is_file():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        return {
            int(row["step"]): {
                name: int(value) if name == "epoch" else float(value)
                for name, value in row.items()
                if value and name != "step"
            }
            for row in csv.DictReader(file)
        }
