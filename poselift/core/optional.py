"""Optional packages: looked for here, imported where they are used."""

import importlib
import importlib.util
from types import ModuleType

from poselift.core.errors import InputError


def require(package: str, extra: str) -> ModuleType:
    """Imports an optional package.

    Args:
        package: the module to import.
        extra: the extra of poselift that installs it.

    Raises:
        InputError: it is not installed; the message has the command that installs it.
    """
    if importlib.util.find_spec(package) is None:
        raise InputError(f"{package} is not installed; run: pip install 'poselift[{extra}]'")
    return importlib.import_module(package)
