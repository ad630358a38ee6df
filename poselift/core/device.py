"""The device that a command computes on."""

import re

import torch

from poselift.core.errors import InputError

DEVICE_HELP = "where to run: auto, cpu, cuda or cuda:1 (default: a GPU if present)"
"""Help of the option `--device`."""

_NAME = re.compile(r"auto|cpu|cuda(:\d+)?")


def check_device(name: str) -> None:
    """Raises an InputError if a device has another name than auto, cpu, cuda or cuda:NUMBER."""
    if not _NAME.fullmatch(name):
        raise InputError(f"there is no device {name!r}; choose auto, cpu, cuda, or a GPU by number such as cuda:1")


def torch_device(name: str) -> torch.device:
    """The PyTorch device of this name.

    Args:
        name: "cpu", "cuda", a GPU by number such as "cuda:1", or "auto", which is CUDA if PyTorch sees a GPU, and else
            the CPU.

    Raises:
        InputError: the name is another one, or PyTorch does not see the GPU.
    """
    check_device(name)
    if name == "cpu" or (name == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise InputError(f"PyTorch sees no GPU here for device {name}; choose cpu or auto")
    device = torch.device("cuda" if name == "auto" else name)
    if (device.index or 0) >= (count := torch.cuda.device_count()):
        raise InputError(f"device {name}: PyTorch sees {count} GPUs, numbered from 0; choose one of them")
    return device
