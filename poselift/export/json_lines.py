"""A live stream as JSON lines: a header, then frames."""

import contextlib
import io
import json
import math
import queue
import threading
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from jaxtyping import Float

from poselift.core.errors import WriteError
from poselift.core.files import atomic_path
from poselift.skeleton.hand import SIDES
from poselift.structures import Hands, LiveFrame, StreamedPose

FORMAT = "poselift stream 1"
"""First field of the header. The number changes when readers must change."""

_WAITING = 64
"""Lines that wait for a slow reader, about two seconds."""


def header_line(**facts: Any) -> str:
    """The first line: the format and facts about the stream, as JSON.

    Args:
        **facts: such as the joints' names, which the lines of the frames do not repeat.

    Example:
        >>> header_line(joints=["pelvis", "left_hip"])
        '{"format":"poselift stream 1","joints":["pelvis","left_hip"]}'
    """
    return _json({"format": FORMAT, **facts})


def frame_line(frame: LiveFrame) -> str:
    """A frame's line, as JSON without a line break. docs/stream.md describes it."""
    return _json(
        {
            "frame": frame.index,
            "time": round(frame.timestamp, 6),
            "dropped": frame.dropped,
            "latency_ms": round(1000 * frame.latency, 1),
            "looked": frame.looked,
            "present": list(frame.present),
            "people": [_person(number, pose) for number, pose in sorted(frame.people.items())],
        }
    )


def _person(number: int, pose: StreamedPose) -> dict[str, Any]:
    line = {
        "person": number,
        "time": round(pose.timestamp, 6),
        "interpolated": pose.interpolated,
        "root": _metres(pose.root),
        "joints": [_metres(joint) for joint in pose.joints],
        "uncertainty": None if pose.uncertainty is None else _metres(pose.uncertainty),
        "seen": None if pose.seen is None else pose.seen.tolist(),
    }
    return line if pose.hands is None else {**line, "hands": _hands(pose.hands)}


def _hands(hands: Hands) -> dict[str, Any]:
    """Both hands of one frame; None for one that is not seen."""
    return {
        side: {"score": round(float(score), 3), "joints": [_metres(joint) for joint in joints]} if seen else None
        for side, joints, score, seen in zip(SIDES, hands.joints[0], hands.scores[0], hands.seen[0], strict=True)
    }


def _metres(values: Float[np.ndarray, " n"]) -> list[float | None]:
    """Rounded to 0.01 mm; None for NaN, which JSON does not have."""
    return [round(value, 5) if math.isfinite(value) else None for value in values.tolist()]


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


class LineWriter:
    """Writes lines in a thread: slow readers do not slow the stream.

    If more than 64 lines wait, the oldest is left out.

    Args:
        file: open text file; it stays open.

    Attributes:
        lost: number of lines that were left out.
        failed: the error that ended the writing, such as a BrokenPipeError of a reader that has left; None before.
    """

    def __init__(self, file: TextIO | io.TextIOBase) -> None:
        self.lost = 0
        self.failed: OSError | None = None
        self._file = file
        self._lines: queue.Queue[str | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._write, name="lines", daemon=True)
        self._thread.start()

    def send(self, line: str | None) -> None:
        """Hands over a line, or the end; returns at once."""
        while True:
            try:
                return self._lines.put_nowait(line)
            except queue.Full:
                with contextlib.suppress(queue.Empty):  # the writer was faster
                    self._lines.get_nowait()
                    self.lost += 1

    def close(self, patience: float = 2.0) -> None:
        """Waits until all lines are written, at most some seconds."""
        self.send(None)
        self._thread.join(patience)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                self._file.write(line + "\n")
                self._file.flush()
            except OSError as error:
                self.failed = error
                return


class LinesFile(io.TextIOBase):
    """A file of lines that other programs read while it grows.

    It gets its name with its second line, complete and at once. An earlier file of this name stays until then.

    Args:
        path: of the file. A pipe is written into as it is.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._header, self._discarded = path, "", False
        self._file: TextIO | None = None
        if path.exists() and not path.is_file():
            self._file = path.open("w", encoding="utf-8", newline="\n")

    def write(self, text: str) -> int:
        """Adds a line."""
        if self._file is not None:
            return self._file.write(text)
        if not self._header:
            self._header = text
        else:
            self._begin(self._header + text)
        return len(text)

    def flush(self) -> None:
        """Makes the lines visible to readers."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes the file. A stream without a second line leaves its header, unless that is discarded."""
        if self._file is None and self._header and not self._discarded:
            self._begin(self._header)
        file, self._file, self._header = self._file, None, ""
        if file is not None:
            file.close()
        super().close()

    def discard(self) -> None:
        """Forgets a header that gets no second line: an earlier file stays."""
        self._discarded = True

    def _begin(self, text: str) -> None:
        try:
            with atomic_path(self._path) as temporary:
                temporary.write_bytes(text.encode())
        except WriteError as error:
            self.discard()  # a header alone might fit
            raise error.__cause__ if isinstance(error.__cause__, OSError) else OSError(str(error)) from error
        self._file = self._path.open("a", encoding="utf-8", newline="\n")
