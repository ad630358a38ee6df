"""A fingerprint of a training's settings.

By it a report tells seeds of one training from other trainings.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

_ANY = {
    "seed",
    "output",
    "resume",
    "overwrite",
    "name",
    "compile",
    "logger",
    "trainer.accelerator",
    *(f"callbacks.{name}" for name in ("last", "mean_pose", "time_left", "progress", "lr")),
}
"""Settings in which seeds of one training may differ: names, places, and what does not change the weights."""

_ANYWHERE = {"seed", "path", "folder", "root"}
"""The same, in any part of the config."""


def training_sha256(config: Mapping[str, Any]) -> str:
    """The SHA-256 of the settings that seeds of one training share.

    Of paths only the last part counts, because folders differ; of weights to initialise from, not even their name.

    Args:
        config: of `poselift train`, as the card of its weights has it.
    """
    return hashlib.sha256(json.dumps(_select(config, ""), sort_keys=True).encode()).hexdigest()


def _select(value: Any, key: str) -> Any:
    """The settings at a dotted key that count."""
    if isinstance(value, Mapping):
        dotted = {name: f"{key}.{name}".lstrip(".") for name in value}
        return {
            name: _select(below, dotted[name])
            for name, below in value.items()
            if dotted[name] not in _ANY and name not in _ANYWHERE
        }
    if isinstance(value, list):
        return [_select(element, key) for element in value]
    if isinstance(value, str):
        path = PurePath(value)
        return path.suffix if key == "init" and path.suffix else path.name
    return value
