"""Checks of the arrays that people give from Python. Each error names the array."""

import numpy as np
from numpy.ma import MaskedArray  # np.ma would load it in the thread that checks first

from poselift.core.errors import InputError


def count_rows(values: object) -> int:
    """The length of an array; 0 for anything else, which `check_shapes` refuses."""
    return len(values) if isinstance(values, np.ndarray) and values.ndim else 0


def check_shapes(owner: object, what: str, **shapes: tuple[int, ...]) -> None:
    """Checks that attributes are arrays of real numbers of these shapes.

    Raises:
        InputError: they are not.
    """
    for name, shape in shapes.items():
        value = getattr(owner, name)
        if not isinstance(value, np.ndarray) or isinstance(value, MaskedArray):
            raise InputError(f"{name} is a {type(value).__name__}; give a numpy array, with NaN for what is unknown")
        if value.dtype.kind not in "fiub":
            raise InputError(f"{name} has the type {value.dtype}; give real numbers")
        if value.shape != shape:
            raise InputError(f"{name} has the shape {value.shape}; {what} need {shape}")


def refuse_infinity(name: str, values: np.ndarray) -> None:
    """Checks that no value is infinite; NaN is allowed.

    Raises:
        InputError: one is.
    """
    if np.isinf(values).any():
        raise InputError(f"{name} has infinity; give NaN for what is unknown")


def check_scores(name: str, scores: np.ndarray) -> None:
    """Checks that scores are from 0 to 1.

    Raises:
        InputError: they are not.
    """
    if not ((scores >= 0) & (scores <= 1)).all():
        raise InputError(
            f"{name} are from {scores.min():g} to {scores.max():g}; scale them to 0 to 1, with 0 for unseen joints"
        )
