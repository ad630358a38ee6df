"""Choosing a part by its name, with an error that helps."""

import difflib
from collections.abc import Mapping
from typing import TypeVar

from poselift.core.errors import InputError

T = TypeVar("T")


def choose(kind: str, name: str, choices: Mapping[str, T]) -> T:
    """The choice of this name.

    Args:
        kind: what is chosen, for the message.
        name: of the choice.
        choices: all there are.

    Raises:
        InputError: there is no such choice; the message names the nearest and lists all.
    """
    if name in choices:
        return choices[name]
    near = difflib.get_close_matches(str(name), choices, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise InputError(f"no {kind} is called {name!r}; {hint}there are {', '.join(choices) or 'none'}")
