"""Callbacks for `test_resume.py`: some end their own process, one writes the state of the generators."""

import hashlib
import json
import os
import random
import signal
from pathlib import Path

import numpy as np
import pytorch_lightning as pl
import torch


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


class Killer(pl.Callback):
    """Kills the process at a batch; batches count over all epochs.

    Args:
        batch: at which it kills; negative: never.
        place: "begun" or "done" with the batch, in the first "validation" after it, or "writing" the first
            checkpoint after it, when half of it is in the file.
    """

    def __init__(self, batch, place):
        self.batch, self.place = batch, place

    def due(self, trainer):
        return 0 <= self.batch <= trainer.fit_loop.total_batch_idx

    def on_train_batch_start(self, trainer, *arguments):
        if self.place == "begun" and self.due(trainer):
            kill()

    def on_train_batch_end(self, trainer, *arguments):
        if self.place == "done" and self.due(trainer):
            kill()

    def on_validation_end(self, trainer, *arguments):
        if self.place == "validation" and self.due(trainer):
            kill()

    def on_save_checkpoint(self, trainer, *arguments):
        if self.place == "writing" and self.due(trainer):
            torch.save = write_half_and_die


def write_half_and_die(checkpoint, file):
    file.write(b"PK" + bytes(10_000))
    file.flush()
    kill()


class Ender(pl.Callback):
    """Sends a signal to its own process, once.

    Args:
        signal_name: SIGTERM or SIGINT.
        batch: during which it sends the signal, counted over all epochs.
        place: in the "step", or in the "validation" after it.
    """

    def __init__(self, signal_name, batch, place):
        self.number, self.batch, self.place, self.sent = signal.Signals[signal_name], batch, place, False

    def send(self, trainer, place):
        if place == self.place and self.batch <= trainer.fit_loop.total_batch_idx and not self.sent:
            self.sent = True
            os.kill(os.getpid(), self.number)

    def on_train_batch_start(self, trainer, *arguments):
        self.send(trainer, "step")

    def on_validation_batch_start(self, trainer, *arguments):
        self.send(trainer, "validation")


class Witness(pl.Callback):
    """Writes the state of every generator after the last step."""

    def __init__(self, path):
        self.path = Path(path)

    def on_train_epoch_end(self, trainer, *arguments):
        numpy_state = np.random.get_state()[1].tolist()  # noqa: NPY002 - the global one is meant
        states = (random.getstate(), numpy_state, torch.get_rng_state().tolist())
        self.path.write_text(json.dumps([hashlib.sha256(repr(state).encode()).hexdigest() for state in states]))
