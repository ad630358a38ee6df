"""What the results of a video depend on, as plain data: content of files instead of their names, and all options."""

import argparse
import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poselift.cli.detector import DEFAULT_DETECTOR
from poselift.core.files import sha256
from poselift.lifting.kept_detections import DETECTION_VERSION
from poselift.models.weights import shipped_weights

_DETECTION = (
    "start",
    "end",
    "fps",
    "quality",
    "detector",
)
_FILES = (
    "mmpose_config",
    "mmpose_checkpoint",
    "mmpose_person_detector",
    "mmpose_person_checkpoint",
    "model",
    "person_model",
)
"""Options that change the detections; lifting again with others needs no picture. Some may name files."""
_LIFTING = (
    "skeleton",
    "threshold",
    "no_flip",
    "no_constant_bones",
    "world",
    "person",
    "height",
    "fov",
    "intrinsics",
    "no_render",
    "formats",
)
"""The other options that change the results. The device is none of them."""


@dataclass(frozen=True)
class Settings:
    """What the results of a video depend on, beside its content.

    Attributes:
        detection: as JSON has it.
        lifting: as JSON has it.
    """

    detection: dict[str, Any]
    lifting: dict[str, Any]

    def key(self, content: str, detector: dict[str, str]) -> str:
        """Stands for the detections of a video.

        Args:
            content: SHA-256 of the video.
            detector: SHA-256 of each weight file of the detector.
        """
        depends = [content, self.detection, detector, DETECTION_VERSION]
        return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings of a video.

    Args:
        options: of `poselift lift`.

    Raises:
        OSError: a file cannot be read.
    """
    weights = Path(shipped_weights().get(str(options.weights), options.weights))
    detection = {name: getattr(options, name) for name in _DETECTION}
    detection |= {name: _of_file(getattr(options, name)) for name in _FILES}
    detection["detector"] = options.detector or DEFAULT_DETECTOR
    lifting = {name: getattr(options, name) for name in _LIFTING}
    lifting["weights"] = [_of_file(str(weights)), _of_file(str(weights.with_suffix(".json")))]
    # As it is read again: keys are text, tuples are lists.
    return Settings(json.loads(json.dumps(detection)), json.loads(json.dumps(lifting)))


@functools.cache
def _of_file(value: Any) -> Any:
    """The SHA-256 of a file, if the value is the name of one."""
    return sha256(value) if isinstance(value, str) and Path(value).is_file() else value
