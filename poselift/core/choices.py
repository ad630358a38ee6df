"""Choosing a part by its name, with an error that helps."""

from collections.abc import Mapping
from typing import TypeVar

from poselift.core.errors import InputError, meant

T = TypeVar("T")


def choose(kind: str, name: str, choices: Mapping[str, T]) -> T:
    """The choice of this name.

    Example:
        >>> choose("colour", "red", {"red": 1, "blue": 2})
        1
        >>> choose("colour", "blu", {"red": 1, "blue": 2})
        Traceback (most recent call last):
        poselift.core.errors.InputError: no colour is called 'blu'; do you mean blue? Choose one of: red, blue

    Args:
        kind: what is chosen, for the message.
        name: of the choice.
        choices: all choices by name.

    Raises:
        InputError: no choice has this name. The message names the nearest and lists all.
    """
    if name in choices:
        return choices[name]
    hint = " ".join(filter(None, (meant(str(name), choices), f"Choose one of: {', '.join(choices) or 'none'}")))
    raise InputError(f"no {kind} is called {name!r}; {hint}")
