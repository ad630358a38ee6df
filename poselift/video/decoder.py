"""A video file opened with FFmpeg, and a decoder that survives damage."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer
from av.stream import Disposition
from av.video.stream import VideoStream

from poselift.core.endings import HEIF_ENDINGS
from poselift.core.errors import InputError

_PATIENCE = 10.0
"""Seconds for which a server may say nothing."""

_FILE_PATIENCE = 120.0
"""Seconds for which a drive may say nothing: slow ones need a while to wake up."""

_LISTS = (b"#EXTM3U", b"ffconcat")
"""How the playlists of HLS and of FFmpeg's concat begin."""

_ANIMATED = 2
"""Flag of an animation in byte 20 of WebP's extended format."""

_VIDEOS = (
    "apng apv asf av1 avi avs2 avs3 cavsvideo cine dhav dirac dnxhd dv evc flv gif gxf h261 h263 h264 hevc hxvs ifv "
    "ivf jpegxl_anim kux live_flv luodat lxf m4v matroska mjpeg mov mpeg mpegts mpegvideo mpjpeg mxf mxg nsv nut nuv "
    "obu ogg pva rm ser smjpeg swf ty vc1 vvc wtv yuv4mpegpipe"
)
_OTHERS = "aac ac3 aiff amr au caf dts eac3 flac image2 mp3 tty truehd w64 wav webvtt wv"
"""Sounds and pictures, which get an error of their own."""
_FORMATS = ",".join(
    [*_VIDEOS.split(), *_OTHERS.split(), *sorted(name for name in av.formats_available if name.endswith("_pipe"))]
)
"""FFmpeg's formats that may be opened, by their short names: each reads its own bytes. Others, such as concat, hls and
sdp, open whatever files and addresses their content names, for any time."""
_FORMATS_OF_URLS = f"{_FORMATS},hls,rtp,rtsp"
"""A stream consists of parts."""
_ONE_FILE = {
    "format_whitelist": _FORMATS,
    "protocol_whitelist": "file",
    "pattern_type": "none",  # a name with % is no pattern of names
}
"""Options of FFmpeg that keep it inside of the file that is given."""

_ANY_METADATA: dict[str, Any] = {"metadata_errors": "replace"} if int(av.__version__.partition(".")[0]) < 19 else {}
"""Texts in a file that are not UTF-8 are no error; from PyAV 19 on they never are."""

_MOST_PENDING = 1000
"""Calls at most for the last pictures: more than any decoder has threads and pictures in waiting."""


@contextlib.contextmanager
def open_video(path: str | os.PathLike[str]) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The opened file and its video stream, decoded with threads.

    Raises:
        InputError: the file is missing, is not a video, or has only sound or a still picture.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such file; check the path of the video")
    if path.is_dir():
        raise InputError(f"{path} is a folder without pictures; give one video, or a folder of .png or .jpg pictures")
    if not path.is_file():
        raise InputError(f"{path} is not a file; give one video file")
    if path.suffix.lower() in HEIF_ENDINGS:
        raise InputError(f"{path} is a picture of a kind that poselift does not read; save it as .jpg or .png")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes); copy or record the video again")
    try:
        with path.open("rb") as file:
            start = file.read(21).ljust(21)
        if start.startswith(_LISTS):
            raise InputError(f"{path} is a playlist, not a video; give one of the videos that it names")
        if start[8:16] == b"WEBPVP8X" and start[20] & _ANIMATED:
            raise InputError(
                f"{path} is an animated WebP, which FFmpeg cannot decode; convert it to GIF or H.264 (.mp4)"
            )
        container = open_file(path, timeout=_FILE_PATIENCE)
    except PermissionError as error:
        raise InputError(f"{path} cannot be read: permission denied; change the file's permissions") from error
    except av.error.FFmpegError as error:
        # Of a format that is not in the list, FFmpeg says "Invalid argument".
        unknown = isinstance(error, av.error.ArgumentError)
        reason = "no format that poselift reads" if unknown else error.strerror or error
        raise InputError(
            f"{path} cannot be opened as a video ({reason}); it is damaged or another kind of file"
        ) from error
    with _open_stream(container, str(path)) as opened:
        yield opened


