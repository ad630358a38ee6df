"""What a video's results depend on, as plain data.

That is its request, with the content of files in place of their names.
"""

import functools
import hashlib
import json
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from poselift.cli.batch.kept_detections import DETECTION_VERSION
from poselift.cli.lift_request import CommandRequest
from poselift.core.files import sha256
from poselift.models.saved_weights import shipped_weights


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


def find_settings(request: CommandRequest) -> Settings:
    """A video's settings: all fields of its request that change results.

    Raises:
        OSError: a file cannot be read.
    """
    lifting = _plain(request)
    detection = lifting.pop("detection")
    files = request.detection.detector.files
    detection["detector"]["files"] = {name: _hash_file(value) for name, value in files.items()}
    weights = Path(shipped_weights().get(request.weights, request.weights))
    lifting["weights"] = [_hash_file(str(weights)), _hash_file(str(weights.with_suffix(".json")))]
    # As it is read again: keys are text, tuples are lists.
    return Settings(json.loads(json.dumps(detection)), json.loads(json.dumps(lifting)))


def _plain(value: Any) -> Any:
    """A dataclass as a dict of its compared fields, at any depth. Other values are unchanged."""
    if not is_dataclass(value):
        return value
    return {each.name: _plain(getattr(value, each.name)) for each in fields(value) if each.compare}


@functools.cache
def _hash_file(value: str) -> str:
    """A file's SHA-256, if the value is a file's name."""
    return sha256(value) if Path(value).is_file() else value
