"""A window that shows a stream."""

import os
import subprocess
import sys

import cv2
import numpy as np
from jaxtyping import UInt8

from poselift.core.errors import InputError

_KEYS = (ord("q"), 27)  # q and Esc
_TRY = "import cv2; cv2.namedWindow('poselift')"


class Window:
    """A window for pictures; q or Esc closes it. Use it in the main thread only, after `check_display`.

    Args:
        title: of the window.
        size: (width, height) of the pictures.

    Attributes:
        open: whether nobody closed it.

    Raises:
        InputError: OpenCV was built without windows.
    """

    def __init__(self, title: str, size: tuple[int, int]) -> None:
        self._title = title
        try:
            cv2.namedWindow(title, cv2.WINDOW_NORMAL | cv2.WINDOW_KEEPRATIO | cv2.WINDOW_GUI_NORMAL)
            cv2.resizeWindow(title, *size)
        except cv2.error as error:
            raise _no_display("this OpenCV was built without windows") from error
        self.open = True

    def show(self, image: UInt8[np.ndarray, "h w 3"]) -> None:
        """Shows an RGB picture."""
        cv2.imshow(self._title, cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
        self.poll()

    def poll(self) -> None:
        """Handles keys and the close button; call it some times a second."""
        if cv2.waitKey(1) & 0xFF in _KEYS or cv2.getWindowProperty(self._title, cv2.WND_PROP_VISIBLE) < 1:
            self.open = False

    def close(self) -> None:
        """Removes the window."""
        cv2.destroyAllWindows()
        cv2.waitKey(1)


def check_display() -> None:
    """Raises an error if no window can be opened.

    Raises:
        InputError: there is no display.
    """
    if not sys.platform.startswith("linux"):
        return
    display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    if not display:
        raise _no_display("no display is set")
    # The window system's library ends the whole process if the display does not answer.
    if subprocess.run([sys.executable, "-c", _TRY], capture_output=True, check=False).returncode:
        raise _no_display(f"the display {display} does not answer")


def _no_display(reason: str) -> InputError:
    return InputError(f"no window can be opened: {reason}; use --no-window")
