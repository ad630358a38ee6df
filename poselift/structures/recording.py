"""What a run makes: people, cameras, clock, origin and warnings."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.structures.motion import Motion

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class Clock:
    """The frames of a recording and their times.

    Attributes:
        fps: frames per second by the time stamps; None for a single frame.
        frames: number of frames.
        span: time stamps of the first and the last frame, seconds.
        video_fps: true frames per second of the video, if they are not those of its time stamps; None otherwise.
    """

    fps: float | None
    frames: int
    span: tuple[float, float]
    video_fps: float | None = None


@dataclass(frozen=True)
class Origin:
    """Where a recording came from.

    Attributes:
        path: the input file, a video or keypoints; None for values in memory.
        video: the video, if there is one.
        detector: name of the detector, or the format of the keypoints.
        detector_weights: SHA-256 of each weight file of the detector, by file name.
        lifter: facts of the lifter: name, sha256, window, uncertainty_factor.
        network: what ran the lifter.
        mirrored: whether the video shows a mirror image; people and camera are mirrored back.
    """

    path: Path | None
    video: Path | None = None
    detector: str = ""
    detector_weights: Mapping[str, str] = field(default_factory=dict)
    lifter: Mapping[str, Any] = field(default_factory=dict)
    network: str = ""
    mirrored: bool = False


@dataclass(frozen=True, eq=False)
class Recording:
    """People in 3D, and how they were recorded.

    Attributes:
        people: a motion of each person, all in one frame; each knows its own height and score threshold.
        cameras: of the videos; one for a single video. A motion in the world has cameras with a pose.
        clock: frames and times.
        origin: where it came from.
        warnings: what is doubtful.
        seconds: time of each stage.
        up_uncertainty: standard deviation of the direction of up in the world, radians; None in the camera frame.
        camera_report: what the camera does, shot by shot, as found from the background; empty in the camera frame.

    Example:
        >>> import poselift
        >>> from poselift.samples import demo_video
        >>> recording = poselift.lift(demo_video(), detector="movenet-fast", weights="tiny", end=0.3)
        >>> recording.clock.frames, recording.people[0].joints.shape[1:]
        (9, (17, 3))
    """

    people: tuple[Motion, ...]
    cameras: tuple[Camera, ...]
    clock: Clock
    origin: Origin
    warnings: tuple[Caution, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    up_uncertainty: float | None = None
    camera_report: Mapping[str, Any] = field(default_factory=dict)

    @property
    def camera(self) -> Camera:
        """The camera of a single video.

        Raises:
            InputError: there are several.
        """
        if len(self.cameras) != 1:
            raise InputError(f"the recording has {len(self.cameras)} cameras; choose one of recording.cameras")
        return self.cameras[0]

    def person(self, number: int) -> Motion:
        """The motion of a person.

        Raises:
            InputError: nobody has this number.
        """
        for motion in self.people:
            if motion.keypoints.person == number:
                return motion
        there = ", ".join(str(motion.keypoints.person) for motion in self.people) or "nobody"
        raise InputError(f"there is no person {number} in the recording; choose from {there}")

    def export(self, name: str, path: str | os.PathLike[str], people: Sequence[int] | None = None) -> list[Path]:
        """Writes people in a format of other programs, such as "bvh".

        Args:
            name: of the format, as `poselift export --to` has them.
            path: the file; the number of the person is added to its name where a format has room for one only.
            people: numbers of the people; everybody with a pose if None.

        Returns:
            The files.

        Raises:
            InputError: the format is unknown or its package is not installed, or a file cannot be written.
        """
        from poselift.recordings.exporting import export_recording

        return export_recording(self, name, path, people)

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes the result folder of `poselift lift`.

        It has npz, JSON and CSV of each person, and summary.json.

        Raises:
            InputError: the folder cannot be used.
        """
        from poselift.recordings.saving import save_recording

        return save_recording(self, folder)

    def to_xarray(self) -> "xarray.Dataset":
        """Everybody's positions as an xarray dataset.

        Its axes are person, time, joint and space.

        Raises:
            InputError: xarray is not installed.
        """
        from poselift.recordings.labelled import label_recording

        return label_recording(self)
