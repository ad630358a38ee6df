"""ONNX models opened with onnxruntime, on the CPU or on a CUDA device."""

from pathlib import Path

import onnxruntime

from poselift.core.device import check_device
from poselift.core.errors import InputError
from poselift.core.threads import core_limit


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
    check_device(device)
    wanted, _, number = device.partition(":")
    if not path.is_file():
        raise InputError(f"model {path}: no such file; check the path")
    offered = "CUDAExecutionProvider" in onnxruntime.get_available_providers()
    providers: list[str | tuple[str, dict[str, int]]] = ["CPUExecutionProvider"]
    if wanted == "cuda" or (wanted == "auto" and offered):
        providers.insert(0, ("CUDAExecutionProvider", {"device_id": int(number or 0)}))
    if wanted == "cuda" and not offered:
        raise InputError(
            f"device {device}: this onnxruntime has no CUDA; choose cpu, or run: pip uninstall onnxruntime && "
            "pip install onnxruntime-gpu (the two do not work side by side)"
        )
    try:
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads or core_limit()
        # Threads that wait for work must not take the core of another network.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = onnxruntime.InferenceSession(path, settings, providers=providers)
    except Exception as error:  # onnxruntime's exceptions have no common base
        raise InputError(f"model {path} cannot be used by onnxruntime: {' '.join(str(error).split())}") from error
    # If CUDA's libraries do not load, onnxruntime falls back to the CPU with a mere log line.
    if wanted == "cuda" and "CUDAExecutionProvider" not in session.get_providers():
        raise InputError(
            f"device {device}: onnxruntime could not load CUDA; check the driver and the CUDA libraries, or choose cpu"
        )
    return session
