"""Choices by name; errors suggest names close to a mistyped one."""

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

from poselift.core.errors import InputError

T = TypeVar("T")


def choose(kind: str, name: str, choices: Mapping[str, T]) -> T:
    """The choice of this name.

    Args:
        kind: what the choices are, for the message.
        name: of the choice.
        choices: all choices by name.

    Raises:
        InputError: there is no such choice; the message names the closest ones and lists all.

    Example:
        >>> choose("letter", "alpha", {"alpha": 1, "beta": 2})
        1
    """
    if name in choices:
        return choices[name]
    hints = [did_you_mean(str(name), choices), f"there are {', '.join(choices) or 'none'}"]
    raise InputError(f"no {kind} is called {name!r}; {' '.join(filter(None, hints))}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question with up to three close names, or nothing.

    Names that contain the given one come first; without such names, those of similar spelling. Case and punctuation do
    not count.

    Args:
        name: as the user wrote it.
        known: all names that exist.

    Example:
        >>> did_you_mean("smal1", ["small", "tiny"])
        "did you mean 'small'?"
    """

    def plain(text: str) -> str:
        return "".join(filter(str.isalnum, text.lower()))

    known = list(known)
    close = [each for each in known if plain(name) and plain(name) in plain(each)]
    close = close or difflib.get_close_matches(name, known, cutoff=0.5)
    return f"did you mean {', '.join(map(repr, close[:3]))}?" if close else ""
