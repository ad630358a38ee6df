"""Who is in a picture, and where their joints are: the `Detector` protocol and its backends."""

from collections.abc import Callable

from poselift.core.errors import InputError
from poselift.detection.detector import Detector
from poselift.detection.movenet import MoveNet

__all__ = ["DETECTORS", "Detector", "MoveNet", "build_detector"]

DETECTORS: dict[str, Callable[[str], Detector]] = {
    "movenet": lambda device: MoveNet(device),
    "movenet-fast": lambda device: MoveNet(device, fast=True),
}
"""Every detector by name; each is built with the device it shall run on."""


def build_detector(name: str, device: str = "auto") -> Detector:
    """A detector by name.

    Args:
        name: one of `DETECTORS`.
        device: "cpu", "cuda", or "auto": CUDA where it can be used, else the CPU.

    Raises:
        InputError: there is no such detector, its weights are missing, or the device cannot be used.
    """
    if name not in DETECTORS:
        raise InputError(f"no detector is called {name!r}; there are {', '.join(DETECTORS)}")
    return DETECTORS[name](device)
