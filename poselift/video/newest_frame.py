"""The newest frame of a live source. Frames are dropped, so that lag cannot grow."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from poselift.core.errors import InputError
from poselift.video.reader import Frame
from poselift.video.source import Picture, Source

_WAITS = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each attempt to open a source again; the last one repeats."""
_JUMP = 10.0
"""Longest believable time between two pictures of a live source, seconds: longer ones are a clock that was set."""
_POLL = 0.05
"""Seconds between two checks whether the capture ends."""
_LEAVE = 2.0
"""Seconds that a camera gets to finish its last picture when the capture ends."""


@dataclass(frozen=True)
class Captured:
    """A frame of a live source.

    Attributes:
        frame: the frame. Its index counts dropped frames too; its timestamp is in seconds from the first frame.
        arrived: `time.monotonic()` when the frame came, or when its time had come.
        dropped: number of frames before it that nobody took.
    """

    frame: Frame
    arrived: float
    dropped: int


class LiveCapture:
    """Reads a source in a thread, and holds its newest frame.

    A file plays at its own pace. A live source that goes away is opened again, with waits that grow to four seconds.

    Use it as a context; reading starts with it, so load models before.

    Args:
        opener: opens the source; called at once, and after each loss.
        name: of the source in messages.
        notice: receives a line when the source is lost, and when it is back. It is called by the capture's thread.
        waits: seconds before each attempt to open the source again.

    Attributes:
        image_size: (width, height) of the frames.

    Raises:
        InputError: the source cannot be opened.
    """

    def __init__(
        self,
        opener: Callable[[], Source],
        name: str,
        notice: Callable[[str], None] = lambda line: None,
        waits: tuple[float, ...] = _WAITS,
    ) -> None:
        self._opener, self._name, self._notice, self._waits = opener, name, notice, waits
        self._source = opener()
        self.image_size = self._source.image_size
        self._change = threading.Condition()
        self._stop = threading.Event()
        self._newest: tuple[Picture, float, float] | None = None  # with timestamp and arrival
        self._ended = False
        self._taken = self._asked_again = False  # the first frame, and the next one
        self._error: BaseException | None = None
        self._seen = self._dropped = 0
        # A daemon, because a camera driver may hang for ever.
        self._thread = threading.Thread(target=self._run, name="capture", daemon=True)

    def __enter__(self) -> "LiveCapture":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(_LEAVE)

    @property
    def own_pace(self) -> bool:
        """Whether the source is a file. It waits for its first frame to be processed."""
        return self._source.own_pace

    @property
    def seen(self) -> int:
        """Number of frames that came."""
        return self._seen

    @property
    def dropped(self) -> int:
        """Number of frames that nobody took."""
        return self._dropped

    @property
    def ended(self) -> bool:
        """Whether the last frame was taken, without an error to raise."""
        return self._ended and self._newest is None and self._error is None

    def newest(self, timeout: float) -> Captured | None:
        """The newest frame not taken yet, or None.

        None comes in time, or at the end.

        Args:
            timeout: seconds to wait.

        Raises:
            InputError: the source came back with pictures of another size.
        """
        with self._change:
            self._asked_again = self._taken
            self._change.notify_all()
            self._change.wait_for(lambda: self._newest is not None or self._ended, timeout)
            if self._newest is None:
                if self._error is not None:
                    raise self._error
                return None
            (picture, timestamp, arrived), index, dropped = self._newest, self._seen - 1, self._dropped
            self._newest, self._taken = None, True
        # Converted here and not by the thread: dropped frames then cost nothing but their decoding.
        return Captured(Frame(picture.image(), timestamp, index), arrived, dropped)

    def _run(self) -> None:
        try:
            self._read()
        except BaseException as error:
            self._error = error
        finally:
            self._source.close()
            with self._change:
                self._ended = True
                self._change.notify_all()

    def _read(self) -> None:
        """Reads until the end or a stop; reopens lost live sources."""
        first = before = None  # arrival of the first picture, and (arrival, timestamp, own time) of the last one
        while not self._stop.is_set():
            own = None
            for picture in self._source.pictures():
                arrived = time.monotonic()
                first = arrived if first is None else first
                if self._source.own_pace:
                    timestamp = picture.seconds or 0.0
                    if self._stop.wait(max(0.0, first + timestamp - arrived)):
                        return
                    arrived = max(arrived, first + timestamp)
                elif before is None:
                    timestamp = 0.0
                else:
                    timestamp = before[1] + _step(own, picture.seconds, arrived - before[0])
                own = picture.seconds
                if before is None or timestamp > before[1]:
                    before = arrived, timestamp
                    self._put(picture, timestamp, arrived)
                    if self._source.own_pace and self._seen == 1:
                        first = self._wait_for_first()
                if self._stop.is_set():
                    return
            if self._source.own_pace:
                return
            self._open_again()

    def _wait_for_first(self) -> float:
        """Holds a file until its first frame is processed. Returns the time at which its clock begins."""
        with self._change:
            while not (self._asked_again or self._stop.is_set()):
                self._change.wait(_POLL)
        return time.monotonic()

    def _put(self, picture: Picture, timestamp: float, arrived: float) -> None:
        with self._change:
            self._seen += 1
            self._dropped += self._newest is not None
            self._newest = picture, timestamp, arrived
            self._change.notify()

    def _open_again(self) -> None:
        """Tries until the source is back."""
        self._source.close()
        self._notice(f"{self._name} is gone; trying to open it again")
        attempt = 0
        while not self._stop.wait(self._waits[min(attempt, len(self._waits) - 1)]):
            attempt += 1
            try:
                source = self._opener()
            except InputError:
                continue
            self._source = source
            if source.image_size != self.image_size:
                raise InputError(
                    f"{self._name} came back with pictures of {source.image_size}, not {self.image_size}; start again"
                )
            self._notice(f"{self._name} is back")
            return


def _step(before: float | None, now: float | None, elapsed: float) -> float:
    """Seconds from one picture to the next.

    The source's own clock tells it, or, if that is impossible, the pictures' arrival.
    """
    if before is None or now is None or not 0 < now - before < _JUMP:
        return elapsed
    return now - before
