"""Sources of live pictures: camera, file, folder of pictures, or URL."""

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

import av
import cv2
import numpy as np
from jaxtyping import UInt8

from poselift.core.errors import InputError, reason
from poselift.video.clock import StreamClock
from poselift.video.decoder import Decoder, open_url, open_video
from poselift.video.pictures import PICTURE_RATE, Pictures, decode_pictures, find_pictures
from poselift.video.probe import probe
from poselift.video.upright import Upright

_GUESSED = {"mpjpeg", "mjpeg"}
"""Formats without timestamps, which FFmpeg guesses at 25 frames a second."""


@dataclass(frozen=True)
class Picture:
    """One picture of a source.

    Attributes:
        seconds: its time by the source's own clock; None if the source has none.
        image: converts it to upright RGB. Only pictures that are used cost this time.
    """

    seconds: float | None
    image: Callable[[], UInt8[np.ndarray, "h w 3"]]


@runtime_checkable
class Source(Protocol):
    """An open source of pictures.

    Attributes:
        image_size: (width, height) of the pictures.
        own_pace: the pictures come faster than they were recorded, so each waits for its time; and the last one is the
            end. Other sources are live: they are opened again if they end.
    """

    image_size: tuple[int, int]
    own_pace: bool

    def pictures(self) -> Iterator[Picture]:
        """The pictures, as they come."""
        ...

    def close(self) -> None:
        """Closes the camera, file or connection."""
        ...


class CameraSource:
    """A camera of this computer.

    Args:
        index: number of the camera, from 0.

    Raises:
        InputError: there is no such camera, or it gives no picture.
    """

    own_pace = False

    def __init__(self, index: int) -> None:
        self._capture = _quiet_capture(index)
        if not self._capture.isOpened():
            raise InputError(f"camera {index} cannot be opened; {_cameras()}; a video file or a URL also works")
        # The driver would queue pictures, and the newest one would wait behind them.
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._first = self._read()
        if self._first is None:
            self.close()
            raise InputError(f"camera {index} gives no picture; close other programs that use it")
        self.image_size = self._first.shape[1], self._first.shape[0]

    def pictures(self) -> Iterator[Picture]:
        """The pictures, until the camera goes away; they have no times."""
        image = self._first
        while image is not None:
            yield Picture(None, partial(cv2.cvtColor, image, cv2.COLOR_BGR2RGB))
            image = self._read()

    def close(self) -> None:
        """Gives the camera back."""
        self._capture.release()

    def _read(self) -> np.ndarray | None:
        good, image = self._capture.read()
        return image if good else None


class VideoStream:
    """A video file or URL.

    Args:
        opened: context of the container and its video stream.
        name: of the source in messages.
        file: whether it is a file.

    Raises:
        InputError: it cannot be opened, or has no picture that can be decoded.
    """

    def __init__(self, opened: contextlib.AbstractContextManager, name: str, file: bool) -> None:
        with contextlib.ExitStack() as stack:
            container, stream = stack.enter_context(opened)
            # A file on a web server has a length, and HLS comes in chunks of several seconds. An RTSP server sends at
            # the pace of the video, even if it tells a length.
            kind = container.format.name
            self.own_pace = file or kind == "hls" or (bool(container.duration) and kind != "rtsp")
            if not self.own_pace:
                stream.thread_type = "SLICE"  # threads for whole frames would hold back as many frames
            self._decoded = iter(Decoder(container, stream))
            first = next(self._decoded, None)
            if first is None:
                raise InputError(f"{name}: no frame can be decoded; the video is empty or damaged")
            self._first = first
            self._upright = Upright(first, stream)
            self._clock = None if kind in _GUESSED and not file else StreamClock(first, container, stream)
            self.image_size = self._upright.width, self._upright.height
            self._stack = stack.pop_all()

    def pictures(self) -> Iterator[Picture]:
        """The pictures with their times, until the end."""
        for picture in itertools.chain([self._first], self._decoded):
            seconds = None if self._clock is None else self._clock.seconds(picture)
            yield Picture(seconds, partial(self._convert, picture))

    def close(self) -> None:
        """Closes the file or the connection."""
        self._stack.close()

    def _convert(self, picture: av.VideoFrame) -> np.ndarray:
        return self._upright(picture)


class PictureSource:
    """Pictures of a folder or name pattern, at 30 a second.

    Args:
        pictures: what to read.

    Raises:
        InputError: no picture can be decoded.
    """

    own_pace = True

    def __init__(self, pictures: Pictures) -> None:
        info = probe(pictures.path)
        self.image_size = info.width, info.height
        self._pictures = pictures

    def pictures(self) -> Iterator[Picture]:
        """The pictures, until the last one."""
        for place, image in decode_pictures(self._pictures, self.image_size, []):
            yield Picture(place / PICTURE_RATE, partial(np.asarray, image))

    def close(self) -> None:
        """Nothing is open between two pictures."""


def source_opener(text: str) -> tuple[str, Callable[[], Source]]:
    """A source's name for messages, and the function that opens it.

    Args:
        text: number of a camera (or its file, /dev/videoN), a URL, or the path of a video or of pictures.

    Raises:
        InputError: the text looks like a URL, but has no readable host, or the pictures are no series.
    """
    if camera := re.fullmatch(r"(?:/dev/video)?(\d{1,4})", text):
        index = int(camera[1])
        return f"camera {index}", lambda: CameraSource(index)
    if "://" in text:
        name = _hide_password(text)
        return name, lambda: VideoStream(open_url(text, name), name, file=False)
    path = Path(text)
    if (pictures := find_pictures(path)) is not None:
        return text, lambda: PictureSource(pictures)
    return text, lambda: VideoStream(open_video(path), text, file=True)


def _hide_password(url: str) -> str:
    try:
        place = urlsplit(url).netloc
    except ValueError as error:
        # Not the text itself: it may hold a password.
        raise InputError(f"the source is no readable URL ({reason(error)}); check the name of its host") from error
    return url.replace(place, place.rpartition("@")[2], 1) if "@" in place else url


def _quiet_capture(index: int) -> cv2.VideoCapture:
    """An opened camera; OpenCV's warnings about a missing one are left out."""
    logging = getattr(cv2.utils, "logging", cv2)  # OpenCV before 4.13 has the functions at the top
    level = logging.setLogLevel(0)
    try:
        return cv2.VideoCapture(index)
    finally:
        logging.setLogLevel(level)


def _cameras() -> str:
    """The cameras that Linux lists."""
    numbers = sorted(
        int(match[1]) for path in Path("/dev").glob("video*") if (match := re.search(r"(\d+)$", path.name))
    )
    if not numbers:
        return "no camera is connected"
    return f"connected: {', '.join(map(str, numbers))}"
