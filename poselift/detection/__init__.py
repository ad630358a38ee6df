"""2D keypoints of people: the `Detector` protocol and its backends."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from poselift.core.annotations import check_annotations, check_call
from poselift.core.choices import choose
from poselift.core.on_demand import names_on_demand
from poselift.core.optional import require
from poselift.detection.detector_protocol import Detector, PlaceDetector, Search
from poselift.detection.joined import MoveNetBlazePose
from poselift.detection.movenet import FastMoveNet, MoveNet
from poselift.detection.rtmpose import RTMPose

if TYPE_CHECKING:
    from poselift.detection.mmpose.backend import MMPose

__all__ = [
    "DETECTORS",
    "Detector",
    "FastMoveNet",
    "MMPose",
    "MoveNet",
    "MoveNetBlazePose",
    "PlaceDetector",
    "RTMPose",
    "Search",
    "build_detector",
]

_LOG = logging.getLogger(__name__)


if not TYPE_CHECKING:
    __getattr__ = names_on_demand(__name__, {"MMPose": "mmpose.backend"})  # imports torch


def _mmpose(device: str, **options: Any) -> Detector:
    require("torch", "mmpose")
    from poselift.detection.mmpose.backend import MMPose

    return MMPose(device, **options)


DETECTORS: dict[str, Callable[..., Detector]] = {
    "movenet": MoveNet,
    "movenet-blazepose": MoveNetBlazePose,
    "movenet-fast": FastMoveNet,
    "mmpose": _mmpose,
    "rtmpose": RTMPose,
}
"""Constructors of all detectors by name; each takes a device, and its own options by keyword."""


@check_annotations
def build_detector(name: str, device: str = "auto", **options: Any) -> Detector:
    """The detector with a name.

    Args:
        name: one of `DETECTORS`.
        device: "cpu", "cuda", a GPU by number such as "cuda:1", or "auto" for the one on which the detector is
            fastest: the CPU for MoveNet, a GPU for the others if there is one.
        **options: options of this detector, such as `config` and `checkpoint` of `MMPose`.

    Raises:
        InputError: no detector has this name, its weights are missing, the device cannot be used, or the detector takes
            no such option.

    Example:
        >>> import numpy as np
        >>> detector = build_detector("movenet-fast", "cpu")
        >>> [people] = detector.detect([np.zeros((120, 160, 3), np.uint8)])
        >>> len(people)
        0
    """
    build = choose("detector", name, DETECTORS)
    check_call("", build, options)
    detector = build(device, **options)
    _LOG.debug("detector %s on %s", name, device)
    return detector
