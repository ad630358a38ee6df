"""The field of view that a video file names. Phones write the focal length of the camera that filmed."""

import math
import re
from collections.abc import Mapping

_KEY = "com.apple.quicktime.camera.focal_length.35mm_equivalent"
"""Of Apple's QuickTime metadata, such as "26" or "26.00mm"; of the file or of its video track."""

_SENSOR = 34.6
"""Longer side of a 4:3 picture with the diagonal of 35 mm film, millimetres: a video has the width of the sensor."""

_LEAST, _MOST = 5.0, 400.0
"""Millimetres outside of which the number is none of a camera that films people."""


def named_field_of_view(video: Mapping[str, str], file: Mapping[str, str]) -> float | None:
    """Degrees across the longer side by a file's metadata; None without them.

    Video stabilisation cuts off another tenth, which no file tells.

    Args:
        video: metadata of the video stream.
        file: metadata of the file.
    """
    text = video.get(_KEY) or file.get(_KEY) or ""
    number = re.match(r"\s*(\d+(?:\.\d+)?)\s*(?:mm)?\s*$", text)
    millimetres = float(number[1]) if number else 0.0
    if not _LEAST <= millimetres <= _MOST:
        return None
    return math.degrees(2 * math.atan(_SENSOR / 2 / millimetres))