def open_file(path: Path, timeout: float) -> InputContainer:
    """The container of a file, opened by FFmpeg without any other file.

    Args:
        path: the file.
        timeout: seconds for which the drive may say nothing.

    Raises:
        FFmpegError: it cannot be opened, or is a list of other files.
    """
    # Without the prefix, FFmpeg takes a name with a colon for a URL.
    return av.open(f"file:{path}", options=dict(_ONE_FILE), timeout=timeout, **_ANY_METADATA)


@contextlib.contextmanager
def open_url(url: str, name: str) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The opened stream of a camera or server, decoded with threads.

    Its video stream comes with it. Opening and each wait for data end after ten seconds.

    Args:
        url: such as rtsp://HOST/PATH or http://HOST/PATH.
        name: of the stream in messages, without a password.

    Raises:
        InputError: the address gives no video.
    """
    # RTSP over TCP: lost UDP packets damage pictures, and many routers drop them all.
    options = {"format_whitelist": _FORMATS_OF_URLS} | ({"rtsp_transport": "tcp"} if url.startswith("rtsp") else {})
    try:
        container = av.open(url, timeout=_PATIENCE, options=options, **_ANY_METADATA)
    except (av.error.FFmpegError, OSError, ValueError) as error:
        reason = "no answer" if isinstance(error, av.error.ExitError) else getattr(error, "strerror", None) or error
        raise InputError(
            f"{name} cannot be opened ({reason}); check the address, and that the camera or server is on"
        ) from error
    with _open_stream(container, name) as opened:
        yield opened


@contextlib.contextmanager
def _open_stream(container: InputContainer, name: str) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its video stream. At the end the decoder's threads are idle and the container is closed."""
    with container:
        stream = _video_stream(container, name)
        try:
            yield container, stream
        finally:
            # A thread that reports an error needs Python's lock, which freeing a busy decoder would not let it have.
            for _ in Decoder(container, stream).finish():
                pass


def _video_stream(container: InputContainer, name: str) -> VideoStream:
    """The video stream of a container, set up for decoding with threads."""
    stream = container.streams.best("video")
    # The cover of a sound file is a video stream of one picture; FFmpeg reads .txt as terminal art.
    if not isinstance(stream, VideoStream) or stream.disposition & Disposition.attached_pic:
        raise InputError(f"{name} has no video stream; give a video")
    if container.format.name == "tty":
        raise InputError(f"{name} is a text file, not a video; give a video")
    if container.format.name.endswith("_pipe") or container.format.name == "image2":
        raise InputError(f"{name} is a still picture with the name of something else; rename it to .png or .jpg")
    # FFmpeg knows the container but not the codec; PyAV types it as if there were always one.
    if stream.codec_context is None:
        raise InputError(f"{name} has video of an unknown codec; convert it to H.264 (.mp4) first")
    stream.thread_type = "AUTO"
    return stream


class Decoder:
    """Decodes a stream from its container's position, skipping damaged packets.

    Attributes:
        damaged: number of packets so far that could not be decoded.
        repeated: number of pictures so far that the file leaves out because they are like the one before.
    """

    def __init__(self, container: InputContainer, stream: VideoStream) -> None:
        self.container = container
        self.stream = stream
        self.damaged = self.repeated = 0

    def __iter__(self) -> Iterator[av.VideoFrame]:
        packets = self.container.demux(self.stream)
        while True:
            try:
                packet = next(packets, None)
            except av.error.FFmpegError:
                # The file cannot be read further; the decoder still has good pictures.
                self.damaged += 1
                packet = None
            if packet is None:
                yield from self.finish()
                return
            # Empty are PyAV's mark of the end, and pictures that AVI leaves out because they are like the one before.
            if not packet.size:
                self.repeated += packet.dts is not None
                continue
            if packet.is_corrupt:
                self.damaged += 1
                continue
            try:
                yield from self.stream.codec_context.decode(packet)
            except av.error.FFmpegError:
                self.damaged += 1

    def finish(self) -> Iterator[av.VideoFrame]:
        """The pictures that the decoder still has."""
        for _ in range(_MOST_PENDING):
            try:
                # After a picture with an error, PyAV keeps back the others until the next call.
                yield from self.stream.codec_context.decode(None)
            except EOFError:
                return
            except av.error.FFmpegError:
                self.damaged += 1
