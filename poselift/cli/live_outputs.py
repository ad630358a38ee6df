"""The outputs of `poselift stream`."""

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TextIO

import numpy as np

from poselift.core.errors import InputError, WriteError, reason
from poselift.core.files import check_writable, remove_partial_of
from poselift.detection import Detector
from poselift.export.json_lines import LinesFile, LineWriter, frame_line
from poselift.export.osc import OscSender
from poselift.export.websocket import WebSocketLines
from poselift.lifting.live.live_people import PeopleLifter
from poselift.structures import LiveFrame
from poselift.viz import LiveView, Window


@dataclass(frozen=True)
class OutputRequest:
    """Where the poses of a stream go. Without a window and a file, JSON lines go to stdout.

    Attributes:
        window: whether to show them.
        lines: a file for JSON lines.
        osc: host and port of the receiver of OSC messages.
        websocket: host and port at which to serve the JSON lines.
    """

    window: bool = True
    lines: Path | None = None
    osc: tuple[str, int] | None = None
    websocket: tuple[str, int] | None = None


class LiveOutputs:
    """All outputs of a request; use it as a context.

    Args:
        request: the outputs.
        header: first JSON line.
        image_size: (width, height) of the pictures.
        detector: whose keypoints the window draws.
        lifter: whose poses come.

    Attributes:
        ending: how the user ends the stream.

    Raises:
        InputError: an output cannot be opened.
    """

    def __init__(
        self,
        request: OutputRequest,
        header: str,
        image_size: tuple[int, int],
        detector: Detector,
        lifter: PeopleLifter,
    ) -> None:
        self._lines: LineWriter | None = None
        self._file: LinesFile | None = None
        self._name = request.lines or "to the standard output"
        self._osc: OscSender | None = None
        self._web: WebSocketLines | None = None
        self._window: Window | None = None
        self.ending = "q or Esc in the window" if request.window else "Ctrl-C"
        with contextlib.ExitStack() as stack:
            if request.osc is not None:
                host, port = request.osc
                self._osc = stack.enter_context(contextlib.closing(OscSender(host, port, lifter.skeleton)))
            if request.websocket is not None:
                host, port = request.websocket
                self._web = stack.enter_context(contextlib.closing(WebSocketLines(header, port, host)))
            if request.window:
                self._view = LiveView(image_size, detector.skeleton, lifter.skeleton)
                self._window = stack.enter_context(contextlib.closing(Window("poselift stream", self._view.size)))
            if request.lines is not None or not request.window:
                file: TextIO | LinesFile = sys.stdout
                if request.lines is not None:
                    file = self._file = stack.enter_context(contextlib.closing(_open(request.lines)))
                self._lines = stack.enter_context(contextlib.closing(LineWriter(file)))
                self._lines.send(header)
            self._stack = stack.pop_all()

    def __enter__(self) -> "LiveOutputs":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        failed = None
        if kind is not None:
            self.keep_earlier()
        try:
            self._stack.close()
        except OSError as late:  # the last lines of the file
            failed = late
        if self._lines is not None:
            failed = self._lines.failed or failed
        if failed is None:
            return
        if not isinstance(failed, BrokenPipeError):
            why = reason(failed)
            raise WriteError(f"cannot write {self._name}: {why}; free some space, or choose another file")
        # Otherwise Python flushes stdout at its end, and complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def keep_earlier(self) -> None:
        """Leaves an earlier file as it is until a frame is written."""
        if self._file is not None:
            self._file.discard()

    @property
    def open(self) -> bool:
        """Whether somebody still looks. The window is open, and the reader of the lines did not leave."""
        return (self._window is None or self._window.open) and (self._lines is None or self._lines.failed is None)

    @property
    def lost(self) -> int:
        """Number of lines that a slow reader missed."""
        return 0 if self._lines is None else self._lines.lost

    def send(self, frame: LiveFrame, image: np.ndarray) -> None:
        """Hands a frame to all outputs.

        Args:
            frame: the people in it.
            image: its picture, RGB.
        """
        if self._osc is not None:
            self._osc.send(frame)
        if self._lines is not None or self._web is not None:
            line = frame_line(frame)
            for output in (self._lines, self._web):
                if output is not None:
                    output.send(line)
        if self._window is not None:
            self._window.show(self._view.render(image, frame))

    def poll(self) -> None:
        """Handles the window while no frame comes."""
        if self._window is not None:
            self._window.poll()


def _open(path: Path) -> LinesFile:
    check_writable(path.parent)
    if path.is_dir():
        raise InputError(f"--out {path} is a folder; give a file")
    remove_partial_of(path)
    return LinesFile(path)
