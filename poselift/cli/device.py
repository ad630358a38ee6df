"""The device that a command computes on."""

import torch

from poselift.core.errors import InputError


def torch_device(name: str) -> torch.device:
    """A device of PyTorch's.

    Args:
        name: "cpu", "cuda", or "auto": CUDA where there is a GPU, else the CPU.

    Raises:
        InputError: another name, or CUDA where there is no GPU.
    """
    if name not in ("auto", "cpu", "cuda"):
        raise InputError(f"device {name!r} is not known; choose auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("device cuda was asked for, but PyTorch sees no GPU here; choose cpu or auto")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
