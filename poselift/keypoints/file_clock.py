"""The frames of a file of keypoints, and their times. The file may be alone or beside a video."""

import numpy as np

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.keypoints.content import KeypointFile
from poselift.keypoints.input_file import LAST_FRAME
from poselift.numerics.times import median_interval
from poselift.video import VideoReader

TOLERANCE = 0.02
"""Accepted difference between the frames of a video and of a file, as a share; two in any case. Decoders drop a few."""
_SPARSE = 1000
"""Largest range of frame numbers per frame: a video has no larger gaps."""
_LONGEST = 1 << 20
"""Largest range of frame numbers, if less than half of them are there: ten hours at 30 a second."""
_EVERY = 30
"""Largest number of pictures per frame of a file that a warning looks for."""


class FileClock:
    """The clock of a file of keypoints.

    Frame numbers start at 1 if the first one is 1, or the last one is the number of pictures of the video.

    Args:
        file: the keypoints.
        given: true frames per second of the keypoints; None if nobody gives them.
    """

    def __init__(self, file: KeypointFile, given: float | None) -> None:
        self._file, self._given = file, given

    @property
    def rate(self) -> float | None:
        """Frames per second by the file's timestamps, if it has any."""
        times = np.array(sorted((self._file.timestamps or {}).values()))
        return 1 / median_interval(times) if len(times) > 1 else None

    def times(self, fps: float | None) -> list[tuple[int, float]]:
        """Number and timestamp of each frame, without the video.

        Args:
            fps: frames per second, where the file has no timestamps.
        """
        if self._file.timestamps is not None:
            own = self.rate
            stretch = 1.0 if self._given is None or own is None else own / self._given
            return [(number, stretch * time) for number, time in sorted(self._file.timestamps.items())]
        assert fps is not None
        numbers = self.numbers()
        first = 1 if numbers[0] == 1 else 0  # pictures are often numbered from 1
        return [(number, (number - first) / fps) for number in numbers]

    def times_within(self, video: VideoReader) -> list[tuple[int, float]]:
        """The same at the given rate, beside a video of another one."""
        times = self.times(self._given)
        lasts, ends = len(times) / self._given if self._given else 0.0, video.info.duration
        if ends is not None and lasts > (1 + TOLERANCE) * ends + 2 / (self._given or 1.0):
            raise InputError(
                f"{self._file.path}: its {len(times)} frames last {lasts:.4g} s at --fps {self._given:g}, the video "
                f"{ends:.4g} s; give the true rate of the keypoints"
            )
        return times

    def times_of_video(self, stamps: list[float], video: VideoReader) -> tuple[list[tuple[int, float]], list[Caution]]:
        """Number in the file and timestamp of each frame of the video.

        And what is doubtful about them.
        """
        cautions: list[Caution] = []
        numbers = self.numbers()
        from_1 = numbers[0] == 1 and numbers[-1] < len(stamps) - 1
        first = 1 if from_1 or (numbers[0] > 0 and numbers[-1] == len(stamps)) else 0
        surplus = numbers[-1] - first + 1 - len(stamps)
        if abs(surplus) > 0:
            counts = f"{self._file.path} has frames up to {numbers[-1]}, the video {len(stamps)} frames"
            if surplus > max(2.0, TOLERANCE * len(stamps)):
                raise InputError(f"{counts}: {video.info.path} is not the video that the keypoints were found in")
            text = f"{counts}; surplus frames of the file are ignored, surplus ones of the video are empty"
            cautions = [Caution(text, "input"), *self._every_few(len(numbers), len(stamps), video)]
        return list(enumerate(stamps, start=first)), cautions

    def _every_few(self, frames: int, pictures: int, video: VideoReader) -> list[Caution]:
        """A warning where keypoints seem to be of every few pictures.

        They are then of every second or third picture, but numbered one by one.
        """
        every = next((n for n in range(2, _EVERY) if n * frames - n < pictures <= n * frames), None)
        if every is None or video.info.fps is None or frames < _EVERY // 3:
            return []
        rate = video.info.fps / every
        text = (
            f"{pictures} pictures = {every} x {frames} frames of keypoints: if they are of one picture in {every}, "
            f"give --fps {rate:.4g}, or the motion is {every} times too fast"
        )
        return [Caution(text, "clock")]

    def numbers(self) -> range:
        """The frame numbers from the first to the last."""
        present = self._file.frames
        if not present:
            raise InputError(f"{self._file.path}: has no frames")
        first, last = min(present), max(present)
        largest = min(_SPARSE * len(present), max(_LONGEST, 2 * len(present)))
        if first < 0 or last - first >= largest or last > LAST_FRAME:
            raise InputError(
                f"{self._file.path}: its {len(present)} frames have numbers from {first} up to {last}; give the "
                "frames of one video, counted from 0 or 1"
            )
        return range(first, last + 1)
