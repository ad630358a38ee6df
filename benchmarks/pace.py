"""How long a training step takes, measured in the training itself."""

import time
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch

from poselift.core.files import write_json

_UNCOUNTED = 2
"""Steps at the beginning, in which memory is taken and kernels are chosen."""


class Pace(pl.Callback):
    """Stops the training after some seconds, and writes how long a step took.

    Args:
        path: of the JSON file, `{"seconds_a_step": ...}`.
        seconds: to measure for; three steps at least.
    """

    def __init__(self, path: str | Path, seconds: float) -> None:
        self.path, self.seconds = Path(path), seconds
        self.counted, self.begun = -_UNCOUNTED, 0.0

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        """Counts a step."""
        self.counted += 1
        if self.counted == 0:
            self._wait()
            self.begun = time.perf_counter()
        if self.counted >= 3 and time.perf_counter() - self.begun >= self.seconds:
            trainer.should_stop = True

    def on_train_end(self, trainer: pl.Trainer, *_: Any) -> None:
        """Writes the mean."""
        self._wait()
        if self.counted > 0:
            write_json(self.path, {"seconds_a_step": (time.perf_counter() - self.begun) / self.counted})

    @staticmethod
    def _wait() -> None:
        """Until a GPU has done what it was given."""
        if torch.cuda.is_available():
            torch.cuda.synchronize()
