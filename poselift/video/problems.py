"""What is wrong with a video, noticed while it is read."""

from pathlib import Path

import av

from poselift.core.caution import Caution
from poselift.core.errors import make_printable
from poselift.video.decoder import Decoder
from poselift.video.ffmpeg_errors import FfmpegErrors
from poselift.video.missing import MissingFrames
from poselift.video.mpegts import count_broken_headers, packet_size

_FIRST_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"wide", b"skip")
"""Types of the boxes with which MP4 and QuickTime begin."""

_CONTENT = (b"moov", b"mdat", b"moof")
"""Types of the boxes that hold the video."""


class Problems:
    """Notes the problems of pictures, and describes them.

    Args:
        decoder: gives the pictures.
        errors: FFmpeg's errors.
        first: the stream's first picture.

    Attributes:
        errors: FFmpeg's errors.
        left_out: number of pictures whose timestamps do not increase.
    """

    def __init__(self, decoder: Decoder, errors: FfmpegErrors, first: av.VideoFrame) -> None:
        self.left_out = 0
        self._decoder, self.errors = decoder, errors
        self._size = first.width, first.height
        self._corrupt = self._interlaced = 0
        self._other_size: tuple[int, int] | None = None
        self._missing = MissingFrames()

    def note(self, picture: av.VideoFrame, seconds: float) -> None:
        """Looks at a picture of the span, and at its time."""
        self._missing.note(seconds)
        self._corrupt += picture.is_corrupt
        self._interlaced += picture.interlaced_frame
        if (picture.width, picture.height) != self._size:
            self._other_size = picture.width, picture.height

    def find_lacking(self, read: int, path: Path) -> str | None:
        """What a file lacks, by its header and packets, or None.

        It was read from beginning to end.

        Args:
            read: number of frames that were read.
            path: the file.
        """
        stream = self._decoder.stream
        hidden = 0 if self._decoder.container.format.name == "avi" else 1  # edit lists often hide one
        if read + self.left_out + self._decoder.repeated < stream.frames - hidden:
            return (
                f"{read} of the {stream.frames} frames that the header announces could be read; the others are "
                "damaged, or the file hides them (an edit list)"
            )
        if broken := count_broken_headers(path, stream.id):
            return f"the file is damaged: {broken} of its packets have broken headers, so frames are missing"
        return None

    def lines(self) -> list[Caution]:
        """The problems so far; missing frames are of the kind "clock"."""
        found = []
        damage = []
        if self._decoder.damaged:
            damage.append(f"{self._decoder.damaged} of its packets could not be decoded")
        if self._corrupt:
            damage.append(f"{self._corrupt} frames have errors in their pictures")
        if self.errors.count:
            damage.append(f"FFmpeg reports {self.errors.count} errors, such as {make_printable(self.errors.last)!r}")
        if damage:
            found.append(f"the file is damaged: {'; '.join(damage)}")
        if self.left_out:
            found.append(f"frames dropped because their timestamps do not increase: {self.left_out}")
        missing = self._missing.line()
        if self._interlaced:
            found.append(
                f"{self._interlaced} frames are interlaced: outlines of fast movements have combs; for better results, "
                "deinterlace the video with ffmpeg -vf bwdif"
            )
        if self._other_size is not None:
            sizes = [f"{width} x {height}" for width, height in (self._size, self._other_size)]
            found.append(f"the size of the pictures changes from {' to '.join(sizes)}; all are scaled to the first")
        lines = [Caution(text, "input") for text in found]
        return lines + ([Caution(missing, "clock")] if missing else [])


def is_cut_off(path: Path) -> bool:
    """Whether a file ends inside a packet or box.

    Packets are of MPEG-TS, boxes of MP4 or QuickTime; a GIF may lack its mark. FFmpeg does not report this. Of other
    formats, it reports what can be seen.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(400)
        if packet := packet_size(start):
            return size % packet > 0
        if start[:3] == b"GIF":  # GIF89a, 27: a semicolon; some programs add zeros
            file.seek(max(0, size - 400))
            return not file.read().rstrip(b"\0").endswith(b";")
        if start[4:8] not in _FIRST_BOXES:
            return False
        # ISO/IEC 14496-12, 4.2: 4 bytes of size, 4 of type; a size of 1 means that 8 bytes of size follow.
        at, kind = 0, b""
        while at < size:
            file.seek(at)
            head = file.read(16)
            length, kind = int.from_bytes(head[:4], "big"), head[4:8]
            if length == 1:
                length = int.from_bytes(head[8:], "big")
            if length < 8:  # to the end of the file, or not a box
                return False
            at += length
    # Cameras append data of their own, which only look like boxes.
    return at > size and kind in _CONTENT
