"""Import of optional packages."""

import importlib
import importlib.util
from types import ModuleType

from poselift.core.errors import InputError


def require(package: str, extra: str) -> ModuleType:
    """The module of an optional package.

    Args:
        package: module to import.
        extra: extra of poselift that installs it.

    Raises:
        InputError: the package is not installed; the message has the command to install it.
    """
    if importlib.util.find_spec(package) is None:
        raise InputError(f"{package} is not installed; run: pip install 'poselift[{extra}]'")
    return importlib.import_module(package)
