"""What `poselift lift` is asked for, as one frozen value. Two requests are equal if their results are."""

import argparse
from dataclasses import dataclass, field

from poselift.cli.detector import DetectorRequest, make_detector_request
from poselift.cli.request_fields import set_fields
from poselift.cli.weights import DEFAULT_LIFTER
from poselift.core.times import HIGHEST_RATE, check_bounds, check_rate
from poselift.finding import DEFAULT_QUALITY
from poselift.geometry.camera import check_lens
from poselift.kinematics.filtering import check_cutoff
from poselift.kinematics.height import GivenHeights
from poselift.lifting import LiftOptions
from poselift.lifting.clips.pipeline import check_chosen


@dataclass(frozen=True)
class DetectionRequest:
    """What the detections of a video depend on: lifting again with an equal one needs no picture.

    Attributes:
        start: first second of the span; the beginning if None.
        end: end of the span, seconds, exclusive; the end of the video if None.
        fps: true frames per second, where the video plays at another rate; by its time stamps if None.
        quality: how often the detector looks: best, balanced or fast.
        detector: finds the people.

    Raises:
        InputError: the span is empty, or `fps` is no frame rate.
    """

    start: float | None = None
    end: float | None = None
    fps: float | None = None
    quality: str = DEFAULT_QUALITY
    detector: DetectorRequest = field(default_factory=DetectorRequest)

    def __post_init__(self) -> None:
        """Checks what does not depend on the video."""
        check_bounds(self.start, self.end)
        if self.fps is not None:
            check_rate(self.fps, "--fps")


@dataclass(frozen=True)
class LiftRequest:
    """What to lift, with which lifter and options, and what to write.

    `poselift batch` does again what an equal request has not done, so a field that changes no result has
    `compare=False`.

    Attributes:
        detection: the span, and how people are found in it.
        weights: the lifter: a name, or a file.
        people: numbers of the people to lift; all if None.
        height: standing height of everybody, or by person's number, metres; estimated if None.
        fov: field of view across the longer side of the picture, degrees; assumed if None.
        intrinsics: fx, fy, cx, cy in pixels, instead of `fov`.
        options: settings of the lifter.
        smooth: cutoff of a Butterworth filter of the motion, Hz; no filter if None.
        skeleton: the joints to write; those of Human3.6M if None, as far as the weights give them.
        world: whether to write the motion in the world frame.
        formats: names of the formats to write beside the npz.
        csv: whether to write a CSV of each person.
        overlay: whether to write the video with 2D and 3D.

    Raises:
        InputError: a value makes no sense for any video.
    """

    detection: DetectionRequest = field(default_factory=DetectionRequest)
    weights: str = DEFAULT_LIFTER
    people: tuple[int, ...] | None = None
    height: GivenHeights = None
    fov: float | None = None
    intrinsics: tuple[float, float, float, float] | None = None
    options: LiftOptions = field(default_factory=LiftOptions)
    smooth: float | None = None
    skeleton: str | None = None
    world: bool = False
    formats: tuple[str, ...] = ()
    csv: bool = True
    overlay: bool = True

    def __post_init__(self) -> None:
        """Checks, before the long work, what does not depend on the video."""
        check_lens(self.fov, self.intrinsics)
        check_chosen(self.people, self.height)
        if self.smooth is not None:
            check_cutoff(self.smooth, HIGHEST_RATE)


def make_lift_request(arguments: argparse.Namespace) -> LiftRequest:
    """The request of a command line.

    Args:
        arguments: options of `add_lift_options` and `add_detector_options`.

    Raises:
        InputError: options contradict each other, or a value makes no sense.
    """
    return set_fields(LiftRequest(), {**vars(arguments), "detector": make_detector_request(arguments)})
