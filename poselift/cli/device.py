"""The device that a command computes on."""

import torch

from poselift.core.errors import InputError


def torch_device(name: str) -> torch.device:
    """The PyTorch device of this name.

    Args:
        name: "cpu", "cuda", or "auto", which is CUDA if PyTorch sees a GPU, and else the CPU.

    Raises:
        InputError: the name is another one, or PyTorch sees no GPU for "cuda".
    """
    if name not in ("auto", "cpu", "cuda"):
        raise InputError(f"there is no device {name!r}; choose auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("PyTorch sees no GPU here for device cuda; choose cpu or auto")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
