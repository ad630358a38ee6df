"""A window that shows a stream, by Python's own tkinter."""

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType

import cv2
import numpy as np
from jaxtyping import UInt8

from poselift.core.errors import InputError

_KEYS = ("q", "<Escape>")


@contextlib.contextmanager
def _explain(what: str) -> Iterator[None]:
    """Turns Tk's display errors into an `InputError`. It begins with `what`."""
    try:
        yield
    except _import_tkinter().TclError as error:
        raise InputError(f"{what}: {error}; use --no-window") from error


class Window:
    """A window for pictures; q or Esc closes it. Use it in the main thread only, after `check_display`.

    Args:
        title: of the window.
        size: (width, height) of the pictures.

    Attributes:
        open: whether nobody closed it.

    Raises:
        InputError: Python has no tkinter, or the display or the window is gone.
    """

    def __init__(self, title: str, size: tuple[int, int]) -> None:
        self._tk = _import_tkinter()
        with _explain("no window can be opened"):
            self._root = self._tk.Tk()
        self._root.title(title)
        self._root.geometry("{}x{}".format(*size))
        self._picture = self._tk.PhotoImage(master=self._root, format="ppm")
        place = self._tk.Label(self._root, image=self._picture, borderwidth=0, background="black")
        place.pack(expand=True, fill="both")
        for key in _KEYS:
            self._root.bind(key, self._shut)
        self._root.protocol("WM_DELETE_WINDOW", self._shut)
        self._root.update()
        self.open = True

    @_explain("the window is gone")
    def show(self, image: UInt8[np.ndarray, "h w 3"]) -> None:
        """Shows an RGB picture, as large as the window has room for."""
        room = min(self._root.winfo_width() / image.shape[1], self._root.winfo_height() / image.shape[0])
        if room != 1:
            width, height = (max(1, round(side * room)) for side in image.shape[1::-1])
            image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
        header = b"P6 %d %d 255 " % image.shape[1::-1]
        self._picture.configure(data=b"".join((header, np.ascontiguousarray(image).data)))
        self.poll()

    @_explain("the window is gone")
    def poll(self) -> None:
        """Handles keys and the close button; call it some times a second."""
        self._root.update()

    def close(self) -> None:
        """Removes the window, if it is still there."""
        with contextlib.suppress(self._tk.TclError):
            self._root.destroy()

    def _shut(self, event: object = None) -> None:
        self.open = False


def check_display() -> None:
    """Raises an error if no window can be opened.

    Raises:
        InputError: there is no display, or Python has no tkinter.
    """
    tk = _import_tkinter()
    if sys.platform.startswith("linux"):  # others always have one
        with _explain("no window can be opened"):
            tk.Tk().destroy()


def _import_tkinter() -> ModuleType:
    """Python's own library of windows, which some systems leave out."""
    try:
        import tkinter
    except ModuleNotFoundError as error:
        raise InputError(
            "no window can be opened: this Python has no tkinter; install python3-tk (Debian, Ubuntu), python3-tkinter "
            "(Fedora) or python-tk (Homebrew), or use --no-window"
        ) from error
    return tkinter
