"""Whether values that users write fit the annotations of what takes them."""

import functools
import inspect
import math
import os
import pathlib
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    ParamSpec,
    Required,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from poselift.core.errors import InputError, shorten

Count = Annotated[int, 1, math.inf]
"""A number of things, of which there is at least one."""
Whole = Annotated[int, 0, math.inf]
"""A whole number that may be 0."""
Amount = Annotated[float, 0.0, math.inf]
"""A number that is not negative."""
Share = Annotated[float, 0.0, 1.0]
"""A share, such as that of dropout."""

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

_PLAIN = {bool: "true or false", int: "a whole number", float: "a number", str: "text", type(None): "null"}
"""Kinds of one value, and their names for people."""
_GROUP = "a group of keys"
_NUMBERS = (int, float)
_PATHS = (os.PathLike, pathlib.Path)
_LISTS = (Sequence, Iterable, Collection, list, tuple)
_GROUPS = (Mapping, dict)


def check_value(key: str, kind: Any, value: Any) -> Any:
    """The value in the type that its annotation asks for.

    A whole number becomes a float, and a number becomes text, where the annotation asks for these. Other conversions
    would be guesses: true is no number, 2.0 is no whole number, and infinity is refused.

    Args:
        key: names the value in messages.
        kind: the annotation: plain types, `Literal`, lists, mappings and unions of them; `Annotated` with the smallest
            and the largest number. A value of another class is not looked at, but text, a number or a list that cannot
            be of this class is refused.
        value: plain data.

    Raises:
        InputError: the value does not fit.

    Example:
        >>> check_value("depth", float, 3)
        3.0
        >>> check_value("skeletons", Mapping[str, float] | None, {"coco17": "abc"})
        Traceback (most recent call last):
        poselift.core.errors.InputError: skeletons.coco17=abc must be a number
    """
    origin = get_origin(kind) or kind
    if kind is Any or isinstance(kind, str) or kind is inspect.Parameter.empty:
        return value
    if origin in (Required, NotRequired):
        return check_value(key, get_args(kind)[0], value)
    if origin is Annotated:
        kind, least, most = get_args(kind)
        if not least <= check_value(key, kind, value) <= most:
            wanted = (
                f"{_name(kind)}, {least:g} or more" if math.isinf(most) else f"a number from {least:g} to {most:.10g}"
            )
            raise InputError(f"{key}={_text(value)} must be {wanted}")
        return check_value(key, kind, value)
    if origin in (Union, types.UnionType):
        return _checked_union(key, get_args(kind), value)
    if origin is Literal:
        if value not in get_args(kind):
            choices = ", ".join(map(_text, get_args(kind)))
            raise InputError(f"{key}={_text(value)} is not known; choose {choices}")
        return value
    if kind in (str, *_PATHS) or origin in _PATHS:
        if type(value) in _NUMBERS:  # a name such as 2026 is a number to Hydra
            return str(value)
        fits = isinstance(value, str | os.PathLike)
    elif kind in _NUMBERS:
        fits = type(value) is int or (kind is float and type(value) is float)
        if fits and not abs(value) <= sys.float_info.max:  # NaN neither
            raise InputError(f"{key}={value} must be a finite number")
        value = float(value) if fits and kind is float else value
    elif kind in _PLAIN:
        fits = value is None if kind is type(None) else type(value) is kind
    elif origin in _LISTS:
        fits = isinstance(value, Sequence) and not isinstance(value, str)
        if fits:
            return _checked_elements(key, kind, value)
    elif origin in _GROUPS:
        fits = isinstance(value, Mapping)
        if fits and get_args(kind)[:1] == (int,):
            for name in value:
                check_value(f"a key of {key}", int, name)
        if fits and len(get_args(kind)) == 2:
            return {name: check_value(f"{key}.{name}", get_args(kind)[1], each) for name, each in value.items()}
    else:
        fits = not isinstance(value, bool | int | float | str | None) and (
            not isinstance(value, list) or hasattr(origin, "__getitem__")
        )
    if not fits:
        raise InputError(f"{key}={_text(value)} must be {_name(kind)}")
    return value


