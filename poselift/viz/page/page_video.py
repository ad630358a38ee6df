"""A page's video: small enough, and for every browser. It is encoded again."""

import os
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import Float

from poselift.video import VideoReader, VideoWriter

LONGER_SIDE, ONE_OF_SEVERAL = 960, 640
"""Pixels; more cannot be seen beside the 3D view, and beside other videos."""
EMBEDDED = 9_500_000
"""Largest video inside of a page, bytes; as base64 it takes a third more."""
_BITRATE = 2_400_000
"""Highest bits per second: 30 s stay below `EMBEDDED`."""
_LONGEST_INSIDE = 60.0
"""Seconds; a longer video stays beside the page rather than become blurred."""


@dataclass(frozen=True)
class PageVideo:
    """A video that a page shows.

    Attributes:
        path: the file.
        times: of its frames in the original video, seconds; the first frame is at 0 in the file.
    """

    path: Path
    times: Float[np.ndarray, " t"]

    @property
    def inside(self) -> bool:
        """Whether it is small enough for the page itself."""
        return self.path.stat().st_size <= EMBEDDED


def write_small_video(
    video: str | os.PathLike[str],
    path: Path,
    start: float | None = None,
    end: float | None = None,
    fps: float | None = None,
    mirrored: bool = False,
    longer_side: int = LONGER_SIDE,
) -> PageVideo:
    """Writes a video of at most 960 pixels and 2.4 Mbit/s.

    The codec is H.264.

    Args:
        video: the original.
        path: the .mp4 file to write.
        start: seconds; None for the beginning.
        end: seconds, exclusive; None for the end.
        fps: frames per second of the recording, if they are not those of the file; see `VideoReader`.
        mirrored: whether the original shows a mirror image, which is mirrored back.
        longer_side: most pixels of its longer side.

    Raises:
        InputError: the video cannot be read or the file cannot be written.

    Example:
        >>> import tempfile
        >>> from poselift.samples import demo_video
        >>> small = write_small_video(demo_video(), Path(tempfile.mkdtemp()) / "small.mp4", end=0.1)
        >>> len(small.times), small.inside
        (3, True)
    """
    reader = VideoReader(video, start, end, fps, mirrored)
    scale = min(1.0, longer_side / max(reader.info.width, reader.info.height))
    # Even, as H.264 wants it; one repeated column would shift the skeleton.
    size = tuple(2 * max(1, round(side * scale / 2)) for side in (reader.info.width, reader.info.height))
    rate = _BITRATE
    if reader.info.duration:
        seconds = min(end or np.inf, reader.info.duration) - (start or 0.0)
        if 0 < seconds <= _LONGEST_INSIDE:
            rate = int(min(rate, 0.9 * 8 * EMBEDDED / seconds))
    options = {
        "preset": "veryfast",
        "crf": "26",
        "maxrate": str(rate),
        "bufsize": str(2 * rate),
        "g": "15",  # a browser decodes from the last key frame on when somebody scrubs
        "bf": "0",
        "x264-params": "mbtree=0",  # the macroblock tree gives other bytes in some runs
    }
    times = []
    with VideoWriter(path, *size, x264=options) as writer:
        for frame in reader:
            image = frame.image
            if image.shape[1::-1] != size:
                image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
            writer.write(image.astype(np.uint8, copy=False), frame.timestamp)
            times.append(frame.timestamp)
    return PageVideo(path, np.array(times))
