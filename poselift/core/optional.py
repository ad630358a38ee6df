"""Import of optional packages."""

import importlib
import importlib.util
from types import ModuleType

from poselift.core.errors import InputError, reason


def require(package: str, extra: str) -> ModuleType:
    """The module of an optional package.

    Args:
        package: module to import.
        extra: extra of poselift that installs it.

    Raises:
        InputError: the package or one that it needs is not installed; the message has the command to install it.
    """
    if importlib.util.find_spec(package) is None:
        raise InputError(f"{package} is not installed; run: pip install 'poselift[{extra}]'")
    try:
        return importlib.import_module(package)
    except ImportError as error:
        again = f"run: pip uninstall {package}, and then pip install 'poselift[{extra}]'"
        raise InputError(f"{package} is installed but cannot be imported ({reason(error)}); {again}") from error
