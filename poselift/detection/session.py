"""Opens ONNX models with onnxruntime, on the CPU or on a CUDA device."""

from pathlib import Path

import onnxruntime

from poselift.core.errors import InputError

DEVICES = ("auto", "cpu", "cuda")


def open_session(path: Path, device: str) -> onnxruntime.InferenceSession:
    """Opens one model.

    Args:
        path: the ONNX file.
        device: "cpu", "cuda", or "auto": CUDA where onnxruntime offers it, else the CPU.

    Raises:
        InputError: the file is missing or cannot be read, the device is not one of these, or CUDA was asked for and
            onnxruntime cannot use it.
    """
    if device not in DEVICES:
        raise InputError(f"device {device!r} is not one of {', '.join(DEVICES)}")
    if not path.is_file():
        raise InputError(f"model {path}: no such file")
    offered = "CUDAExecutionProvider" in onnxruntime.get_available_providers()
    providers = ["CPUExecutionProvider"]
    if device == "cuda" or (device == "auto" and offered):
        providers.insert(0, "CUDAExecutionProvider")
    if device == "cuda" and not offered:
        raise InputError(
            "device cuda: this onnxruntime has no CUDA; take cpu, or run: pip uninstall onnxruntime && "
            "pip install onnxruntime-gpu (side by side the two do not work)"
        )
    try:
        session = onnxruntime.InferenceSession(path, providers=providers)
    except Exception as error:  # onnxruntime's exceptions have no base of their own
        raise InputError(f"model {path} cannot be used by onnxruntime: {' '.join(str(error).split())}") from error
    # onnxruntime falls back to the CPU with no more than a log line when CUDA's own libraries do not load.
    if device == "cuda" and "CUDAExecutionProvider" not in session.get_providers():
        raise InputError(
            "device cuda: onnxruntime could not load CUDA; check the driver and CUDA's libraries, or take cpu"
        )
    return session
