"""Runs a lifter with torch, on its own device."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from poselift.core.errors import InputError
from poselift.lifting.network.protocol import Lifted, Windows
from poselift.models import Estimate, Lifter, lift_windows

_BATCH_CPU, _BATCH_GPU = 4, 16
"""Windows lifted at once; on a CPU, the tokens of more exceed its cache."""


class TorchNetwork:
    """Runs a lifter with torch; a `Network`.

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

    def lift(self, windows: Windows, flip: bool) -> Lifted:
        """The joints of windows: half as many at a time where the GPU's memory is too small.

        Raises:
            InputError: the GPU has no memory for a single window.
        """
        arrays = (windows.pixels, windows.scores, windows.times, windows.K, windows.image_size, windows.distortion)
        inputs = [None if array is None else torch.from_numpy(array).to(self._device, self._dtype) for array in arrays]
        with torch.inference_mode(), _one_thread():
            parts = self._lift(inputs, flip)
        joints = torch.cat([part.joints for part in parts]).float().cpu().numpy()
        sure = [part.uncertainty for part in parts if part.uncertainty is not None]
        return Lifted(joints, torch.cat(sure).float().cpu().numpy() if sure else None)

    def _lift(self, inputs: list[Tensor | None], flip: bool) -> list[Estimate]:
        pixels, scores, times, K, image_size, distortion = inputs
        assert pixels is not None
        assert scores is not None
        assert times is not None
        assert K is not None
        assert image_size is not None
        try:
            return [lift_windows(self._lifter, pixels, scores, times, K, image_size, distortion, flip)]
        except torch.OutOfMemoryError as error:
            count, length = pixels.shape[:2]
            if count == 1:
                raise InputError(
                    f"the GPU has too little memory for one window of {length} frames; choose a shorter window, other "
                    "weights, or the CPU"
                ) from error
        halves = slice(0, count // 2), slice(count // 2, None)
        return [part for rows in halves for part in self._lift([x if x is None else x[rows] for x in inputs], flip)]


@contextmanager
def _one_thread() -> Iterator[None]:
    """PyTorch computes with one thread: the last digits depend on their number, and more are no faster here."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
