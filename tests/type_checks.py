"""Annotated types are checked in tests: the checks of a function are made when it is first called."""

import dataclasses
import functools
import inspect

import jaxtyping
from beartype.roar import BeartypeCallHintViolation

_jaxtyped = jaxtyping.jaxtyped
_axes = _jaxtyped("context")  # sizes of axes are those of one call


def jaxtyped(thing=None, *, typechecker=None):
    """Stands in for `jaxtyping.jaxtyped`, in less than half of its time.

    That one makes the checks of all functions at import, binds the arguments of each call for its messages, and looks
    at them twice. This one looks once, at arguments and result together. It knows no axes of the form "{argument}".
    """
    if thing is None:
        return functools.partial(jaxtyped, typechecker=typechecker)
    if inspect.isclass(thing):
        unchecked = getattr(thing, "__no_type_check__", False) or hasattr(thing.__init__, "checks_when_called")
        if dataclasses.is_dataclass(thing) and not unchecked:
            thing.__init__ = jaxtyped(thing.__init__, typechecker=typechecker)
        return thing
    config = jaxtyping.config
    checked = None

    @functools.wraps(thing)
    def call(*arguments, **named):
        __tracebackhide__ = True
        nonlocal checked
        if config.jaxtyping_disable:
            return thing(*arguments, **named)
        if checked is None:
            checked = _jaxtyped(thing, typechecker=typechecker) if _is_special(thing) else typechecker(thing)
        try:
            with _axes:
                return checked(*arguments, **named)
        except BeartypeCallHintViolation as error:
            raise jaxtyping.TypeCheckError(str(error)) from None

    call.checks_when_called = True
    return call


def _is_special(function):
    """Whether it yields, or has annotations in quotes: they may name what only type checkers import."""
    quoted = any(isinstance(annotation, str) for annotation in function.__annotations__.values())
    return quoted or inspect.isgeneratorfunction(function)
