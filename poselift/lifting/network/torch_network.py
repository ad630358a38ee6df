"""Runs a lifter with torch, on its own device."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from poselift.core.errors import InputError
from poselift.lifting.network.protocol import EncodedWindows, Lifted
from poselift.models import Lifter, lift_windows

_BATCH_CPU, _BATCH_GPU = 4, 16
"""Windows lifted at once; on a CPU, the tokens of more exceed its cache."""


class TorchNetwork:
    """Runs a lifter with torch; a `LifterNetwork`.

    Args:
        lifter: in eval mode; its parameters' device and precision count.

    Attributes:
        batch: number of windows that are best lifted at once.
    """

    def __init__(self, lifter: Lifter) -> None:
        self._lifter = lifter
        first = next(lifter.parameters(), torch.zeros(0))
        self._device, self._dtype = first.device, first.dtype
        self.batch = _BATCH_CPU if self._device.type == "cpu" else _BATCH_GPU

    def lift(self, windows: EncodedWindows, flip: bool) -> Lifted:
        """The joints of windows, in parts where the GPU's memory is small.

        Raises:
            InputError: the GPU has no memory for a single window.
        """
        pixels, scores, times = map(self._move, (windows.pixels, windows.scores, windows.times))
        K, image_size = map(self._move, (windows.K, windows.image_size))
        lens = None if windows.distortion is None else self._move(windows.distortion)
        count, length = windows.scores.shape[:2]
        try:
            with torch.inference_mode(), _one_thread():
                found = lift_windows(self._lifter, pixels, scores, times, K, image_size, lens, flip)
        except torch.OutOfMemoryError as error:
            if count == 1:
                raise InputError(
                    f"the GPU has too little memory for one window of {length} frames; choose a shorter window, other "
                    "weights, or the CPU"
                ) from error
        else:
            uncertainty = None if found.uncertainty is None else found.uncertainty.float().cpu().numpy()
            return Lifted(found.joints.float().cpu().numpy(), uncertainty)
        # After the error is gone, which holds the memory of what failed.
        halves = [self.lift(windows[rows], flip) for rows in (slice(count // 2), slice(count // 2, None))]
        sure = [half.uncertainty for half in halves if half.uncertainty is not None]
        return Lifted(np.concatenate([half.joints for half in halves]), np.concatenate(sure) if sure else None)

    def _move(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self._device, self._dtype)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limits PyTorch to one thread. The last digits depend on their number, and more are no faster here."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