def check_call(key: str, target: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A call's arguments by name, converted to the target's annotations.

    Args:
        key: names the group of arguments in messages; "" for none.
        target: a function or class.
        arguments: those that are known; others may be added later.

    Raises:
        InputError: the target takes no such argument, or a value does not fit.
    """
    kinds, others = annotations_of(target)
    found = {}
    for name, value in arguments.items():
        if name not in kinds and others is None:
            taker = getattr(target, "__name__", str(target)).removesuffix("Config")
            raise InputError(f"{taker} takes no {name}; leave it out")
        found[name] = check_value(f"{key}.{name}".lstrip("."), kinds.get(name, others), _plain(value))
    return found


def check_annotations(call: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """The function with its arguments checked: for entries that people call. A wrong kind raises an InputError."""
    signature = inspect.signature(call)
    kinds = annotations_of(call)[0]

    @functools.wraps(call)
    def checked_call(*values: _Given.args, **named: _Given.kwargs) -> _Result:
        for name, value in signature.bind(*values, **named).arguments.items():
            _check_argument(name, kinds.get(name, Any), value)
        return call(*values, **named)

    return checked_call


def _check_argument(name: str, kind: Any, value: Any) -> None:
    """Raises an InputError for an argument of the wrong kind."""
    either = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    others = (Any, inspect.Parameter.empty, *_PLAIN, *_PATHS)
    classes = [each for each in either if inspect.isclass(each) and each not in others]
    if isinstance(value, str) and "://" in value and any((get_origin(each) or each) in _PATHS for each in either):
        raise InputError(f"{name}={_text(value)} is a URL; give a file of this machine")
    if any(get_origin(each) is Callable for each in either) and not (value is None or callable(value)):
        raise InputError(f"{name}={_text(value)} must be a function")
    given = [each for each in either if each is not type(None)]
    whole = given[0] if len(given) == 1 else kind
    origin, [*_, element] = get_origin(whole), get_args(whole) or [Any]
    one_kind = origin is not tuple or get_args(whole)[-1:] == (...,)
    if one_kind and origin in (*_LISTS, *_GROUPS) and inspect.isclass(element) and element not in others:
        fits = isinstance(value, Mapping if origin in _GROUPS else Sequence)
        for each in (value.values() if isinstance(value, Mapping) else value) if fits else ():
            _check_argument(f"an element of {name}", element, each)
        if fits and origin in _LISTS and not isinstance(value, str):
            return  # each element is of its class; as plain data, an array would be a list
    if not classes:
        value = _plain(value)
        if isinstance(check_value(name, kind, value), str) and type(value) in _NUMBERS:
            raise InputError(f"{name}={value} must be {_name(str)}")
    elif inspect.isclass(value):  # it has the methods of its instances
        raise InputError(f"{name} is the class {value.__name__}; give an instance of it")
    elif not isinstance(value, tuple(classes)) and not (value is None and type(None) in either):
        wanted = " or ".join(f"a {each.__name__}" for each in classes)
        raise InputError(f"{name} is a {type(value).__name__}; give {wanted}")


def _plain(value: Any) -> Any:
    """The value with Python's own numbers, lists and mappings, not numpy's."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, set | frozenset | list | tuple):
        return [_plain(each) for each in value]
    return {_plain(key): _plain(each) for key, each in value.items()} if isinstance(value, dict) else value


def annotations_of(target: Callable[..., Any]) -> tuple[dict[str, Any], Any]:
    """The annotation of each argument, and of any others.

    Those of `**common: Unpack[...]` are among them. None if there are none.
    """
    kinds: dict[str, Any] = {}
    others = None
    for name, parameter in inspect.signature(target).parameters.items():
        if get_origin(parameter.annotation) is Unpack:
            [common] = get_args(parameter.annotation)
            kinds |= get_type_hints(common, include_extras=True)
        elif parameter.kind is parameter.VAR_KEYWORD:
            others = parameter.annotation
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            kinds[name] = parameter.annotation
    return kinds, others


def _checked_union(key: str, kinds: Sequence[Any], value: Any) -> Any:
    """The value as the first of the kinds that it fits."""
    number = type(value) in _NUMBERS and bool(set(kinds) & set(_NUMBERS))  # it is then no text
    tried = [kind for kind in kinds if not (number and kind is str)]
    tried.sort(key=lambda kind: kind is float)  # a whole number stays one where it may
    whole = f"{key}={_text(value)} "
    for kind in tried:
        try:
            return check_value(key, kind, value)
        except InputError as error:
            choice = get_origin(kind) is Literal and str(error).startswith(whole)
            if not choice and str(error) != f"{whole}must be {_name(kind)}":  # it is of this kind, and wrong
                raise
    names = dict.fromkeys(map(_name, kinds))
    if set(names) - {_GROUP, _PLAIN[type(None)]}:  # a class among them is nothing to write in a config
        names.pop(_GROUP, None)
    raise InputError(f"{whole}must be {' or '.join(names)}")


def _checked_elements(key: str, kind: Any, value: Sequence[Any]) -> Any:
    """A list or tuple with checked elements; lists may become tuples."""
    parts = get_args(kind)
    if get_origin(kind) is tuple and parts and parts[-1] is not Ellipsis:
        if len(value) != len(parts):
            raise InputError(f"{key}={_text(value)} must be a list of {len(parts)}")
        return tuple(check_value(f"{key}.{place}", *each) for place, each in enumerate(zip(parts, value, strict=True)))
    element = parts[0] if parts else Any
    found = [check_value(f"{key}.{place}", element, each) for place, each in enumerate(value)]
    return tuple(found) if isinstance(value, tuple) else found


def _name(kind: Any) -> str:
    """The kind for people."""
    origin = get_origin(kind) or kind
    if kind in _PLAIN:
        return _PLAIN[kind]
    if origin in _PATHS:
        return _PLAIN[str]
    if origin is Literal:
        return f"one of {', '.join(map(_text, get_args(kind)))}"
    if origin is Annotated:
        return _name(get_args(kind)[0])
    if origin in _LISTS:
        of = get_args(kind)[:1]
        return {(int,): "a list of whole numbers", (float,): "a list of numbers"}.get(of, "a list")
    return _GROUP


def _text(value: Any) -> str:
    """The value as an override has it; else its class."""
    if not isinstance(value, str | bytes | int | float | list | tuple | Mapping | os.PathLike | None):
        return f"<{type(value).__name__}>"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else shorten(str(value))
