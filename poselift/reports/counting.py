"""Multiply-adds and peak memory of a computation, counted instead of timed."""

import warnings
import weakref
from collections.abc import Callable, Sequence
from math import log2, prod
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode


def multiply_adds(call: Callable[[], object]) -> float:
    """The multiply-adds of a computation on the CPU.

    They are half the operations of matrix products, convolutions and Fourier transforms. A Fourier transform of n
    complex numbers has 5 n log2(n) operations, as in FFTW's benchmarks (https://www.fftw.org/speed/method.html).
    Element-wise operations do not count. The counter cannot see the fused kernels of attention and of oneDNN's LSTM,
    so plain ones replace them.

    Args:
        call: runs the computation.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "TF32 acceleration on top of oneDNN")  # the switch warns of another one
        with (
            torch.no_grad(),
            sdpa_kernel(SDPBackend.MATH),
            torch.backends.mkldnn.flags(enabled=False),
            FlopCounterMode(display=False, custom_mapping={torch.ops.aten._fft_c2c: _fourier}) as counter,
        ):
            call()
    return counter.get_total_flops() / 2


def peak_bytes(call: Callable[[], object]) -> int:
    """The peak of the bytes of all tensors that a computation makes.

    The work space of a kernel does not count, nor do tensors from before.

    Args:
        call: runs the computation.
    """
    with torch.no_grad(), _Held() as held:
        call()
    return held.peak


def _fourier(shape: Sequence[int], dims: Sequence[int], *_: object, **__: object) -> float:
    """The operations of a complex tensor's Fourier transform.

    The transform is over some of its axes.
    """
    return 5 * prod(shape) * log2(prod(shape[dim] for dim in dims))


class _Held(TorchDispatchMode):
    """Adds up the sizes of live tensors that operations make."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.peak = 0
        self._known: weakref.WeakSet[torch.UntypedStorage] = weakref.WeakSet()

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for tensor in tree_leaves((args, kwargs)):
            if isinstance(tensor, Tensor):
                self._known.add(tensor.untyped_storage())
        out = function(*args, **(kwargs or {}))
        for tensor in tree_leaves(out):
            # A view shares its storage with what it is a view of.
            if isinstance(tensor, Tensor) and not function.is_view:
                self._add(tensor.untyped_storage())
        return out

    def _add(self, storage: torch.UntypedStorage) -> None:
        if storage in self._known:
            return
        self._known.add(storage)
        self.now += storage.nbytes()
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self._release, storage.nbytes())

    def _release(self, size: int) -> None:
        self.now -= size
