"""The time of a training step, measured during training."""

import time
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch

from poselift.core.files import write_json

_UNCOUNTED = 2
"""Steps at the beginning, which allocate memory and choose kernels."""


class Pace(pl.Callback):
    """Stops training after some seconds and writes the mean time of a step.

    Args:
        path: of the JSON file, `{"seconds_a_step": ...}`.
        seconds: to measure for, but at least three steps.
    """

    def __init__(self, path: str | Path, seconds: float) -> None:
        self.path, self.seconds = Path(path), seconds
        self.counted, self.begun = -_UNCOUNTED, 0.0

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        """Counts a step; stops after `seconds`."""
        self.counted += 1
        if self.counted == 0:
            self._wait()
            self.begun = time.perf_counter()
        if self.counted >= 3 and time.perf_counter() - self.begun >= self.seconds:
            trainer.should_stop = True

    def on_train_end(self, trainer: pl.Trainer, *_: Any) -> None:
        """Writes the mean time of a step."""
        self._wait()
        if self.counted > 0:
            write_json(self.path, {"seconds_a_step": (time.perf_counter() - self.begun) / self.counted})

    @staticmethod
    def _wait() -> None:
        """Waits until a GPU has finished."""
        if torch.cuda.is_available():
            torch.cuda.synchronize()
