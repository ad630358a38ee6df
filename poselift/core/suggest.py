"""The one home of "did you mean": finds the known name that is most like a mistyped one."""

import difflib
from collections.abc import Iterable


def nearest(wanted: str, known: Iterable[str]) -> str | None:
    """The known name most like the wanted one, if any.

    A name that contains the wanted one comes first, the shortest of several. Case and punctuation do not count.

    Args:
        wanted: the name that was not found.
        known: all names that would have been found.

    Returns:
        One of the known names; None where none is similar.

    Example:
        >>> nearest("smal1", ["small", "tiny"])
        'small'
        >>> nearest("rtmdet", ["rtmpose-m", "RTMDet-m"])
        'RTMDet-m'
        >>> nearest("xyz", ["small", "tiny"]) is None
        True
    """
    by_letters = {_letters(name): name for name in known}
    letters = _letters(wanted)
    containing = [name for name in by_letters if letters and letters in name]
    found = sorted(containing, key=len)[:1] or difflib.get_close_matches(letters, by_letters, n=1, cutoff=0.5)
    return by_letters[found[0]] if found else None


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
