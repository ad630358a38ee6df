"""Damage of MPEG-TS files that FFmpeg passes over. A packet with a broken header gives no picture and no error."""

from pathlib import Path

import numpy as np

_PACKETS = {188: 0, 192: 4}
"""Bytes of a packet of MPEG-TS, and the place of its first sync byte: plain, and with the time codes of Blu-ray."""

_ROWS = 1 << 18
"""Packets that are looked at together."""
_HEADER = 9
"""Bytes of the header of a PES packet, before its optional fields."""
_MOST_STUFFING = 32
"""Bytes of stuffing that a header may have, by the standard."""


def packet_size(start: bytes) -> int | None:
    """Bytes of a packet of MPEG-TS, or None.

    The first 400 bytes of a file show it.

    Example:
        >>> packet_size(b"G".ljust(188) + b"G".ljust(188)), packet_size(b"RIFF")
        (188, None)
    """
    return next((size for size, sync in _PACKETS.items() if start[sync : sync + size + 1 : size] == b"GG"), None)


def count_broken_headers(path: Path, stream: int) -> int:
    """Number of packets whose header ISO/IEC 13818-1, 2.4.3.7, forbids.

    Args:
        path: the file.
        stream: the PID of the stream.
    """
    with path.open("rb") as file:
        size = packet_size(file.read(400))
    count = path.stat().st_size // size if size else 0
    if not size or not count:
        return 0
    packets = np.memmap(path, np.uint8, "r", shape=(count, size))[:, _PACKETS[size] :]
    return sum(_count_broken(packets[first : first + _ROWS], stream) for first in range(0, count, _ROWS))


def _count_broken(packets: np.ndarray, stream: int) -> int:
    """Number of broken headers in packets with their sync byte."""
    own = (packets[:, 1].astype(int) & 0x1F) << 8 | packets[:, 2]
    begins = packets[(own == stream) & (packets[:, 1] & 0x40 > 0) & (packets[:, 3] & 0x10 > 0)].astype(int)
    place = 4 + np.where(begins[:, 3] & 0x20, 1 + begins[:, 4], 0)
    whole = place + _HEADER <= 188  # others go on in the next packet
    begins, place = begins[whole], place[whole]
    header = np.take_along_axis(begins, place[:, None] + np.arange(_HEADER), 1)
    flags, length = header[:, 7], header[:, 8]
    fields = 5 * (flags >> 7) + 5 * (flags >> 6 & 1) + 6 * (flags >> 5 & 1) + 3 * (flags >> 4 & 1)
    fields += (flags >> 3 & 1) + (flags >> 2 & 1) + 2 * (flags >> 1 & 1)
    stuffing = length - fields
    known = flags & 1 == 0  # an extension has a length of its own
    start = (header[:, :3] == (0, 0, 1)).all(1)
    return int((~start | known & ((stuffing < 0) | (stuffing > _MOST_STUFFING))).sum())
