"""Items made in a thread while earlier ones are in use."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Item = TypeVar("_Item")


def prefetch(items: Iterable[_Item], most: int) -> Iterator[_Item]:
    """The items in order, made ahead by a thread of their own.

    An error while making an item is raised here in its turn. If the caller stops early, the thread ends after the item
    that it is making.

    Args:
        items: used by the thread alone.
        most: number of items ahead, 1 or more.

    Example:
        >>> list(prefetch(iter([1, 2, 3]), 2))
        [1, 2, 3]
    """
    iterator, end = iter(items), object()
    pool = ThreadPoolExecutor(1, "poselift ahead")
    waiting = deque(pool.submit(next, iterator, end) for _ in range(most))
    try:
        while (item := waiting.popleft().result()) is not end:
            waiting.append(pool.submit(next, iterator, end))
            yield item  # type: ignore[misc]  # it is not the end
    finally:
        pool.shutdown(cancel_futures=True)
