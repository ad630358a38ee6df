"""How coarsely a codec has rounded a picture.

Its quantizer tells it, or how few bits it spends on the detail that it shows.
"""

import struct
from typing import Any, NamedTuple

import cv2
import numpy as np
from av import VideoFrame
from av.container import InputContainer
from av.error import FFmpegError
from av.sidedata.sidedata import Type
from av.video.stream import VideoStream

_H264 = 1
"""Its `AVVideoEncParamsType`."""


class _Codec(NamedTuple):
    """A codec's quantizers.

    Attributes:
        coarse: the least one at which pictures are warned of: a rounding of about 16 grey levels in each codec.
        largest: of all.
    """

    coarse: int
    largest: int


_CODECS = {0: _Codec(107, 255), _H264: _Codec(28, 51), 2: _Codec(16, 62)}
"""VP9, H.264 and MPEG by FFmpeg's `AVVideoEncParamsType`. Recordings of cameras have H.264's 20 to 23 in their first
picture, copies with rate factor 23 have 21 to 27, with 32 29 to 31."""
_DEEPER = 6
"""What each bit of a sample beyond 8 adds to H.264's quantizer."""

EXPORT = {"export_side_data": "venc_params"}
"""Option of a decoder that gives the quantizers with each picture, where FFmpeg knows them."""
_HEAD = struct.Struct("@IQQii")
"""Begin of FFmpeg's `AVVideoEncParams`: number of blocks, their offset and size, type, quantizer."""
_DELTA = 4
"""Place of a block's own difference among its 32-bit numbers (`AVVideoBlockParams`)."""

_SILENT = ("hevc", "av1", "libdav1d")
"""Decoders that do not tell the quantizer."""
_POWER, _FEW = 1.3, 0.023
"""Bits of a pixel over this power of its detail in grey levels depend little on what is shown: 0.027 to 0.037 for three
clips in HEVC with rate factor 28, 0.014 to 0.020 with 34, and 0.04 to 0.08 in recordings of cameras in any codec."""
_DETAIL = 15
"""Pixels of the square whose mean is no detail."""
_FLAT = 1.0
"""Mean detail of drawn pictures, which take few bits, is less."""


def describe_compression(picture: VideoFrame, container: InputContainer, stream: VideoStream) -> str | None:
    """How a video is heavily compressed, for a warning.

    None if it is not, or unknown.

    Args:
        picture: its first one, from a decoder with the option `EXPORT`.
        container: the file, which is put back to its start.
        stream: the video in it.
    """
    side_data: Any = picture.side_data  # PyAV's types of it are incomplete
    data = side_data.get(Type.VIDEO_ENC_PARAMS)
    if data is not None:
        return _describe_quantizer(bytes(data), picture.format.components[0].bits)
    return _describe_bits(picture, container, stream) if stream.codec_context.name in _SILENT else None


def _describe_quantizer(content: bytes, bits: int) -> str | None:
    count, offset, size, kind, quantizer = _HEAD.unpack_from(content)
    codec = _CODECS.get(kind)
    if codec is None:
        return None
    blocks = np.frombuffer(content, np.int32, count * size // 4, offset).reshape(count, size // 4)
    mean = quantizer + (float(blocks[:, _DELTA].mean()) if count else 0.0)
    if kind == _H264:
        mean -= _DEEPER * (bits - 8)
    if mean < codec.coarse:
        return None
    return f"quantizer {mean:.0f} of {codec.largest} in the first picture, good ones are below {codec.coarse}"


def _describe_bits(picture: VideoFrame, container: InputContainer, stream: VideoStream) -> str | None:
    try:
        container.seek(0)
        taken = next((8 * packet.size for packet in container.demux(stream) if packet.size), 0)
    except FFmpegError:
        return None
    grey = picture.to_ndarray(format="gray").astype(np.float32)
    detail = float(np.abs(grey - cv2.blur(grey, (_DETAIL, _DETAIL))).mean())
    bits = taken / grey.size
    if detail < _FLAT or not bits or bits >= (enough := _FEW * detail**_POWER):
        return None
    return f"{bits:.2f} bits a pixel in the first picture, whose detail needs {enough:.2f}"
