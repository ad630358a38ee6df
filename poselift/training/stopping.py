"""SIGTERM and Ctrl-C end a run after the current step.

The run leaves a checkpoint.
"""

import os
import signal
import threading
from typing import Any

import pytorch_lightning as pl


class Stopped(Exception):  # noqa: N818 - the user meant it
    """A signal ended the run.

    Args:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.number = number


class StopOnSignal(pl.Callback):
    """Ends training between two steps on SIGTERM or SIGINT.

    In all processes at the same step; SIGINT is Ctrl-C.

    `LastCheckpoint` saves at that step, so a resumed run loses nothing. A second Ctrl-C ends the run at once.

    Lightning's own handlers end training without a checkpoint, or save in the middle of a step.

    Attributes:
        stops: True from the step on which all processes agreed to end the run.
    """

    def __init__(self) -> None:
        self.stops = False
        self._received: int | None = None
        # submitit requeues a job itself, and tells its own handlers of SIGTERM from those of a plain kill.
        self._signals = [signal.SIGINT] if "SUBMITIT_EXECUTOR" in os.environ else [signal.SIGINT, signal.SIGTERM]

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Handles the signals from here on.

        Lightning restores the earlier handlers at the end of `fit`.
        """
        if threading.current_thread() is threading.main_thread():
            for number in self._signals:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, self._receive)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Agrees to stop if any process received a signal."""
        self.stops = self.stops or trainer.strategy.reduce_boolean_decision(self._received is not None, all=False)

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Ends the run before a step, with the last one saved."""
        if self.stops and batch_idx % trainer.accumulate_grad_batches == 0:
            raise Stopped(self._received or signal.SIGTERM)

    def on_validation_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *arguments: Any) -> None:
        """Ends the run inside a validation.

        Several processes finish it first, because their views differ.
        """
        if self._received and trainer.world_size == 1:
            raise Stopped(self._received)

    def _receive(self, number: int, frame: object) -> None:
        if self._received and number == signal.SIGINT:
            raise KeyboardInterrupt
        self._received = number
