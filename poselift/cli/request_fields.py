"""From a command's arguments to its request, a frozen dataclass."""

import argparse
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

Request = TypeVar("Request")
"""A dataclass, which mypy cannot say: hence `type: ignore` below."""


def make_request(kind: type[Request], arguments: argparse.Namespace, **made: Any) -> Request:
    """A command line's request: fields from the arguments of their names.

    The default where an argument is None.

    Args:
        kind: a dataclass.
        arguments: of the command.
        made: fields that are made of several arguments.
    """
    given = {**vars(arguments), **made}
    found = {each.name: given[each.name] for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in found.items() if value is not None})


def set_fields(request: Request, given: Mapping[str, Any]) -> Request:
    """The request with given values in its fields, at any depth.

    Args:
        request: a dataclass, whose fields may be dataclasses.
        given: values by the names of fields; None leaves a field as it is, and other names are ignored.

    Example:
        >>> from poselift.cli.lift_request import CommandRequest
        >>> request = set_fields(CommandRequest(), {"fov": 60.0, "quality": "best", "end": None, "quiet": True})
        >>> request.fov, request.detection.quality
        (60.0, 'best')
    """
    changes = {}
    for each in fields(request):  # type: ignore[arg-type]
        value = getattr(request, each.name)
        if given.get(each.name) is not None:
            changes[each.name] = given[each.name]
        elif is_dataclass(value):
            changes[each.name] = set_fields(value, given)
    return replace(request, **changes)  # type: ignore[type-var]
