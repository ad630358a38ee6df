"""Gait: steps, strides and phases from strikes and toe-offs."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.kinematics.footfalls import find_footfalls
from poselift.kinematics.whole_body import TO_90, relative_to_body
from poselift.numerics.times import median_interval
from poselift.structures import FEET, Motion

_SHORTEST, _LONGEST = 0.2, 1.5
"""Seconds between two foot strikes of a walk or run: feet of a jump land together, and somebody who stands waits."""

_TO_LINE = TO_90 / 2.5003
"""From the radius that holds a joint in 90 % of cases to the half-width for one coordinate, for normal errors."""

AHEAD = 0.9
"""Share of a walker's step that the ankles are apart when the foot ahead strikes: the ankle behind has already risen
and moved on. In the exact walks of the CMU corpus it is 0.901 (SD 0.011)."""

_IN_PLACE = 0.5
"""Share of the way that the feet go back under the pelvis, of which somebody who walks over ground travels more."""


_FASTEST_BELT = 15.0
"""Metres a second that no belt reaches; faster is a mistake of the unit."""

NO_BELT = "not the speed of a belt; give metres a second, such as 1.3"
"""What an error says of a speed that is none of a belt."""

ALONG = 45.0
"""Degrees between a walk on a treadmill and the camera's axis, below which the camera hardly sees how far feet go."""


@dataclass(frozen=True)
class Step:
    """From the strike of one foot to that of the other.

    Attributes:
        foot: column of `FEET` of the foot that strikes at the end.
        start: seconds.
        end: seconds.
        length: metres ahead over ground or belt, from the ankle of the other foot at its strike to that of this foot.
            On a treadmill of unknown speed, that of a walk is estimated, and that of a run is NaN. On a belt of known
            speed, seen along the walk (`ALONG`), it is the length of the belt that passes in its time.
        width: metres across.
    """

    foot: int
    start: float
    end: float
    length: float
    width: float


@dataclass(frozen=True)
class Stride:
    """From the strike of a foot to its next one.

    Attributes:
        foot: column of `FEET`.
        start: seconds.
        end: seconds.
        stance: share of the stride from the strike to the toe-off; NaN without a toe-off.
        double_support: share of the stride with both feet down; negative is the share without any foot down.
        length: metres from strike to strike over ground, or over the belt; NaN on a treadmill of unknown speed.
        noise: half-width of the 90 % interval of the length, metres, if the errors of both ends are independent; NaN
            if unknown. It does not have the uncertainty of the person's size (`Gait.scale`).
    """

    foot: int
    start: float
    end: float
    stance: float
    double_support: float
    length: float
    noise: float

    @property
    def seconds(self) -> float:
        """From strike to strike."""
        return self.end - self.start

    @property
    def speed(self) -> float:
        """Metres a second."""
        return self.length / self.seconds


@dataclass(frozen=True)
class Gait:
    """A walk or a run.

    Attributes:
        events: seconds, column of `FEET`, and "strike" or "toe-off", in time.
        steps: in time.
        strides: in time; two steps each.
        cadence: steps a minute; NaN without steps.
        cadence_uncertainty: likewise; one frame of error over the time of all steps.
        running: whether it is a run.
        in_place: whether the feet slide back under somebody who does not travel: a treadmill, or a camera that moves.
        scale: half-width of the 90 % interval of all lengths and speeds from the uncertainty of the person's height, as
            a share; 0 for a given height, NaN if the height is unknown.
        belt: speed of the belt that gives the strides their lengths, m/s; None without a belt of known speed.
        view: degrees between the walk and the axis of the camera: 0 from ahead or behind, 90 from the side.
        on_the_spot: whether the steps are on the spot: they have times and a cadence, and no lengths.
        why: says why there are no steps; empty where there are.
    """

    events: list[tuple[float, int, str]]
    steps: list[Step]
    strides: list[Stride]
    cadence: float
    cadence_uncertainty: float
    running: bool
    in_place: bool
    scale: float
    belt: float | None = None
    view: float = np.nan
    on_the_spot: bool = False
    why: str = ""

    @property
    def stride_scale(self) -> float:
        """`scale` of the strides: 0 on a belt of known speed."""
        return 0.0 if self.belt is not None else self.scale


def is_belt(speed: float) -> bool:
    """Whether a treadmill's belt can have this speed, m/s."""
    return 0 < speed < _FASTEST_BELT


