"""Exact resumption: bit by bit, on the same machine.

Batches are a function of (seed, epoch, rank, number), and the draws of a step (dropout, masking) one of (seed, rank,
step), so there is no random state to save. Lightning's counters are right inside an epoch. At its end they would count
the epoch twice, so `close_epoch` sets them to the start of the next epoch.
"""

import random
from typing import Any

import numpy as np
import numpy.random
import torch


def seed_step(seed: int, rank: int, step: int) -> None:
    """Seeds all generators for one step of one process.

    They are those of Python, numpy and torch (CUDA too).
    """
    number = int(np.random.SeedSequence([seed, rank, step]).generate_state(1, np.uint64)[0] >> np.uint64(1))
    random.seed(number)
    np.random.seed(number % 2**32)  # noqa: NPY002 - callers draw from the global state
    torch.manual_seed(number)


def close_epoch(fit_loop: dict[str, Any]) -> None:
    """Moves Lightning's counters on if an epoch has just ended.

    Args:
        fit_loop: the loop's part of a checkpoint (`checkpoint["loops"]["fit_loop"]`).
    """
    epochs, batches = fit_loop["epoch_progress"], fit_loop["epoch_loop.batch_progress"]
    if epochs["current"]["processed"] == epochs["current"]["completed"]:
        return
    for counts in epochs.values():
        counts["completed"] = counts["processed"]
    batches["current"] = dict.fromkeys(batches["current"], 0)
    batches["is_last_batch"] = False


def first_batch(fit_loop: dict[str, Any]) -> int:
    """The number of the next batch of the epoch."""
    return int(fit_loop["epoch_loop.batch_progress"]["current"]["ready"])
