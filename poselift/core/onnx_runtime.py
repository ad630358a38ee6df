"""onnxruntime without its telemetry. Import it from here alone."""

from poselift.core.telemetry import turn_off_telemetry

turn_off_telemetry()

import onnxruntime  # noqa: E402 - it reads the environment while it loads

__all__ = ["onnxruntime"]
