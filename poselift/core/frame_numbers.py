"""Frame numbers in the names of pictures and files."""

import re
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from math import gcd, inf

import numpy as np

_DIGITS = 18
"""Most digits of a frame number; names may be times in nanoseconds."""
_CLEAR = 10.0
"""How many times denser one field's numbers must be than another's, to be the frame numbers where the two differ in
order: a picture's hash or the size of a file is distinct too, but its numbers are far apart."""
_SUFFIX = re.compile(r"\.[a-z][a-z0-9]{0,4}$", re.IGNORECASE)


def frame_numbers(names: Sequence[str]) -> list[int] | None:
    """The frame number in each name.

    Of several numbers, the one whose values are distinct and run on. Names are compared word by word, from the front
    and from the back. A number counts if the word around it is the same in all names, so the digits of a hash do not,
    and if no two names share its value, so a picture's width does not.

    Args:
        names: different from each other; folders and suffixes do not count.

    Returns:
        None if no number is distinct, or if two of them give the frames another order.

    Example:
        >>> frame_numbers(["walk_mp4-0004_jpg.rf.2438340f33.jpg", "walk_mp4-0003_jpg.rf.d9b81dea61.jpg"])
        [4, 3]
        >>> frame_numbers(["clip_0001_1280x720.png", "clip_0002_1280x720.png"])
        [1, 2]
        >>> frame_numbers(["a7f3.png", "19ce.png"]) is None
        True
    """
    fields = [values for values in _fields(names) if len(set(values)) == len(values)]
    if not fields:
        return None
    if len(names) == 1:
        return fields[-1]
    best = min(fields, key=sparseness)
    order = np.argsort(best)
    for other in fields:
        if (np.argsort(other) != order).any() and sparseness(other) < _CLEAR * sparseness(best):
            return None
    return best


def _fields(names: Sequence[str]) -> list[list[int]]:
    """The numbers at the same place of all names, place by place."""
    words = [re.findall(r"[^\W_]+", _SUFFIX.sub("", re.split(r"[/\\]", name)[-1])) for name in names]
    fewest = min(map(len, words), default=0)
    fields: list[list[int]] = []
    for place in (*range(fewest), *range(-fewest, 0)):
        column = [of_name[place] for of_name in words]
        if len({re.sub(r"\d+", "#", word) for word in column}) > 1:
            continue
        numbers = zip(*(re.findall(r"\d+", word) for word in column), strict=True)
        fields += [[int(number) for number in of_all] for of_all in numbers if max(map(len, of_all)) <= _DIGITS]
    return fields


def sparseness(values: Sequence[int]) -> float:
    """Steps that a field's numbers span, per name. The step is 1 for numbers without a gap."""
    ordered = sorted(values)
    step = reduce(gcd, (after - before for before, after in pairwise(ordered)))
    return (ordered[-1] - ordered[0]) / step / (len(values) - 1) if step else inf
