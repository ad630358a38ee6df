"""A file of 2D keypoints as a clip.

It replaces a detector: the people in each frame, with timestamps and picture size.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from poselift.camera_path.found_camera import CameraMode, FoundCamera, camera_without_pictures, find_camera
from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.core.stopwatch import Stopwatch
from poselift.finding.video_clip import ReadShare, read_frames
from poselift.geometry.camera import Camera, check_image_size
from poselift.keypoints.content import KeypointFile
from poselift.keypoints.file_clock import TOLERANCE, FileClock
from poselift.keypoints.file_hands import FileHands, follow_hands, hands_at
from poselift.keypoints.people import NamedDetections, NamedTracker
from poselift.keypoints.picture_fit import PictureFit
from poselift.numerics.times import check_bounds, check_intervals, check_rate, check_span
from poselift.structures import Hands, Keypoints2D
from poselift.structures.detections import mirror_people
from poselift.tracking import Tracker
from poselift.video import Frame, VideoReader

_SUREST = 2.0
"""Largest score without a warning: COCO's flags reach 2, and heat maps a little more than 1."""
_SAME_RATE = 0.02
"""Share by which two rates may differ and be the same."""
_LATEST = 1e10
"""Latest time stamp, seconds: they may count from 1970."""
_AREA = 1 << 27
"""Largest number of pixels in a picture."""
_BLANK = 40
"""Grey of the pictures where no video is given."""


