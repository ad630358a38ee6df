"""What a run is asked for, as frozen values. Two requests are equal if their results are."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from poselift.camera_path.found_camera import CameraMode
from poselift.core.annotations import check_call
from poselift.core.download import quiet_downloads
from poselift.detection import Detector, build_detector
from poselift.finding import DEFAULT_QUALITY
from poselift.geometry.camera import check_distortion, check_lens
from poselift.kinematics.filtering import check_cutoff
from poselift.kinematics.height import GivenHeights, check_chosen
from poselift.kinematics.up import check_tilt
from poselift.lifting.options import LiftOptions
from poselift.numerics.times import HIGHEST_RATE, check_bounds, check_rate

DEFAULT_DETECTOR, QUICK_DETECTOR = "movenet-blazepose", "movenet"
"""The detectors that are used if nobody chooses one, for files and for streams or `fast`: they need no download."""

DEFAULT_LIFTER, DEFAULT_LIVE_LIFTER = "small", "tiny"
"""The weights that are used if nobody chooses some, for files and for streams. `tiny` takes half the
time of `small`, for some 2 mm more error (their cards)."""


def default_detector(quality: str) -> str:
    """Name of the default detector of a quality."""
    return QUICK_DETECTOR if quality == "fast" else DEFAULT_DETECTOR


@dataclass(frozen=True)
class DetectorRequest:
    """Which detector finds the people, and what it is built from.

    Attributes:
        name: of the detector.
        files: arguments of its constructor that name its configs and weights.
        switches: arguments of its constructor that change no result.
    """

    name: str = DEFAULT_DETECTOR
    files: dict[str, str] = field(default_factory=dict)
    switches: dict[str, bool] = field(default_factory=dict, compare=False)

    @property
    def prefers_cpu(self) -> bool:
        """Whether the detector stays on the CPU by default. MoveNet does, as it is faster there (benchmarks/gpu.md)."""
        return self.name.startswith("movenet")

    def build(self, device: str, quiet: bool = False) -> Detector:
        """The detector on a device.

        Args:
            device: such as cpu or cuda.
            quiet: whether to show no progress of downloads.

        Raises:
            InputError: the detector cannot be built.
        """
        with quiet_downloads(quiet):
            return build_detector(self.name, device, **self.files, **self.switches)


@dataclass(frozen=True)
class DetectionRequest:
    """What a video's detections depend on.

    Lifting again with an equal one needs no picture.

    Attributes:
        start: first second of the span; the beginning if None.
        end: end of the span, seconds, exclusive; the end of the video if None.
        fps: true frames per second, where the video plays at another rate; by its time stamps if None.
        quality: how often the detector looks: best, balanced or fast.
        mirrored: whether the pictures, and keypoints found in them, are a mirror image.
        detector: finds the people.

    Raises:
        InputError: the span is empty, or `fps` is no frame rate.
    """

    start: float | None = None
    end: float | None = None
    fps: float | None = None
    quality: str = DEFAULT_QUALITY
    mirrored: bool = False
    detector: DetectorRequest = field(default_factory=DetectorRequest)

    def __post_init__(self) -> None:
        """Checks what does not depend on the video."""
        check_bounds(self.start, self.end)
        if self.fps is not None:
            check_rate(self.fps, "--fps")
        check_call("", type(self), vars(self))


@dataclass(frozen=True)
class LiftRequest:
    """What to lift, with which lifter and options, in which frame.

    Attributes:
        detection: the span, and how people are found in it.
        weights: the lifter: a name, or a file.
        people: numbers of the people to lift; all if None.
        height: standing height of everybody, or by person's number, metres; estimated if None.
        fov: field of view across the longer side of the picture, degrees; assumed if None.
        intrinsics: fx, fy, cx, cy in pixels, instead of `fov`.
        distortion: k1, k2, p1, p2 and perhaps k3 of OpenCV's lens; none if None.
        fisheye: k1, k2, k3, k4 of OpenCV's fisheye lens, instead of `distortion`.
        lens_size: (width, height) of the pictures that a calibration of the lens is of; not checked if None.
        options: settings of the lifter.
        smooth: cutoff of a Butterworth filter of the motion, Hz; no filter if None.
        skeleton: the joints of the result; those of Human3.6M if None, as far as the weights give them.
        world: whether the motion is in the world frame.
        hands: whether to look at hands too, where a wrist is seen.
        camera: what the camera does: auto (found from the background), still, turning or moving; for the world.
        tilt: angle by which the camera looks down, degrees, for the world; found from people if None.

    Raises:
        InputError: a value makes no sense for any video.
    """

    detection: DetectionRequest = field(default_factory=DetectionRequest)
    weights: str = DEFAULT_LIFTER
    people: tuple[int, ...] | None = None
    height: GivenHeights = None
    fov: float | None = None
    intrinsics: tuple[float, float, float, float] | None = None
    distortion: tuple[float, ...] | None = None
    fisheye: tuple[float, ...] | None = None
    lens_size: tuple[int, int] | None = None
    options: LiftOptions = field(default_factory=LiftOptions)
    smooth: float | None = None
    skeleton: str | None = None
    world: bool = False
    hands: bool = False
    camera: CameraMode = "auto"
    tilt: float | None = None

    @property
    def named(self) -> list[int]:
        """Numbers of the people that it names."""
        return [*(self.people or []), *(self.height if isinstance(self.height, Mapping) else [])]

    def __post_init__(self) -> None:
        """Checks, before the long work, what does not depend on the video."""
        check_distortion(self.distortion, self.fisheye)
        check_lens(self.fov, self.intrinsics, self.fisheye)
        check_chosen(self.people, self.height)
        if self.smooth is not None:
            check_cutoff(self.smooth, HIGHEST_RATE)
        check_tilt(self.tilt, self.world)
        check_call("", type(self), vars(self))
