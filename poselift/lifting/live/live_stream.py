"""A live source and its 3D: capture, detector, tracker, lifter, world."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType

import numpy as np
from numpy.random import default_rng

from poselift.core.threads import limit_torch
from poselift.detection import Detector, MoveNetBlazePose, PlaceDetector, Search
from poselift.detection.hands import HandModel
from poselift.finding import DEFAULT_QUALITY, build_finder
from poselift.geometry.camera import Camera, camera_for
from poselift.kinematics.up import check_tilt, up_of_tilt
from poselift.lifting.clips.clip_warnings import find_bent_lens
from poselift.lifting.lifter_device import choose_lifter_device
from poselift.lifting.live.live_camera import LiveCamera
from poselift.lifting.live.live_hands import LiveHands
from poselift.lifting.live.live_people import LivePeople
from poselift.lifting.live.streaming import LIVE, StreamingPeople
from poselift.lifting.request import DEFAULT_LIVE_LIFTER, QUICK_DETECTOR, DetectorRequest
from poselift.lifting.world.streaming_world import StreamingWorld
from poselift.models import Weights, load_weights
from poselift.structures import LiveFrame
from poselift.video import LiveCapture, source_opener

_WAIT = 0.05
"""Longest time to wait for a frame before looking whether the source has ended, seconds."""


@dataclass(frozen=True)
class StreamRequest:
    """What to stream, with which lifter and detector.

    Attributes:
        source: number of a camera, a video file, or a URL.
        weights: the lifter: a name, or a file.
        detector: finds the people.
        quality: how often the detector looks.
        fov: field of view across the longer side of the picture, degrees; assumed if None.
        intrinsics: fx, fy, cx, cy in pixels, instead of `fov`.
        lookahead: detections that a pose waits for.
        world: whether poses are in the world frame.
        tilt: angle by which the camera looks down, degrees, for the world; found from people if None.
        device: for lifter and detector.
        hands: whether to look at hands too, one hand a frame in turn.
    """

    source: str
    weights: str = DEFAULT_LIVE_LIFTER
    detector: DetectorRequest = field(default_factory=lambda: DetectorRequest(QUICK_DETECTOR))
    quality: str = DEFAULT_QUALITY
    fov: float | None = None
    intrinsics: tuple[float, float, float, float] | None = None
    lookahead: int = 0
    world: bool = False
    device: str = "auto"
    tilt: float | None = None
    hands: bool = False

    def __post_init__(self) -> None:
        """Checks, before the source is opened, what does not depend on it."""
        check_tilt(self.tilt, self.world)


class LiveStream:
    """An opened source that lifts.

    It is a context manager and an iterator over its processed frames. Frames that come faster than they can be
    processed are dropped, so that the lag does not grow.

    Args:
        request: what to stream.
        notice: receives lines about the source: that it is opened again, that its camera moves or has a bent
            lens.

    Attributes:
        name: of the source.
        capture: gives the frames.
        detector: finds the people.
        weights: the lifter's.
        camera: of the pictures.
        lifter: lifts the people.
        people: finds, tracks and lifts them.

    Raises:
        InputError: something that was given cannot be used, or the source cannot be opened.
    """

    def __init__(self, request: StreamRequest, notice: Callable[[str], None] = lambda line: None) -> None:
        self.name, opener = source_opener(request.source)
        self.capture = LiveCapture(opener, self.name, notice)
        self.weights = load_weights(
            request.weights, choose_lifter_device(request.device, request.weights, request.detector)
        )
        self.detector = request.detector.build(request.device)
        # Detectors search in the background: more threads would wait for a core, and for each other.
        limit_torch(1)
        self.camera = camera_for(self.capture.image_size, request.fov, request.intrinsics)
        for caution in find_bent_lens(self.camera):
            notice(f"warning: {caution}")
        _warm_up(self.detector, self.weights, self.camera)
        self.lifter = StreamingPeople(self.weights, self.camera, self.detector.skeleton, request.lookahead)
        world = watch = None
        if request.world:
            watch = LiveCamera(self.camera, notice)
            up = None if request.tilt is None else up_of_tilt(math.radians(request.tilt))
            world = StreamingWorld(self.camera, self.lifter.skeleton, self.detector.skeleton, LIVE.threshold, up)
        hands = None
        if request.hands:
            hands = LiveHands(HandModel(), self.camera, self.detector.skeleton)
            hands.warm_up()
        finder = build_finder(self.detector, request.quality, wait=False, wait_first=self.capture.own_pace)
        self.people = LivePeople(finder, self.lifter, self.capture.image_size, world, hands, watch)

    def __enter__(self) -> "LiveStream":
        self.capture.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.capture.__exit__(kind, error, trace)

    def __iter__(self) -> Iterator[LiveFrame]:
        """The processed frames, until the source ends."""
        while not self.capture.ended:
            if (captured := self.capture.newest(_WAIT)) is not None:
                yield self.people.process(captured)


def _warm_up(detector: Detector, weights: Weights, camera: Camera) -> None:
    """Runs the networks once, so that the first frames come in time.

    The first time takes longer, and frames would be dropped.
    """
    width, height = camera.image_size
    picture = np.zeros((height, width, 3), np.uint8)
    if isinstance(detector, MoveNetBlazePose):
        _warm_up(detector.first, weights, camera)
        detector.second.look_at(picture, default_rng(0).uniform(0, min(width, height), (17, 2)), np.ones(17))
    if isinstance(detector, PlaceDetector):
        detector.look(picture, np.array([[0.0, 0.0, width, height]]), np.zeros(1))
        for how in (Search(fine=False), Search(turns=(0, 1, 2, 3), tiles=True)):
            detector.search(picture, how)
    else:
        detector.detect([picture])
    body = default_rng(0).uniform(0, min(camera.image_size), (len(detector.skeleton), 2))
    StreamingPeople(weights, camera, detector.skeleton).push({1: (body, np.ones(len(body)))}, 0.0)
