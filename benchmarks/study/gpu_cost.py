"""What a training pass costs on a GPU, by the frames in a window."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import torch

from poselift.core.errors import InputError
from poselift.models import Lifter, load_weights
from poselift.models.encoding import Encoded
from poselift.reports.cost import example_window

WINDOWS = 8
"""Windows in a pass."""


def gpu_costs(weights: Path, lengths: Sequence[int], repeats: int) -> dict[int, dict[str, float]]:
    """Milliseconds and peak memory, bytes, of a forward and backward pass over 8 windows, by the frames in a window.

    Args:
        weights: of the lifter.
        lengths: frames in a window.
        repeats: of which the time is the median.
    """
    lifter = load_weights(weights, "cuda").lifter.train()
    costs = {}
    for frames in lengths:
        with contextlib.suppress(InputError):  # linformer is built for a longest window
            costs[frames] = _pass(lifter, _windows(lifter, frames), repeats)
    return costs


def _windows(lifter: Lifter, frames: int) -> Encoded:
    one = vars(example_window(lifter.skeleton_in, frames))
    return Encoded(**{name: value.expand(WINDOWS, *value.shape[1:]).contiguous().cuda() for name, value in one.items()})


def _pass(lifter: Lifter, windows: Encoded, repeats: int) -> dict[str, float]:
    taken = []
    torch.cuda.reset_peak_memory_stats()
    for _ in range(repeats + 1):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        lifter.zero_grad()
        start.record()
        lifter(windows).square().mean().backward()
        end.record()
        torch.cuda.synchronize()
        taken.append(start.elapsed_time(end))
    return {"ms": median(taken[1:]), "memory": float(torch.cuda.max_memory_allocated())}
