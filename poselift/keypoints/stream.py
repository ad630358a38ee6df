"""Keypoints of a file in the place of a detector's: the people in each frame, with its time and size in pixels."""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from poselift.core.errors import InputError
from poselift.keypoints.content import KeypointFile
from poselift.keypoints.people import NamedDetections, NamedTracks
from poselift.tracking import Tracker
from poselift.video import VideoReader

_TOLERANCE = 0.02
"""Share of a video's frames, and two in any case, by which it and a file may differ: decoders drop a few."""
_SPARSE = 1000
"""Numbers a frame from the first to the last, more than which are no video's."""
_MOST = 1000.0
"""Frames a second, more than which no camera that people film with has."""
_BLANK = 40
"""Grey of the pictures that are drawn on where there is no video."""


class FileDetections:
    """What a file of 2D keypoints has of each frame; a `DetectionStream` as `poselift.lifting` knows it.

    Frame i of the file is the i-th picture that can be decoded of the video, and has its time. A file whose numbers
    end with the number of the video's pictures counts from 1. Without a video, the times are those of the file, or
    else the frames' numbers over `fps`.

    Args:
        file: as `read_keypoints` gives it.
        video: that the keypoints were found in.
        fps: frames a second, where there is no video and the file has no times.
        image_size: (width, height) in pixels, where neither the video nor the file says.
        start: seconds; what comes before is left out, and nothing if it is not given.
        end: seconds; what comes after is left out.

    Attributes:
        path: of the file.
        name: the file's format.
        weights: none, as it is not known what found the people.
        image_size: (width, height) in pixels.
        fps: frames a second on average.
        warnings: what was wrong, a line each; complete when `frames` has come to its end.

    Raises:
        InputError: times or size cannot be told, or are said twice; the video cannot be read.
    """

    def __init__(
        self,
        file: KeypointFile,
        *,
        video: Path | None = None,
        fps: float | int | None = None,
        image_size: tuple[int, int] | None = None,
        start: float | int | None = None,
        end: float | int | None = None,
    ) -> None:
        self._file = file
        self._video = None if video is None else VideoReader(video)
        # A file's own times may be below 0, where what started the recording came after its first frame.
        self._span = (-math.inf if start is None else start, math.inf if end is None else end)
        if not self._span[0] < self._span[1]:
            raise InputError(f"start is {start} s and end {end} s; give an end after the start")
        self.path, self.name = file.path, file.format
        self.weights: dict[str, str] = {}
        self.warnings: list[str] = []
        self.image_size = self._choose_size(image_size)
        self.fps = self._choose_rate(fps)
        if file.people is None and any(sight.person for sights in file.frames.values() for sight in sights):
            self.warnings.append("people have no number in some frames, or one number twice: the tracker follows them")

    def _choose_size(self, given: tuple[int, int] | None) -> tuple[int, int]:
        """The picture's size, from all who know it."""
        info = None if self._video is None else self._video.info
        said = {
            "--size": given,
            "the file": self._file.image_size,
            "the video": None if info is None else (info.width, info.height),
        }
        sizes = {who: size for who, size in said.items() if size is not None}
        if not sizes:
            raise InputError(f"{self.path}: has no picture size; give the video with --video, or --size WIDTHxHEIGHT")
        if len(set(sizes.values())) > 1:
            differ = ", ".join(f"{who} says {width} x {height}" for who, (width, height) in sizes.items())
            raise InputError(f"{self.path}: {differ}; give what the keypoints were found in")
        return next(iter(sizes.values()))

    def _choose_rate(self, given: float | int | None) -> float | None:
        """Frames a second, after making sure that the times come from one place."""
        own = self._file.timestamps
        if given is not None:
            if own is not None or self._video is not None:
                who = "the file" if own is not None else "the video"
                raise InputError(f"{self.path}: --fps is not for keypoints whose times {who} has; leave it out")
            if not 0 < given <= _MOST:
                raise InputError(f"--fps is {given}; give frames a second, more than 0 and at most {_MOST:g}")
            return float(given)
        if self._video is not None:
            return self._video.info.fps
        if own is None:
            raise InputError(f"{self.path}: has no times; give the video with --video, or frames a second with --fps")
        times = sorted(own.values())
        return (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else None

    def frames(
        self, timed: Callable[[str], AbstractContextManager[None]], progress: Callable[[str, float], None]
    ) -> Iterator[tuple[NamedDetections, float]]:
        """The people in each frame and its time in seconds; a frame that the file lacks has nobody.

        Raises:
            InputError: the file does not belong to the video, or has no frame in the span.
        """
        with timed("read"):
            detections = self._file.detections(self.image_size)
            times = self._times(progress)
            none = np.zeros((0, len(self._file.skeleton)))
            people = None if self._file.people is None else ()
            nobody = NamedDetections(
                none[:, :0].reshape(0, 4), none[:, 0], none[..., None].repeat(2, -1), none, self._file.skeleton, people
            )
        for number, time in times:
            yield detections.get(number, nobody), time
        progress("Reading keypoints", 1.0)

    def follower(self) -> Tracker | NamedTracks:
        """Takes the file's word for who is who, or follows people where it says nothing."""
        return Tracker(self.image_size) if self._file.people is None else NamedTracks(self.image_size)

    def pictures(self) -> Iterator[tuple[UInt8[np.ndarray, "h w 3"], float]]:
        """The video's frames in the span, or blank ones."""
        if self._video is not None:
            yield from ((frame.image, frame.timestamp) for frame in self._video if self._within(frame.timestamp))
            return
        blank = np.full((self.image_size[1], self.image_size[0], 3), _BLANK, np.uint8)
        for _, time in self._times(lambda stage, done: None):
            yield blank, time

    def _times(self, progress: Callable[[str, float], None]) -> list[tuple[int, float]]:
        """Number and time of each frame in the span, in order."""
        own = self._file.timestamps
        if own is not None:
            times = sorted(own.items())
        elif self._video is not None:
            times = self._times_of_video(self._video, progress)
        else:
            assert self.fps is not None
            times = [(number, number / self.fps) for number in self._numbers()]
        times = [(number, time) for number, time in times if self._within(time)]
        if not times:
            start, end = self._span
            bounds = [f"at or after {start:g} s"] * (start > -math.inf) + [f"before {end:g} s"] * (end < math.inf)
            raise InputError(f"{self.path}: has no frame {' and '.join(bounds)}")
        return times

    def _times_of_video(self, video: VideoReader, progress: Callable[[str, float], None]) -> list[tuple[int, float]]:
        """Each picture's time and the number that it has in the file."""
        stamps = []
        for frame in video:
            stamps.append(frame.timestamp)
            progress("Reading keypoints", min(len(stamps) / (video.info.frames or len(stamps)), 1.0))
        self.warnings += video.warnings
        numbers = self._numbers()
        first = 1 if numbers[0] > 0 and numbers[-1] == len(stamps) else 0
        surplus = numbers[-1] - first + 1 - len(stamps)
        if abs(surplus) > 0:
            counts = f"{self.path} has frames up to {numbers[-1]}, the video {len(stamps)} frames"
            if surplus > max(2.0, _TOLERANCE * len(stamps)):
                raise InputError(f"{counts}: {video.info.path} is not the video that the keypoints were found in")
            self.warnings.append(f"{counts}; frames that only one of them has are taken as empty or left out")
        return [(number, stamp) for number, stamp in enumerate(stamps, start=first)]

    def _numbers(self) -> range:
        """The frames' numbers from the first to the last."""
        present = self._file.frames
        if not present:
            raise InputError(f"{self.path}: has no frames")
        numbers = range(min(present), max(present) + 1)
        if len(numbers) > _SPARSE * len(present):
            raise InputError(f"{self.path}: its {len(present)} frames have numbers up to {numbers[-1]}; is it a video?")
        return numbers

    def _within(self, time: float) -> bool:
        return self._span[0] <= time < self._span[1]
