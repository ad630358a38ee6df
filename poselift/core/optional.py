"""Import of optional packages."""

import importlib
import importlib.util
from types import ModuleType

from poselift.core.errors import InputError, reason
from poselift.core.telemetry import turn_off_telemetry

_TRAIN = ("torch", "pytorch_lightning", "torchmetrics", "hydra", "omegaconf", "rich", "safetensors")
_EXTRAS = dict.fromkeys(_TRAIN, "train") | dict.fromkeys(("matplotlib", "mpl_toolkits"), "plots")
"""Packages that whole modules stand on, and the extra that installs each."""


def not_installed(error: ModuleNotFoundError) -> InputError | None:
    """The error for people if an extra lacks this module.

    The extras are `train` and `plots`; None for any other module.
    """
    package = (error.name or "").partition(".")[0]
    return _missing(package, _EXTRAS[package]) if package in _EXTRAS else None


def _missing(package: str, extra: str) -> InputError:
    return InputError(f"{package} is not installed; run: pip install 'poselift[{extra}]'")


def require(package: str, extra: str) -> ModuleType:
    """The module of an optional package, with its telemetry off.

    Args:
        package: module to import.
        extra: extra of poselift that installs it.

    Raises:
        InputError: the package or one that it needs is not installed; the message has the command to install it.
    """
    spec = importlib.util.find_spec(package)
    # A folder of this name in the working one, such as the `opensim` of results, is found as a package without a file.
    if spec is None or spec.origin is None:
        raise _missing(package, extra)
    turn_off_telemetry()
    try:
        return importlib.import_module(package)
    except ImportError as error:
        again = f"run: pip uninstall {package}, and then pip install 'poselift[{extra}]'"
        raise InputError(f"{package} is installed but cannot be imported ({reason(error)}); {again}") from error
