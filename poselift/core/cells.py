"""Cells of CSV files: one format of numbers, no accidental formulas."""

import math
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""First letters of formulas, also in full width: https://owasp.org/www-community/attacks/CSV_Injection"""


def escape_formula(name: str) -> str:
    """The name with an apostrophe before it if it starts a formula.

    For names that users or files give. Numbers stay numbers: they are written without this.

    Example:
        >>> escape_formula("=cmd|' /C calc'!A0"), escape_formula("ours")
        ("'=cmd|' /C calc'!A0", 'ours')
    """
    return f"'{name}" if name.startswith(_FORMULA) else name


def format_cell(value: Any, digits: int | None = None) -> str:
    """A cell of a CSV file.

    Names are as of `escape_formula`, flags 0 or 1, and unknown numbers empty.

    Args:
        value: a name, flag, whole number or number; None or NaN if it is unknown.
        digits: after the point of a number; all that it has if None. Whole numbers have none.

    Example:
        >>> [format_cell(value, 2) for value in ("=1", True, 12, 1.0, -0.001, float("nan"), None)]
        ["'=1", '1', '12', '1.00', '0.00', '', '']
    """
    if isinstance(value, str):
        return escape_formula(value)
    if isinstance(value, int):
        return str(int(value))
    if value is None or not math.isfinite(value):
        return ""
    return repr(float(value)) if digits is None else f"{value:z.{digits}f}"  # without a negative zero
