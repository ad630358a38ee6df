"""ONNX models opened with onnxruntime, on CPU or CUDA."""

import contextlib
import io
import os
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from threading import Lock

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.device import check_device, has_nvidia_driver
from poselift.core.errors import InputError, lacks_memory, reason
from poselift.core.onnx_runtime import onnxruntime
from poselift.core.threads import core_limit

_AT_ONCE = 32
"""Most pictures of a batch."""
_INSTALL = "pip install 'onnxruntime-gpu[cuda,cudnn]'"
_VNNI = 23
"""Number of the CPU feature AVX512-VNNI in OpenCV's cvdef.h; OpenCV has no name for it in Python."""


class Session:
    """A model of pictures that is opened when it is first needed.

    Args:
        path: the ONNX file.
        device: as in `open_session`.
        threads: likewise.

    Raises:
        InputError: the device is unknown, or onnxruntime has no CUDA for it.
    """

    def __init__(self, path: Path, device: str, threads: int = 0) -> None:
        wants_cuda(device)  # an unusable device is an error at once
        self._path, self._device, self._threads = path, device, threads
        self._lock = Lock()

    def open(self) -> None:
        """Opens the model if necessary; any thread may call this."""
        with self._lock:
            self._opened  # noqa: B018 - reading it opens the model

    def run(self, pictures: Sequence[UInt8[np.ndarray, "h w 3"]]) -> Float[np.ndarray, "n ..."]:
        """The model's first output for pictures, in one batch if possible."""
        self.open()
        (given,), parts = self._opened.get_inputs(), []
        step = 1 if given.shape[0] == 1 else _AT_ONCE
        for start in range(0, len(pictures), step):
            some = pictures[start : start + step]
            # CUDA's convolutions are chosen anew for each size of a batch. Blank pictures keep it to powers of two.
            blank = [np.zeros_like(some[0])] * ((1 << (len(some) - 1).bit_length()) - len(some))
            found = self._opened.run(None, {given.name: np.stack([*some, *blank]).astype(np.int32)})[0]
            parts.append(found[: len(some)])
        return np.concatenate(parts).astype(np.float64)

    @cached_property
    def _opened(self) -> onnxruntime.InferenceSession:
        return open_session(self._path, self._device, self._threads)


def wants_cuda(device: str) -> bool:
    """Whether models go to a GPU.

    Args:
        device: as in `open_session`.

    Raises:
        InputError: the device is unknown, or onnxruntime has no CUDA for it.
    """
    check_device(device)
    offered = "CUDAExecutionProvider" in onnxruntime.get_available_providers()
    if device.startswith("cuda") and not offered:
        raise InputError(
            f"device {device}: this onnxruntime has no CUDA; choose cpu, or run: pip uninstall onnxruntime && "
            f"{_INSTALL} (the two do not work side by side)"
        )
    # onnxruntime offers CUDA on machines without a GPU too, where the graphs for GPUs are slow.
    return offered and (device.startswith("cuda") or (device == "auto" and has_nvidia_driver()))


def open_session(path: Path, device: str, threads: int = 0) -> onnxruntime.InferenceSession:
    """The opened model.

    Args:
        path: the ONNX file.
        device: "cpu", "cuda", a GPU by number such as "cuda:1", or "auto" for CUDA if onnxruntime offers it.
        threads: CPU threads of one run; 0 for as many as this process may use. For runs side by side in
            `poselift.core.threads.pool`, 1 is faster: two small networks on a core each never wait for each other.

    Raises:
        InputError: the file is missing or cannot be read, the device is unknown, or onnxruntime cannot use CUDA.
    """
    on_gpu = wants_cuda(device)
    wanted, _, number = device.partition(":")
    if not path.is_file():
        raise InputError(f"model {path}: no such file; check the path")
    providers: list[str | tuple[str, dict[str, int | str]]] = ["CPUExecutionProvider"]
    if on_gpu:
        _load_cuda()
        # Trying all algorithms takes two seconds for each size of a batch (benchmarks/gpu.md).
        cuda: dict[str, int | str] = {"device_id": int(number or 0), "cudnn_conv_algo_search": "HEURISTIC"}
        providers.insert(0, ("CUDAExecutionProvider", cuda))
    try:
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads or core_limit()
        settings.log_severity_level = 4  # its errors are raised; it would print them too
        # Threads that wait for work must not take the core of another network.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if not cv2.checkHardwareSupport(_VNNI):
            # Sums of products of 8 bits would overflow on CPUs with AVX2 alone.
            settings.add_session_config_entry("session.x64quantprecision", "1")
        # Bytes only where the path is not UTF-8, which onnxruntime refuses: the 8-bit models share another file's data.
        model = path if os.fsencode(path).decode(errors="replace") == str(path) else path.read_bytes()
        session = onnxruntime.InferenceSession(model, settings, providers=providers)
    except Exception as error:  # onnxruntime's exceptions have no common base
        if lacks_memory(error):
            raise
        raise InputError(f"model {path} cannot be used by onnxruntime: {reason(error)}") from error
    # If CUDA's libraries do not load, onnxruntime falls back to the CPU with a mere log line.
    if wanted == "cuda" and "CUDAExecutionProvider" not in session.get_providers():
        raise InputError(
            f"device {device}: onnxruntime could not load CUDA; check the driver, install CUDA's libraries with "
            f"{_INSTALL}, or choose cpu"
        )
    return session


@cache
def _load_cuda() -> None:
    """Loads CUDA's libraries where pip has put them. onnxruntime itself finds only those of the system."""
    if hasattr(onnxruntime, "preload_dlls"):  # since 1.21
        with contextlib.redirect_stdout(io.StringIO()):  # it prints what it does not find
            onnxruntime.preload_dlls()