@check_annotations
def measure_gait(motion: Motion, belt: float | None = None) -> Gait:
    """The gait of a walk or run forwards.

    Args:
        motion: of one person in the world frame.
        belt: speed of a treadmill's belt, m/s. Strides in place have its lengths; without it, they are NaN.

    Raises:
        InputError: the motion is not in the world frame, its skeleton has no hips, knees and ankles, or no belt has the
            speed.
    """
    if belt is not None and not is_belt(belt):
        raise InputError(f"belt={belt:g} is {NO_BELT}")
    falls = find_footfalls(motion)
    strikes = sorted((time, foot) for foot, times in enumerate(falls.strikes) for time in times.tolist())
    pairs = list(pairwise(strikes))
    # Feet that land together have jumped: neither strike begins or ends a step.
    apart = np.diff([-np.inf, *(time for time, _ in strikes), np.inf]) > _SHORTEST
    stepped = [
        apart[row : row + 3].all() and end - start < _LONGEST and foot != other
        for row, ((start, foot), (end, other)) in enumerate(pairs)
    ]
    ground, interval = _Ground(motion), median_interval(motion.timestamps)
    # A stride is two steps in a row: left, right, left.
    firsts = [row for row in range(len(pairs) - 1) if stepped[row] and stepped[row + 1]]
    spans = [(strikes[row][1], strikes[row][0], strikes[row + 2][0]) for row in firsts]
    travelled = np.array([ground.stride(foot, start, end)[0] / (end - start) for foot, start, end in spans])
    if sum(stepped) < 2:  # a hop, or one foot moved
        stepped = [False] * len(pairs)
    speed = falls.ground_speed if belt is None else belt
    in_place = bool(len(spans)) and bool(np.median(travelled) < _IN_PLACE * speed)
    spot = falls.on_the_spot and in_place and belt is None
    belt, view = belt if in_place else None, ground.view()
    steps = []
    for (start, _), (end, foot) in [pair for pair, is_step in zip(pairs, stepped, strict=True) if is_step]:
        known = not in_place or belt is not None
        length, width = ground.step(foot, start if known else end, end)
        if spot:
            length = np.nan
        elif belt is not None:
            length = belt * (end - start) + (0.0 if view < ALONG else length)
        elif in_place:  # the ankles of a runner are never a step apart
            length = np.nan if falls.running else length / AHEAD
        steps.append(Step(foot, start, end, length, width))
    strides = []
    for row, (foot, start, end) in zip(firsts, spans, strict=True):
        middle = strikes[row + 1][0]
        half = (end - start) / 2
        own = _nearest(falls.toe_offs[foot], middle, half)
        other = _nearest(falls.toe_offs[1 - foot], start, half)
        double = (own - middle + other - start) / (end - start)
        length, noise = ground.stride(foot, start, end)
        if belt is not None:
            length, noise = belt * (end - start), belt * interval
        elif in_place:
            length, noise = np.nan, np.nan
        strides.append(Stride(foot, start, end, (own - start) / (end - start), double, length, noise))
    total = sum(step.end - step.start for step in steps)
    cadence = 60 * len(steps) / total if steps else np.nan
    events = [
        (time, foot, name)
        for name, each in (("strike", falls.strikes), ("toe-off", falls.toe_offs))
        for foot, times in enumerate(each)
        for time in times.tolist()
    ]
    height = motion.height
    scale = np.nan if height is None else TO_90 * height.spread / height.metres
    return Gait(
        sorted(events) if steps else [],
        steps,
        strides,
        cadence,
        cadence * interval / total if steps else np.nan,
        falls.running,
        in_place,
        float(scale),
        belt,
        view,
        spot,
        falls.why,
    )


class _Ground:
    """Places of the ankles over the ground.

    Args:
        motion: in the world frame.
    """

    def __init__(self, motion: Motion) -> None:
        self._times = motion.timestamps[motion.posed]
        index = motion.skeleton.index
        sides = [foot.removesuffix("_foot") for foot in FEET]
        points = (motion.joints + motion.root[:, None])[motion.posed].astype(np.float64)
        self._ankles = [points[:, index(f"{side}_ankle")] for side in sides]
        hips = [points[:, index(f"{side}_hip")] for side in sides]
        self._across = hips[0] - hips[1]
        uncertainty = relative_to_body(motion).uncertainty
        self._uncertainty = [
            np.full(len(points), np.nan) if uncertainty is None else uncertainty[motion.posed, index(f"{side}_ankle")]
            for side in sides
        ]

    def step(self, foot: int, start: float, end: float) -> tuple[float, float]:
        """A step's length and width, metres.

        From the other ankle at the start to the foot's at the end, in the body's heading.
        """
        apart = self._at(end, self._ankles[foot]) - self._at(start, self._ankles[1 - foot])
        near = np.abs(self._times - end) <= 0.5
        across = self._across[near].mean(0)[[0, 2]]
        across /= np.linalg.norm(across)
        # Ahead is across turned about y; a left foot is to the left of the right one.
        ahead = np.array([-across[1], across[0]])
        sign = 1 if FEET[foot].startswith("left") else -1
        return float(apart[[0, 2]] @ ahead), float(sign * (apart[[0, 2]] @ across))

    def stride(self, foot: int, start: float, end: float) -> tuple[float, float]:
        """An ankle's way over the ground, and its uncertainty, metres.

        The uncertainty is the half-width of the 90 % interval, from the ankle's.
        """
        way = self._at(end, self._ankles[foot]) - self._at(start, self._ankles[foot])
        uncertainty = [np.interp(time, self._times, self._uncertainty[foot]) for time in (start, end)]
        return float(np.hypot(way[0], way[2])), float(_TO_LINE * np.hypot(*uncertainty))

    def view(self) -> float:
        """Degrees between body's mean heading and the camera's axis. The axis is the world's z."""
        across = np.abs(self._across.mean(0)) if len(self._across) else np.full(3, np.nan)
        return float(np.degrees(np.arctan2(across[2], across[0])))

    def _at(self, time: float, places: Float[np.ndarray, "t 3"]) -> Float[np.ndarray, "3"]:
        return np.array([np.interp(time, self._times, column) for column in places.T])


def _nearest(times: Float[np.ndarray, " n"], time: float, reach: float) -> float:
    """The time nearest to another; NaN if none is near."""
    near = times[np.abs(times - time) < reach]
    return float(near[np.abs(near - time).argmin()]) if len(near) else np.nan
