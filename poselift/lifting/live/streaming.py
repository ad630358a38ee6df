"""Lifting while frames arrive: everybody's poses at each push."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from jaxtyping import Float

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.core.safe_parsing import real_number
from poselift.geometry.camera import Camera
from poselift.lifting.live.pose_smoothing import PoseSmoother
from poselift.lifting.live.streamed_person import StreamedPerson
from poselift.lifting.network.choose import choose_network
from poselift.lifting.network.overlapping_windows import lift_segments
from poselift.lifting.network.protocol import LifterNetwork
from poselift.lifting.options import LiftOptions
from poselift.models import Weights
from poselift.numerics.times import ENOUGH, check_intervals
from poselift.skeleton import Skeleton
from poselift.structures import StreamedPose

LIVE = LiftOptions(flip=False, window=63)
"""Defaults of live use (benchmarks/stream.md has the errors and times of others)."""

_SLOWEST = 0.25
"""Least pushes a second: a slow computer may look every few seconds, and milliseconds up to 250 frames a second are
4 or more apart."""

FORGOTTEN = 3.0
"""Seconds without keypoints after which `StreamingPeople` forgets a person."""


class StreamingPeople:
    """Lifts all people of a stream's pictures; people come and go.

    A person begins with the first push that has keypoints for their number. After `FORGOTTEN` seconds without
    keypoints the person is forgotten, so that memory does not grow.

    Args:
        weights: the lifter.
        camera: the camera of the keypoints.
        skeleton: of the keypoints.
        lookahead: number of later pushes that a pose waits for.
        options: settings; `every_frame` has no effect here.
        smooth: smooth the poses over time (`poselift.lifting.live.pose_smoothing`).

    Attributes:
        skeleton: of the poses.
        exchanged: numbers of people whose left and right were exchanged in some frames; they are left as they are, and
            the uncertainty covers both sides.
        exchanged_parts: the same of legs or arms alone: the person's number and the part.

    Raises:
        InputError: `lookahead` is negative or not below the frames in a window.

    Example:
        >>> from poselift.lifting import camera_for
        >>> from poselift.models import load_weights
        >>> from poselift.skeleton import COCO17
        >>> people = StreamingPeople(load_weights("tiny"), camera_for((640, 480)), COCO17)
        >>> body = np.random.default_rng(0).uniform(200, 400, (17, 2))
        >>> sorted(people.push({1: (body, np.ones(17)), 7: (body + 50, np.ones(17))}, 0.0))
        [1, 7]
        >>> people.push({7: (body + 50, np.ones(17))}, 0.04)[1].interpolated
        True
    """

    @check_annotations
    def __init__(
        self,
        weights: Weights,
        camera: Camera,
        skeleton: Skeleton,
        lookahead: int = 0,
        options: LiftOptions = LIVE,
        smooth: bool = True,
    ) -> None:
        self.skeleton = weights.skeleton_out
        network, window = choose_network(weights), options.window or weights.window
        self._lift = partial(lift_people, network=network, window=window, flip=options.flip)
        self._new = lambda: StreamedPerson(weights, camera, skeleton, lookahead, options)
        self._new()  # checks the arguments
        self._smoother = lambda: PoseSmoother(self.skeleton) if smooth else _keep
        self._last, self._first_times = -np.inf, list[float]()
        self.exchanged: set[int] = set()
        self.exchanged_parts: set[tuple[int, str]] = set()
        self._people: dict[int, StreamedPerson] = {}
        self._smooth: dict[int, Callable[[StreamedPose], StreamedPose]] = {}
        self._lost = (np.full((len(skeleton), 2), np.nan), np.zeros(len(skeleton)))

    def push(
        self, people: Mapping[int, tuple[Float[np.ndarray, "j 2"], Float[np.ndarray, " j"]]], timestamp: float
    ) -> dict[int, StreamedPose]:
        """Everybody's poses, by number, at the frame of `lookahead` pushes ago.

        Call it once for each frame in which a detector looked for people, also if it found nobody.

        Args:
            people: keypoints (pixels; NaN where a joint was not seen) and scores (0 to 1) of the people found, by
                number. Known people who are left out were not found.
            timestamp: of the frame, seconds; larger than that of the push before.

        Raises:
            InputError: an array has another shape, a score is not from 0 to 1, or the timestamp does not increase or
                is not in seconds.
        """
        times = self._check_time(timestamp)
        if not isinstance(people, Mapping):
            raise InputError(f"people is a {type(people).__name__}; give a dict of (keypoints, scores) by number")
        for number, found in people.items():
            if not isinstance(found, tuple | list) or len(found) != 2:
                raise InputError(f"person {number} has a {type(found).__name__}; give two arrays, (keypoints, scores)")
            if number not in self._people:
                self._people[number], self._smooth[number] = self._new(), self._smoother()
        for number, person in self._people.items():
            keypoints, scores = people.get(number, self._lost)
            person.add(keypoints, scores, float(timestamp))
            if person.sides.exchanged:
                self.exchanged.add(number)
            self.exchanged_parts |= {(number, part) for part in person.sides.parts}
        self._last, self._first_times = float(timestamp), times
        for number in [n for n, person in self._people.items() if timestamp - person.last_seen > FORGOTTEN]:
            del self._people[number], self._smooth[number]
        self._lift(list(self._people.values()))
        poses = {number: person.next_pose() for number, person in self._people.items()}
        return self._smooth_all(poses)

    def _check_time(self, timestamp: float) -> list[float]:
        """The first timestamps with this one, checked. A refused push leaves no trace."""
        seconds = real_number(timestamp)
        if seconds is None or not np.isfinite(seconds):
            raise InputError(f"the timestamp {timestamp} is no time; give seconds")
        if not self._last < timestamp:
            raise InputError(f"the timestamp {timestamp} s does not come after {self._last:g} s; give seconds")
        times = [*self._first_times, timestamp][:ENOUGH]
        if len(times) > len(self._first_times):
            check_intervals(np.array(times, float), _SLOWEST)
        return times

    def flush(self) -> list[dict[int, StreamedPose]]:
        """The poses of the last `lookahead` pushes, at a stream's end. There is one dict for each."""
        found = []
        while pending := max((person.pending for person in self._people.values()), default=0):
            people = {number: person for number, person in self._people.items() if person.pending == pending}
            self._lift(list(people.values()), last=True)
            poses = {number: person.next_pose(last=True) for number, person in people.items()}
            found.append(self._smooth_all(poses))
        return found

    def _smooth_all(self, poses: dict[int, StreamedPose | None]) -> dict[int, StreamedPose]:
        """The poses of those who have one."""
        return {number: self._smooth[number](pose) for number, pose in poses.items() if pose is not None}


def _keep(pose: StreamedPose) -> StreamedPose:
    return pose


def lift_people(
    people: Sequence[StreamedPerson], network: LifterNetwork, window: int, flip: bool, last: bool = False
) -> None:
    """Lifts the windows that the next poses of people need, together.

    Args:
        people: of one stream.
        network: runs the lifter.
        window: frames in a window.
        flip: average with the mirrored keypoints.
        last: no more frames come.
    """
    due = [(person, prepared) for person in people if (prepared := person.next_window(last)) is not None]
    lifted = lift_segments(network, [prepared.segments[0] for _, prepared in due], window, flip)
    for (person, prepared), own in zip(due, lifted, strict=True):
        person.take(prepared, own)
