"""Telemetry of other packages, turned off before they load."""

import os

_OFF = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime from 1.32 on: a device id in HOME, and events to its maker
    "RAY_USAGE_STATS_ENABLED": "0",  # a Ray cluster that this process starts
}
"""Environment variables by which packages that poselift can load send nothing."""


def turn_off_telemetry() -> None:
    """Turns telemetry off for this process and its children.

    By the environment variables of the libraries that have it. Call it before the packages are imported: they read the
    variables once. A variable that is set stays as it is.
    """
    for name, off in _OFF.items():
        os.environ.setdefault(name, off)
