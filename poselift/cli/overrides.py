"""Hydra overrides as text. A path may have letters that mean something to Hydra."""

import re
from collections.abc import Sequence
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException


def override(key: str, value: Any) -> str:
    """The override of a key by a value or list.

    Text is quoted only if Hydra would read it otherwise.

    Example:
        >>> override("data.root", "/data/Human3.6M"), override("data.root", "/data/Human3.6M (new)")
        ('data.root=/data/Human3.6M', 'data.root="/data/Human3.6M (new)"')
        >>> override("data.corpus", ["a.npz", "b.npz"]), override("data.bench", None)
        ('data.corpus=[a.npz,b.npz]', 'data.bench=null')
    """
    return f"{key}={_text(value)}"


def quote(text: str, mark: str = "'") -> str:
    """The text in quotation marks, which Hydra reads as it is.

    Example:
        >>> quote("o'b.npz") == "'o" + chr(92) + "'b.npz'"
        True
    """
    # Hydra reads a backslash as itself, except before the mark.
    escaped = re.sub(rf"(\\*)({mark}|$)", lambda m: m[1] * 2 + (f"\\{mark}" if m[2] else ""), text)
    return f"{mark}{escaped}{mark}"


def _text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{','.join(_text(element) for element in value)}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return str(value)
    return value if _reads_as(value, value) else quote(value, '"')


def _reads_as(text: str, value: str) -> bool:
    """Whether Hydra reads the text as this value, also in lists."""
    try:
        alone = OverridesParser.create().parse_override(f"key={text}").value()
        listed = OverridesParser.create().parse_override(f"key=[{text}]").value()
    except HydraException:
        return False
    return bool(alone == value and listed == [value])
