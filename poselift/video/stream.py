"""A video file opened with FFmpeg, and a decoder that survives damage."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import av
from av.container import InputContainer
from av.stream import Disposition
from av.video.stream import VideoStream

from poselift.core.errors import InputError

_PATIENCE = 10.0
"""Seconds for which a server may say nothing."""


@contextlib.contextmanager
def open_video(path: str | os.PathLike[str]) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The opened file and its video stream, decoded with threads.

    Raises:
        InputError: the file is missing, is not a video, or has only sound or a still picture.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such file; check the path of the video")
    if not path.is_file():
        raise InputError(f"{path} is not a file; give one video file")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes); copy or record the video again")
    try:
        # Without the prefix, FFmpeg takes a name with a colon for a URL.
        container = av.open(f"file:{path}")
    except PermissionError as error:
        raise InputError(f"{path} cannot be read: permission denied; change the file's permissions") from error
    except av.error.FFmpegError as error:
        reason = error.strerror or error
        raise InputError(
            f"{path} cannot be opened as a video ({reason}); it is damaged or another kind of file"
        ) from error
    with container:
        yield container, _video_stream(container, str(path))


@contextlib.contextmanager
def open_url(url: str, name: str) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The opened stream of a camera or server and its video stream, decoded with threads.

    Opening and each wait for data end after ten seconds.

    Args:
        url: such as rtsp://HOST/PATH or http://HOST/PATH.
        name: of the stream in messages, without a password.

    Raises:
        InputError: the address gives no video.
    """
    # RTSP over TCP: lost UDP packets damage pictures, and many routers drop them all.
    options = {"rtsp_transport": "tcp"} if url.startswith("rtsp") else {}
    try:
        container = av.open(url, timeout=_PATIENCE, options=options)
    except (av.error.FFmpegError, OSError, ValueError) as error:
        reason = "no answer" if isinstance(error, av.error.ExitError) else getattr(error, "strerror", None) or error
        raise InputError(
            f"{name} cannot be opened ({reason}); check the address, and that the camera or server is on"
        ) from error
    with container:
        yield container, _video_stream(container, name)


def _video_stream(container: InputContainer, name: str) -> VideoStream:
    """The video stream of a container, set up for decoding with threads."""
    stream = container.streams.best("video")
    # The cover of a sound file is a video stream of one picture; FFmpeg reads .txt as terminal art.
    if not isinstance(stream, VideoStream) or stream.disposition & Disposition.attached_pic:
        raise InputError(f"{name} has no video stream; give a video")
    if container.format.name == "tty":
        raise InputError(f"{name} is a text file, not a video; give a video")
    if container.format.name.endswith("_pipe") or container.format.name == "image2":
        raise InputError(f"{name} is a still picture, not a video; give a video")
    stream.thread_type = "AUTO"
    return stream


class Decoder:
    """Decodes a stream from the current position of its container, and skips damaged packets.

    Attributes:
        damaged: number of packets so far that could not be decoded.
    """

    def __init__(self, container: InputContainer, stream: VideoStream) -> None:
        self.container = container
        self.stream = stream
        self.damaged = 0

    def __iter__(self) -> Iterator[av.VideoFrame]:
        packets = self.container.demux(self.stream)
        while True:
            try:
                packet = next(packets, None)
            except av.error.FFmpegError:
                # The file cannot be read further; the decoder still has good pictures.
                self.damaged += 1
                yield from self._decoded(None)
                return
            if packet is None:
                return
            if packet.is_corrupt:
                self.damaged += 1
            else:
                yield from self._decoded(packet)

    def _decoded(self, packet: av.Packet | None) -> list[av.VideoFrame]:
        """The pictures that a packet completes; the last ones for None."""
        try:
            return self.stream.codec_context.decode(packet)
        except av.error.FFmpegError:
            self.damaged += 1
            return []
