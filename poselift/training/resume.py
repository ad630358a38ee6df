"""Going on from a checkpoint to the same bits as a run that was never stopped, on the same machine.

Batches are a function of (seed, epoch, rank, number); what a step draws itself (dropout, masking) is made one of
(seed, rank, step). Nothing random is then left to save. Lightning's own counters go on rightly inside an epoch, but
not from its end, where they would count the epoch twice: there they are written as they stand before the next one.
"""

import random
from typing import Any

import numpy as np
import torch


def seed_step(seed: int, rank: int, step: int) -> None:
    """Seeds python's, numpy's and torch's generators, CUDA's too, for one step of one process."""
    number = int(np.random.SeedSequence([seed, rank, step]).generate_state(1, np.uint64)[0] >> np.uint64(1))
    random.seed(number)
    np.random.seed(number % 2**32)  # noqa: NPY002 - the global state is what is to be fixed
    torch.manual_seed(number)


def close_epoch(fit_loop: dict[str, Any]) -> None:
    """Where an epoch has just ended, sets Lightning's counters to the start of the next one.

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
    """The batch of the epoch that comes next."""
    return int(fit_loop["epoch_loop.batch_progress"]["current"]["ready"])
