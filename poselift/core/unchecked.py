"""Frozen values made from checked ones, without a second check.

A value's constructor checks what people, files and networks give. The stages inside change values that were checked
there: they go through these functions.
"""

from dataclasses import fields
from typing import Any, TypeVar

_Value = TypeVar("_Value")


def build_unchecked(kind: type[_Value], /, **values: Any) -> _Value:
    """A dataclass's instance whose `__post_init__` does not run.

    Args:
        kind: the dataclass.
        values: of all its fields, as the class wants them.

    Raises:
        TypeError: a field is missing, or unknown.
    """
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if names != values.keys():
        raise TypeError(f"{kind.__name__} has the fields {sorted(names)}, not {sorted(values)}")
    made = object.__new__(kind)
    vars(made).update(values)
    return made


def replace_unchecked(value: _Value, /, **changes: Any) -> _Value:
    """A dataclass's instance with other values, without checks. The rest is as with `dataclasses.replace`.

    Raises:
        TypeError: it has no such field.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Share:
        ...     value: float
        >>> replace_unchecked(Share(0.5), value=0.25)
        Share(value=0.25)
    """
    own = {field.name: getattr(value, field.name) for field in fields(value)}  # type: ignore[arg-type]
    return build_unchecked(type(value), **(own | changes))