class KeypointClip:
    """A file of 2D keypoints as a `Clip`, with or without video.

    `poselift.finding` defines it. Frame i of the file is the i-th decodable picture of the video, and has its
    timestamp. Frame numbers start at 1 if the first one is 1, or the last one is the number of pictures. Without a
    video, timestamps come from the file, or are the frame numbers, from 0, divided by `fps`.

    With a video, `fps` is the rate of the keypoints where they are of some pictures only: they then lie at their own
    times in the video. Where the file has all pictures, or more frames a second than the video, the video is taken to
    be slow motion (or a time lapse): all its times become those of the recording.

    Args:
        file: from `read_keypoints`.
        video: the video that the keypoints were found in.
        fps: true frames per second of the keypoints. Needed where neither the video nor the file has timestamps.
        image_size: (width, height) in pixels, if neither the video nor the file has it.
        start: first second of the span; the beginning if None.
        end: end of the span in seconds, exclusive; the end of the file if None.
        mirrored: whether the keypoints were found in a mirror image: they, and the frames, are mirrored back.

    Attributes:
        path: the file.
        video: the video that the keypoints were found in, if it is given.
        detector_name: format of the file.
        detector_weights: empty, because the detector is unknown.
        image_size: (width, height) in pixels.
        fps: average frames per second; None for a single frame.
        video_fps: true frames per second of the video, if they are not those of its time stamps; None otherwise.
        mirrored: whether the video shows a mirror image; also where the file is a result of one.
        duration: expected seconds of the video, for progress bars; None without a video.
        span: the chosen (start, end) in seconds.
        fov: field of view that the video names, degrees; None if there is none.
        warnings: problems of the input, one line each; complete after `people` is exhausted.

    Raises:
        InputError: timestamps or picture size are missing, or contradict each other; the video cannot be read.

    Example:
        >>> from poselift.keypoints import KeypointFile, Observation
        >>> from poselift.skeleton import COCO17
        >>> body = Observation(np.linspace([300, 100], [340, 400], 17), np.ones(17))
        >>> file = KeypointFile(Path("clip.json"), "coco", COCO17, {0: [body], 2: [body]})
        >>> clip = KeypointClip(file, fps=10, image_size=(640, 480))
        >>> [(len(people), time) for people, time in clip.people()]
        [(1, 0.0), (0, 0.1), (1, 0.2)]
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
        mirrored: bool = False,
    ) -> None:
        self._file, self.mirrored = file, mirrored or file.mirrored_back
        self._given = None if fps is None else check_rate(fps, "--fps")
        self._clock = FileClock(file, self._given)
        self.video_fps: float | None = None
        self._hands: dict[float, list[tuple[np.ndarray, FileHands]]] = {}
        self._sampled = False  # whether the file has frames of some pictures only, at a rate of its own
        self.video = video
        self._video = None if video is None else self._open(video)
        # A file's own timestamps are negative if a trigger started the recording after its first frame.
        check_bounds(start, end)
        self.span = (-math.inf if start is None else float(start), math.inf if end is None else float(end))
        self.path, self.detector_name = file.path, file.format
        self.detector_weights: dict[str, str] = {}
        self.warnings: list[Caution] = []
        self.image_size = self._choose_size(image_size)
        self.fps = self._choose_rate()
        self.duration = None if self._video is None else self._video.info.duration
        self.fov = None if self._video is None else self._video.info.fov
        if file.people is None and any(person.person for people in file.frames.values() for person in people):
            self._warn("people lack a number in some frames, or share one: the tracker assigns them anew")
        highest = max(
            (np.nan_to_num(person.scores).max() for people in file.frames.values() for person in people), default=0.0
        )
        if highest > _SUREST:
            self._warn(
                f"scores reach {highest:.4g}, and those above 1 count as 1: divide them by 100 if they are per cent"
            )

    def _warn(self, text: str) -> None:
        self.warnings.append(Caution(text, "input"))

    def _open(self, video: Path) -> VideoReader:
        """The video, by the clock of the recording."""
        reader = VideoReader(video, mirrored=self.mirrored)
        rate, pictures = reader.info.fps, reader.info.frames
        if self._given is None or rate is None:
            return reader
        own = self._clock.rate
        # The same stretch for both clocks where the file has one of its own.
        true = self._given if own is None else rate * self._given / own
        frames = len(self._file.frames if self._file.timestamps is not None else self._clock.numbers())
        every = pictures is None or pictures - frames <= max(2.0, TOLERANCE * pictures)
        if abs(true / rate - 1) <= _SAME_RATE:
            return reader
        if true < rate and not every:
            self._sampled = True
            return reader
        self.video_fps = true
        return VideoReader(video, fps=true, mirrored=self.mirrored)

    def _choose_size(self, given: tuple[int, int] | None) -> tuple[int, int]:
        """(width, height), after checking that option, file and video agree."""
        info = None if self._video is None else self._video.info
        said = {
            "--size": None if given is None else check_image_size(given),
            "the file": self._file.image_size,
            "the video": None if info is None else (info.width, info.height),
        }
        sizes = {who: size for who, size in said.items() if size is not None}
        if not sizes:
            raise InputError(f"{self.path}: has no picture size; give the video with --video, or --size WIDTHxHEIGHT")
        if len(set(sizes.values())) > 1:
            differ = ", ".join(f"{who} says {width} x {height}" for who, (width, height) in sizes.items())
            raise InputError(f"{self.path}: {differ}; give the video that the keypoints were found in, or its size")
        who, (width, height) = next(iter(sizes.items()))
        if width * height > _AREA:
            raise InputError(f"{self.path}: {who} says {width} x {height}; give a size of at most {_AREA} pixels")
        return width, height

    def _choose_rate(self) -> float | None:
        """Frames per second, after checking that somebody gives them."""
        own = self._file.timestamps
        if self._given is not None:
            return self._given
        if self._video is not None:
            return self._video.info.fps
        if own is None:
            raise InputError(
                f"{self.path}: has no timestamps; give the video with --video, or frames per second with --fps"
            )
        times = sorted(own.values())
        if not all(abs(time) <= _LATEST for time in times):
            raise InputError(f"{self.path}: its time stamps reach from {times[0]:g} to {times[-1]:g}; give seconds")
        try:
            check_span(np.array(times, float))
            check_intervals(np.array(times, float))
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from None
        return (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else None

    def frames(self) -> Iterator[Frame]:
        """The video's frames of the span. Without a video they are blank, at the file's timestamps."""
        start, end = self.span
        for frame in self._blank_frames() if self._video is None else self._video:
            if frame.timestamp >= end:
                return
            if frame.timestamp >= start:
                yield frame

    def _blank_frames(self) -> Iterator[Frame]:
        """A blank picture for each frame of the file."""
        blank = np.full((self.image_size[1], self.image_size[0], 3), _BLANK, np.uint8)
        for index, (_, time) in enumerate(self._clock.times(self.fps)):
            yield Frame(blank, time, index)

    def people(
        self, watch: Stopwatch | None = None, progress: ReadShare | None = None
    ) -> Iterator[tuple[NamedDetections, float]]:
        """The people and timestamp of each frame in the span.

        Frames that are not in the file have nobody.

        Args:
            watch: counts the time to "read" the video, and to "detect" the people in the file.
            progress: receives the share of the video's frames that were read.

        Raises:
            InputError: the file does not belong to the video, or has no frame in the span.
        """
        watch = watch or Stopwatch()
        return watch.timed("detect", self._find(watch, progress))

    def _find(self, watch: Stopwatch, progress: ReadShare | None) -> Iterator[tuple[NamedDetections, float]]:
        """What `people` gives."""
        fit = self._file.fit(self.image_size, 0 if self._video is None else self._video.info.rotation)
        self.warnings += fit.warnings
        detections = self._file.detections(fit)
        if self.mirrored and not self._file.mirrored_back:
            detections = {number: mirror_people(people, self.image_size[0]) for number, people in detections.items()}
        if self._video is None or self._file.timestamps is not None:
            times = self._clock.times(self.fps)
        elif self._sampled:
            times = self._clock.times_within(self._video)
        else:
            stamps = [frame.timestamp for frame in read_frames(self._video, self.duration, watch, progress)]
            times, cautions = self._clock.times_of_video(stamps, self._video)
            self.warnings += [*self._video.warnings, *cautions]
        start, end = self.span
        times = [(number, time) for number, time in times if start <= time < end]
        if not times:
            bounds = [f"at or after {start:g} s"] * (start > -math.inf) + [f"before {end:g} s"] * (end < math.inf)
            raise InputError(f"{self.path}: has no frame{' ' * bool(bounds)}{' and '.join(bounds)}")
        nobody = self._file.detect([], fit)
        self._note_hands(fit, detections, times)
        if self.video is not None:
            self.warnings += self._check_on_video(detections, times)
        for number, time in times:
            yield detections.get(number, nobody), time

    def _check_on_video(self, detections: dict[int, NamedDetections], times: list[tuple[int, float]]) -> list[Caution]:
        """A warning where the keypoints lie beside the people of the video."""
        from poselift.keypoints.video_check import check_on_video  # loads a detector

        assert self.video is not None
        shown = [(detections[number], time) for number, time in times if number in detections]
        return check_on_video(shown, self.video, self.image_size, self.video_fps, self.mirrored)

    def _note_hands(
        self, fit: PictureFit, detections: dict[int, NamedDetections], times: list[tuple[int, float]]
    ) -> None:
        """Keeps everybody's hands, in pixels, by their keypoints. `hands_of` finds them by these."""
        for number, time in times:
            for row, person in enumerate(self._file.frames.get(number, [])):
                if person.hands is not None:
                    points = fit.to_pixels(person.hands.points.reshape(-1, 2)).reshape(2, -1, 2)
                    # The third dimension is that of the picture that the hands were found in.
                    joints = np.full_like(person.hands.joints, np.nan) if fit.turns else person.hands.joints
                    hands = replace(person.hands, points=points, joints=joints)
                    if self.mirrored and not self._file.mirrored_back:
                        hands = hands.mirror(self.image_size[0])
                    self._hands.setdefault(time, []).append((detections[number].keypoints[row], hands))

    def find_camera(
        self, span: tuple[float, float], tracks: Sequence[Keypoints2D], lens: Camera, mode: CameraMode
    ) -> FoundCamera:
        """What the camera does, from the background of a given video."""
        if self._video is None:
            return camera_without_pictures((frame.timestamp for frame in self.frames()), mode)
        return find_camera(self.frames, span, tracks, lens, mode)

    def hands_of(self, track: Keypoints2D) -> Hands | None:
        """A person's hands in the file, or None. 3D only where the file has that."""
        if (own := self._file.placed_hands.get(str(track.person))) is not None:
            return hands_at(track.timestamps, *own)
        return follow_hands(track, self._hands)

    def tracker(self) -> Tracker | NamedTracker:
        """A tracker by the file's names, or by poses without names."""
        return Tracker(self.image_size) if self._file.people is None else NamedTracker(self.image_size)
