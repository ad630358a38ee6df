"""Lazy imports: modules of a package that load when used."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def names_on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__` (PEP 562) that imports some names late.

    The package also imports these names under `TYPE_CHECKING`, and calls this function where a type checker does not
    look: a `__getattr__` that it sees makes every name a name of the package. Several threads may ask at once, because
    an import waits for the one that is under way.

    Args:
        package: its `__name__`.
        homes: the module of each name, within the package.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)

    return find
