"""Cells of CSV files that spreadsheets do not take for formulas."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""First letters of formulas, also in full width: https://owasp.org/www-community/attacks/CSV_Injection"""


def escape_formula(name: str) -> str:
    """A name for a cell of a CSV file; one that starts like a formula gets an apostrophe before it.

    For names that users or files give. Numbers stay numbers: they are written without this.

    Example:
        >>> escape_formula("=cmd|' /C calc'!A0"), escape_formula("ours")
        ("'=cmd|' /C calc'!A0", 'ours')
    """
    return f"'{name}" if name.startswith(_FORMULA) else name
