"""Annotated types are checked in tests: the checks of a function are made when it is first called."""

import dataclasses
import functools
import inspect

import jaxtyping

_jaxtyped = jaxtyping.jaxtyped


def jaxtyped(thing=None, *, typechecker=None):
    """Stands in for `jaxtyping.jaxtyped`, which makes the checks of all functions at import: five seconds."""
    if thing is None:
        return functools.partial(jaxtyped, typechecker=typechecker)
    if inspect.isclass(thing):
        unchecked = getattr(thing, "__no_type_check__", False) or hasattr(thing.__init__, "checks_when_called")
        if dataclasses.is_dataclass(thing) and not unchecked:
            thing.__init__ = jaxtyped(thing.__init__, typechecker=typechecker)
        return thing
    checked = None

    @functools.wraps(thing)
    def call(*arguments, **named):
        __tracebackhide__ = True
        nonlocal checked
        if jaxtyping.config.jaxtyping_disable:
            return thing(*arguments, **named)
        if checked is None:
            checked = _jaxtyped(thing, typechecker=typechecker)
        return checked(*arguments, **named)

    call.checks_when_called = True
    return call
