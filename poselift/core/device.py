"""The device that a command computes on."""

import ctypes
import importlib.util
import re
import sys
from pathlib import Path

from poselift.core.errors import InputError
from poselift.core.optional import require

DEVICE_HELP = "where to run: auto, cpu, cuda or cuda:1 (default: a GPU that the detector or the weights can use)"
"""Help of the option `--device`."""

_NAME = re.compile(r"auto|cpu|cuda(:\d+)?")


def check_device(name: str) -> None:
    """Raises an InputError unless the name is auto, cpu, cuda or cuda:NUMBER."""
    if not _NAME.fullmatch(name):
        raise InputError(f"there is no device {name!r}; choose auto, cpu, cuda, or a GPU by number such as cuda:1")


def choose_device(name: str) -> str:
    """The device of this name: "cpu", "cuda" or one GPU, "cuda:1".

    Args:
        name: one of these, or "auto", which is CUDA if PyTorch sees a GPU, and else the CPU.

    Raises:
        InputError: the name is another one, or PyTorch does not see the GPU.
    """
    check_device(name)
    if name == "cpu" or (name == "auto" and not (_has_gpu() and importlib.util.find_spec("torch"))):
        return "cpu"
    torch = require("torch", "train")
    if not torch.cuda.is_available():
        if name == "auto":
            return "cpu"
        raise InputError(f"PyTorch sees no GPU here for device {name}; choose cpu or auto")
    if name == "auto":
        return "cuda"
    if int(name.partition(":")[2] or 0) >= (count := torch.cuda.device_count()):
        raise InputError(f"device {name}: PyTorch sees {count} GPUs, numbered from 0; choose one of them")
    return name


def _has_gpu() -> bool:
    """Whether the driver of a GPU is there. PyTorch knows too, but takes seconds to import."""
    return Path("/dev/kfd").exists() or has_nvidia_driver()  # AMD's, which PyTorch also calls CUDA


def has_nvidia_driver() -> bool:
    """Whether the driver of an NVIDIA GPU can be loaded."""
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True
