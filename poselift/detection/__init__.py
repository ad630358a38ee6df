"""Who is in a picture, and where their joints are: the `Detector` protocol and its backends."""

from collections.abc import Callable
from typing import Any

from poselift.core.errors import InputError
from poselift.detection.detector import Detector
from poselift.detection.mmpose import MMPose
from poselift.detection.movenet import MoveNet
from poselift.detection.rtmpose import RTMPose

__all__ = ["DETECTORS", "Detector", "MMPose", "MoveNet", "RTMPose", "build_detector"]

DETECTORS: dict[str, Callable[..., Detector]] = {
    "movenet": MoveNet,
    "movenet-fast": lambda device: MoveNet(device, fast=True),
    "mmpose": MMPose,
    "rtmpose": RTMPose,
}
"""Every detector by name; each is built with the device it shall run on, and options of its own by keyword."""


def build_detector(name: str, device: str = "auto", **options: Any) -> Detector:
    """A detector by name.

    Args:
        name: one of `DETECTORS`.
        device: "cpu", "cuda", or "auto": CUDA where it can be used, else the CPU.
        **options: of this detector, e.g. the `config` and `checkpoint` of `MMPose`.

    Raises:
        InputError: there is no such detector, its weights are missing, or the device cannot be used.
    """
    if name not in DETECTORS:
        raise InputError(f"no detector is called {name!r}; there are {', '.join(DETECTORS)}")
    return DETECTORS[name](device, **options)
