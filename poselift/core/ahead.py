"""Items made in a thread while earlier ones are in use."""

import contextlib
import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

_Item = TypeVar("_Item")


def make_ahead(items: Iterable[_Item], most: int) -> Iterator[_Item]:
    """The items in order, made by a thread of their own, a few ahead.

    An error while making an item is raised here in its turn. If the caller stops early, the thread ends after the item
    that it is making.

    Args:
        items: used by the thread alone.
        most: largest number of items that wait, 1 or more: the thread pauses at so many.

    Example:
        >>> list(make_ahead(iter([1, 2, 3]), 2))
        [1, 2, 3]
    """
    waiting: queue.Queue[tuple[_Item | None, BaseException | None, bool]] = queue.Queue(most)
    stopped = threading.Event()

    def put(entry: tuple[_Item | None, BaseException | None, bool]) -> None:
        while not stopped.is_set():
            with contextlib.suppress(queue.Full):
                waiting.put(entry, timeout=0.1)
                return

    def work() -> None:
        try:
            for item in items:
                put((item, None, False))
                if stopped.is_set():
                    return
            put((None, None, True))
        except BaseException as error:  # raised again where the items are used
            put((None, error, True))

    thread = threading.Thread(target=work, name="poselift ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error, last = waiting.get()
            if error is not None:
                raise error
            if last:
                return
            yield item  # type: ignore[misc]
    finally:
        stopped.set()
        thread.join()
