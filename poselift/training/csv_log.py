"""A CSV file of all values that a run logs."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities.rank_zero import rank_zero_only

from poselift.core.files import write_text
from poselift.reports.training_log import read_log


class CsvLog(Logger):
    """Writes one row per step, one column per value.

    Cells are empty where a step has no value.

    Lightning's logger starts a new file when a run resumes. This one continues the same file, so a resumed run has the
    table of an uninterrupted one.

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
        """Empty: there is only one."""
        return ""

    def begin(self, step: int) -> None:
        """Reads the earlier rows of an earlier process's file.

        At step 0 there are none.
        """
        self._rows = {at: row for at, row in read_log(self.path).items() if at < step} if step else {}

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        """Adds values of a step."""
        assert step is not None, "Lightning passes the step"
        self._rows.setdefault(step, {}).update(metrics)

    def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None:
        """Does nothing: they are in the run's config."""

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
        """Writes the file at the end, after an error too."""
        if self._rows:
            self.save()
