"""The field of view that a video file names. Phones write the focal length of the camera that filmed."""

import math
import os
import re
from pathlib import Path

from poselift.video.decoder import open_video
from poselift.video.pictures import find_pictures

_KEY = "com.apple.quicktime.camera.focal_length.35mm_equivalent"
"""Of Apple's QuickTime metadata, such as "26" or "26.00mm"; of the file or of its video track."""

_SENSOR = 34.6
"""Longer side of a 4:3 picture with the diagonal of 35 mm film, millimetres: a video has the width of the sensor."""

_LEAST, _MOST = 5.0, 400.0
"""Millimetres outside of which the number is none of a camera that films people."""


def read_field_of_view(path: str | os.PathLike[str]) -> float | None:
    """Degrees across the longer side by the file's metadata; None without them.

    Video stabilisation cuts off another tenth, which no file tells.

    Args:
        path: the video, or pictures, which have none. Of a video that is gone, detections may be kept.

    Raises:
        InputError: the file cannot be read.
    """
    if find_pictures(Path(path)) is not None or not Path(path).is_file():
        return None
    with open_video(path) as (container, stream):
        text = stream.metadata.get(_KEY) or container.metadata.get(_KEY) or ""
    number = re.match(r"\s*(\d+(?:\.\d+)?)\s*(?:mm)?\s*$", text)
    millimetres = float(number[1]) if number else 0.0
    if not _LEAST <= millimetres <= _MOST:
        return None
    return math.degrees(2 * math.atan(_SENSOR / 2 / millimetres))
