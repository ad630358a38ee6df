"""Foot strikes and toe-offs from feet that move against the pelvis.

Over ground, on a treadmill and beside a moving camera a foot swings ahead of the pelvis and then goes back under it, so
no foot has to rest in the world. A walker's heel is farthest ahead shortly before it strikes, and the toe is farthest
behind shortly after it leaves (Zeni et al., Gait & Posture 2008; the least biased of seven kinematic methods in Zhang
et al., arXiv 2503.00794): force plates are 28 ms later and 8 ms earlier. A runner's foot moves back before it lands and
after it has left, so there these are 50 ms early and 110 ms late. So events are where the foot takes up and gives up a
share of the speed that it has on the ground. An ankle leaves before the toe, so without toes a walker's foot is off
when the ankle already overtakes the pelvis. docs/angles.md has the errors.

It passes 300 lines, because strikes and toe-offs share the speeds and courses that find them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.numerics.sliding import smooth_gaussian
from poselift.numerics.times import median_interval
from poselift.skeleton import Skeleton
from poselift.structures import FEET, Motion

_RATE = 100.0
"""Samples a second of the courses in which events are sought; events lie between frames."""

_SMOOTH, _HEADING = 0.03, 0.25
"""Standard deviations in seconds of the Gaussians over the feet's courses and over the pelvis's heading."""

_SWING = 0.18
"""Least way of a foot between two events, as a share of the leg's length. Lifted ankles of somebody who stands move by
a third of it."""

_ON_GROUND = 70
"""Percentile of a foot's backward speeds from strike to toe-off that is its speed on the ground."""

_RUN_FAST, _FAST = 0.48, 0.6
"""In a run, a foot goes back at more than `_FAST` of its speed on the ground for less than this share of a stride. In
the CMU corpus it does so for 0.62 (SD 0.02) of a walk and 0.45 (0.05) of a run; by ankles alone 0.55 and 0.36."""

_SINKS = 0.013
"""In a run, the hips are lower amid a stance than at its ends by more than this share of the leg's length: a runner
lands on a bent leg, a walker goes over a straight one (Cavagna, Heglund, Taylor, Am. J. Physiol. 1977). Of walks they
rise, or sink by 0.006 at most, and of runs they sink by 0.020 at least, exact or lifted (docs/angles.md)."""

_LOW = 0.5
"""Share of an ankle's way up and down that is low."""

_RUN_STEP = 60 / 140
"""In a run, steps are shorter than this, seconds: in the CMU corpus walks have at most 133 steps a minute, and runs at
least 152. Every view shows it; from straight ahead a walk on a treadmill may have both signs of a run."""

_ROUND = 0.55
"""Share of a stride in which an ankle is in the lower `_LOW` of its way, up to which it goes round and rests nowhere,
as on a bicycle (0.50). Walks and runs have 0.62 or more, a lifted walk on bent knees 0.60 (docs/angles.md)."""

_SITS = 0.65
"""Height of the hips over the standing ankle below which somebody sits, as a share of the leg's length. Walks with bent
knees have 0.85; on a chair it is 0.5."""

_STEEP = 0.5
"""Way of an ankle up and down, as a share of the way back from strike to toe-off, above which steps are on the spot.
Walks have 0.34 at most, exact or lifted; marching with raised knees has 0.74 and more (docs/angles.md)."""

_RESTS = 0.005
"""Standard deviation of the hips in the picture, without slow ways (`_SWAY`), below which the pelvis rests, as a share
of the leg in the picture. Feet that take weight move it: in the CMU corpus by 0.012 or more, seen from anywhere. Legs
that move on a chair leave 0.003, which is noise."""

_SIDE, _STRAIGHT = 0.1, 0.9
"""Distance of the hips in the picture as a share of the leg, below which somebody is seen from the side, and the share
of its length over which a leg reaches there that does not sit. The sway of a slow walk does not show there, and its
pelvis bobs by less than `_RESTS`; of a seated leg that kicks it is 0.83."""

_SWAY = 0.05, 0.4
"""Standard deviations in seconds of the Gaussians between which a course is how a pelvis sways and bobs."""

_BACKWARDS = 0.3
"""Share of the speed on the ground at which somebody travels who walks backwards."""

WHY_ROUND = "No steps: the feet go round without a rest, as on a bicycle."
WHY_SITS = "No steps: the legs move under somebody who sits, or is low on bent knees."
WHY_RESTS = "No steps: the legs move, but the pelvis rests, as on a seat."
WHY_BACKWARDS = "No steps: the person walks backwards, and strikes and toe-offs are those of a walk forwards."

_SHARES = {
    ("walk", "big_toe"): (0.5, 0.2),
    ("walk", "ankle"): (0.4, -0.3),
    ("run", "big_toe"): (0.8, 0.9),
    ("run", "ankle"): (0.8, 0.6),
}
"""Backward speed of a foot at its strike and toe-off, as shares of that on the ground, by gait and by the joint that
shows the toe-off. A walk's are set on force plates under children (benchmarks/gait_lab.py), a run's on the CMU corpus
beside the heights and speeds of heels and toes."""


@dataclass(frozen=True)
class Footfalls:
    """When the feet strike and leave the ground.

    Attributes:
        strikes: seconds of the strikes of each foot of `FEET`, increasing.
        toe_offs: seconds of the toe-offs, likewise; strikes and toe-offs of a foot alternate.
        ground_speed: how fast the ground passes under the pelvis while feet stand, m/s: the speed over ground, or that
            of a treadmill's belt. NaN without a whole stance.
        running: whether the gait is a run.
        on_the_spot: whether the feet are lifted and put down without going back on the ground.
        why: says why the feet make no steps; empty where they do.
    """

    strikes: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " m"]]
    toe_offs: tuple[Float[np.ndarray, " k"], Float[np.ndarray, " l"]]
    ground_speed: float
    running: bool
    on_the_spot: bool = False
    why: str = ""


def find_footfalls(motion: Motion) -> Footfalls:
    """Strikes and toe-offs of a walk or run forwards, if any.

    Args:
        motion: of one person in the world frame.

    Raises:
        InputError: the motion is not in the world frame, or its skeleton has no hips and ankles.
    """
    if motion.frame != "world":
        raise InputError("gait events need the direction of up; lift with --world")
    if not steps_with(motion.skeleton):
        raise InputError(f"{motion.skeleton.name} lacks hips, knees or ankles, which gait events need")
    # A detector without feet shows no toes, though the lifter gives them.
    shown = {joint for joint, seen in zip(motion.skeleton.joints, motion.in_sight().T, strict=True) if seen.any()}
    whole = _both(("heel", "big_toe")) <= shown
    ends = ("heel", "big_toe") if whole else ("ankle", "ankle")
    stretches = [stretch for run in _runs(motion) for stretch in _stretches(motion, run, ends)]
    speeds = [stretch.speed for stretch in stretches]
    speed = float(np.nanmedian(speeds)) if np.isfinite(speeds).any() else np.nan
    shares = [share for stretch in stretches for share in stretch.shares()]
    fast, low = np.median(shares, axis=0) if shares else (0.0, 0.0)  # a clip without a whole stride has its cadence
    stances = [each for stretch in stretches for each in stretch.stances()]
    height, steep, rise = np.median(stances, axis=0) if stances else (np.inf, 0.0, -np.inf)
    apart = np.diff(sorted(stretch.times[row] for stretch in stretches for row in stretch.strikes))
    quick = len(apart) > 0 and np.median(apart) < _RUN_STEP
    running = bool(quick and fast < _RUN_FAST and rise < -_SINKS)
    why = ""
    if shares and _travels_backwards(motion, speed):
        why = WHY_BACKWARDS
    elif stances and height < _SITS:
        why = WHY_SITS
    elif shares and low < _ROUND:
        why = WHY_ROUND
    elif len(apart) and steep <= _STEEP and _pelvis_rests(motion):  # made people who march have a still pelvis
        why = WHY_RESTS
    if why:
        nothing = np.zeros(0), np.zeros(0)
        return Footfalls(nothing, nothing, speed, False, why=why)
    on_the_spot = bool(steep > _STEEP) and not running
    limits = _SHARES["run" if running else "walk", ends[1]]
    found: list[tuple[list[float], list[float]]] = [([], []), ([], [])]
    for stretch in stretches:
        strikes, toe_offs = stretch.times_of_events(limits, speed)
        found[stretch.foot][0].extend(strikes)
        found[stretch.foot][1].extend(toe_offs)
    left, right = ((np.array(strikes), np.array(toe_offs)) for strikes, toe_offs in found)
    return Footfalls((left[0], right[0]), (left[1], right[1]), speed, running, on_the_spot)


def _pelvis_rests(motion: Motion) -> bool:
    """Whether hips stay in place in the picture while ankles move."""
    seen, pixels = motion.keypoints, motion.keypoints.keypoints.astype(np.float64)
    legs = [[f"{side}_{joint}" for joint in ("hip", "knee", "ankle")] for side in ("left", "right")]
    if not {joint for leg in legs for joint in leg} <= set(seen.skeleton.joints):
        return False
    hips, _, ankles = (np.stack([pixels[:, seen.skeleton.index(leg[joint])] for leg in legs]) for joint in range(3))
    chains = np.stack([pixels[:, seen.skeleton.indices(leg)] for leg in legs])
    lengths = np.linalg.norm(np.diff(chains, axis=2), axis=-1).sum(-1)
    sways: list[list[np.ndarray]] = [[], []]
    for frames in _runs(motion):
        for found, course in zip(sways, (hips.mean(0), ankles[0] - ankles[1]), strict=True):
            known = frames[np.isfinite(course[frames]).all(-1)]
            if len(known) > 2:
                seconds = motion.timestamps[known]
                even = _sampled(np.arange(seconds[0], seconds[-1], 1 / _RATE), seconds, course[known])
                fine, slow = (smooth_gaussian(even, width * _RATE, mirrored=True) for width in _SWAY)
                found.append(fine - slow)
    known = np.isfinite(lengths).all(0)
    if not all(sways) or not known.any():
        return False
    length = np.percentile(lengths[:, known], 90)
    apart = np.median(np.linalg.norm(hips[0] - hips[1], axis=-1)[known])
    reach = np.median((np.linalg.norm(ankles - hips, axis=-1) / np.maximum(lengths, 1e-9))[:, known])
    if apart < _SIDE * length and reach > _STRAIGHT:
        return False
    moved = [float(np.sqrt((np.concatenate(found) ** 2).sum(-1).mean())) for found in sways]
    return bool(moved[0] < _RESTS * length and moved[1] > 4 * moved[0])


def _travels_backwards(motion: Motion, speed: float) -> bool:
    """Whether steps mostly travel against the body's heading."""
    posed = motion.posed
    across = motion.joints[posed][:, motion.skeleton.index("left_hip")].astype(np.float64)
    across -= motion.joints[posed][:, motion.skeleton.index("right_hip")]
    ahead = np.cross(across, [0.0, 1.0, 0.0])
    ahead /= np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-9)
    times, places = motion.timestamps[posed], motion.root[posed].astype(np.float64)
    if len(times) < 2 or not np.isfinite(speed):
        return False
    travelled = (np.diff(places, axis=0) * (ahead[1:] + ahead[:-1]) / 2).sum()
    return bool(travelled < -_BACKWARDS * abs(speed) * (times[-1] - times[0]))


def steps_with(skeleton: Skeleton) -> bool:
    """Whether a skeleton has the joints that gait events need."""
    return _both(("hip", "knee", "ankle")) <= set(skeleton.joints)


def _both(joints: Sequence[str]) -> set[str]:
    return {f"{foot.removesuffix('_foot')}_{joint}" for foot in FEET for joint in joints}


@dataclass(frozen=True)
class _Stretch:
    """The course of one foot over known frames.

    Attributes:
        foot: column of `FEET`.
        times: seconds, evenly.
        backward: speed towards the back of the points that show strikes and toe-offs, m/s.
        height: of the ankle over the hips, metres.
        hips: height of the hips in the world, metres.
        leg: length of the leg, metres.
        strikes: samples where the foot is farthest ahead.
        toe_offs: samples where it is farthest behind; the two alternate.
    """

    foot: int
    times: Float[np.ndarray, " n"]
    backward: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]
    height: Float[np.ndarray, " n"]
    hips: Float[np.ndarray, " n"]
    leg: float
    strikes: list[int]
    toe_offs: list[int]

    @property
    def speed(self) -> float:
        """The foot's median speed on the ground, m/s. The median is over the stances; NaN without a whole one."""
        pairs = self._stances()
        return float(np.median([self._ground_speed(*pair) for pair in pairs])) if pairs else np.nan

    def shares(self) -> list[tuple[float, float]]:
        """Shares of each stride: foot fast backwards, ankle low."""
        out = []
        for strike, toe_off in self._stances():
            if following := [sample for sample in self.strikes if sample > toe_off]:
                end = following[0]
                fast = self.backward[1][strike:toe_off] > _FAST * self._ground_speed(strike, toe_off)
                height = self.height[strike:end] - self.height[strike:end].min()
                out.append((fast.sum() / (end - strike), float((height < _LOW * height.max()).mean())))
        return out

    def stances(self) -> list[tuple[float, float, float]]:
        """How hips and ankle move in each stance.

        These are the hips over the ankle amid it, the ankle's rise and fall, and the hips' rise amid it. The first and
        last are shares of the leg's length, the second of the foot's way back in the stance.
        """
        out = []
        for strike, toe_off in self._stances():
            fifth = (toe_off - strike) // 5
            middle = self.height[strike + fifth : toe_off - fifth + 1]
            back = self.backward[1][strike:toe_off].sum() / _RATE
            amid = self.hips[strike + 2 * fifth : toe_off - 2 * fifth + 1].mean()
            rise = amid - (self.hips[strike] + self.hips[toe_off]) / 2
            steep = np.ptp(self.height) / max(back, 1e-9)
            out.append((float(-middle.mean() / self.leg), float(steep), float(rise / self.leg)))
        return out

    def times_of_events(self, shares: tuple[float, float], usual: float) -> tuple[list[float], list[float]]:
        """Seconds of strikes and toe-offs.

        Args:
            shares: of the speed on the ground, at a strike and at a toe-off.
            usual: speed on the ground for stances that the clip cuts, m/s.
        """
        last = len(self.times) - 1
        strikes, toe_offs = [], []
        for strike in self.strikes:
            toe_off = next((sample for sample in self.toe_offs if sample > strike), last)
            speed = shares[0] * self._speed_between(strike, toe_off, usual)
            reached = np.flatnonzero(self.backward[0][strike : toe_off + 1] >= speed)
            strikes.append(float(self.times[strike + (reached[0] if len(reached) else 0)]))
        for toe_off in self.toe_offs:
            strike = max((sample for sample in self.strikes if sample < toe_off), default=0)
            speed = shares[1] * self._speed_between(strike, toe_off, usual)
            if speed >= 0:
                reached = strike + np.flatnonzero(self.backward[1][strike : toe_off + 1] >= speed)[-1:]
            else:
                reached = toe_off + np.flatnonzero(self.backward[1][toe_off:] <= speed)[:1]
            toe_offs.append(float(self.times[reached[0] if len(reached) else toe_off]))
        return strikes, toe_offs

    def _stances(self) -> list[tuple[int, int]]:
        following = [(strike, [sample for sample in self.toe_offs if sample > strike]) for strike in self.strikes]
        return [(strike, after[0]) for strike, after in following if after]

    def _speed_between(self, strike: int, toe_off: int, usual: float) -> float:
        whole = strike in self.strikes and toe_off in self.toe_offs
        return self._ground_speed(strike, toe_off) if whole or np.isnan(usual) else usual

    def _ground_speed(self, strike: int, toe_off: int) -> float:
        return float(np.percentile(self.backward[0][strike : toe_off + 1], _ON_GROUND))


def _runs(motion: Motion) -> list[np.ndarray]:
    """Runs of frames with a pose and both ankles in sight. No frame is missing within."""
    ankles = motion.skeleton.indices(sorted(_both(("ankle",))))
    known = np.flatnonzero(motion.posed & motion.in_sight()[:, ankles].all(1))
    interval = median_interval(motion.timestamps)
    apart = (np.diff(known) > 1) | (np.diff(motion.timestamps[known]) > 2.5 * interval)
    return [run for run in np.split(known, np.flatnonzero(apart) + 1) if len(run) > 2]


def _stretches(motion: Motion, frames: np.ndarray, ends: tuple[str, str]) -> list[_Stretch]:
    """The courses of both feet over a run of frames."""
    index = motion.skeleton.index
    seconds = motion.timestamps[frames]
    times = np.arange(seconds[0], seconds[-1], 1 / _RATE)
    points = motion.joints[frames].astype(np.float64)
    hips = [points[:, index(f"{foot.removesuffix('_foot')}_hip")] for foot in FEET]
    across = smooth_gaussian(_sampled(times, seconds, hips[0] - hips[1]), _HEADING * _RATE, mirrored=True)
    ahead = np.cross(across, [0.0, 1.0, 0.0])
    ahead /= np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-9)
    stretches = []
    for foot, name in enumerate(FEET):
        side = name.removesuffix("_foot")
        chain = [points[:, index(f"{side}_{joint}")] for joint in ("hip", "knee", "ankle")]
        leg = float(np.median(np.linalg.norm(np.diff(chain, axis=0), axis=-1).sum(0)))
        swing = _SWING * leg
        ways = []
        for end in ends:
            away = _sampled(times, seconds, points[:, index(f"{side}_{end}")] - (hips[0] + hips[1]) / 2)
            ways.append(smooth_gaussian((away * ahead).sum(-1), _SMOOTH * _RATE, mirrored=True))
        peaks = (_find_peaks(sign * way, swing) for sign, way in zip((1, -1), ways, strict=True))
        strikes, toe_offs = _alternating(*peaks, *ways)
        backward = -np.gradient(ways[0]) * _RATE, -np.gradient(ways[1]) * _RATE
        ankle = _sampled(times, seconds, chain[2] - (hips[0] + hips[1]) / 2)[:, 1]
        height = smooth_gaussian(ankle, _SMOOTH * _RATE, mirrored=True)
        pelvis = np.interp(times, seconds, motion.root[frames, 1])
        stretches.append(_Stretch(foot, times, backward, height, pelvis, leg, strikes, toe_offs))
    return stretches


def _sampled(times: np.ndarray, seconds: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors interpolated at times; (n, 3)."""
    return np.stack([np.interp(times, seconds, column) for column in vectors.T], -1)


def _find_peaks(values: np.ndarray, prominence: float) -> np.ndarray:
    """Frames of the peaks that stand out enough.

    They rise so much over the lowest value on the way to a higher one or to the end.
    """
    steps = np.sign(np.diff(values))
    turns = np.flatnonzero(steps)
    tops = (steps[turns[:-1]] > 0) & (steps[turns[1:]] < 0)
    peaks = (turns[:-1][tops] + 1 + turns[1:][tops]) // 2  # the middle of a flat top
    kept = []
    for peak in peaks:
        higher = np.concatenate([[-1], np.flatnonzero(values > values[peak]), [len(values)]])
        after = int(np.searchsorted(higher, peak))
        valleys = values[higher[after - 1] + 1 : peak + 1].min(), values[peak : higher[after]].min()
        if values[peak] - max(valleys) >= prominence:
            kept.append(peak)
    return np.array(kept, int)


def _alternating(
    strikes: np.ndarray, toe_offs: np.ndarray, ahead: np.ndarray, behind: np.ndarray
) -> tuple[list[int], list[int]]:
    """Peaks of alternating kind. Of several peaks of one kind in a row, only the most extreme one stays."""
    kept: list[tuple[int, int]] = []
    for sample, kind in sorted([(int(row), 0) for row in strikes] + [(int(row), 1) for row in toe_offs]):
        if kept and kept[-1][1] == kind:
            way, sign = ((ahead, 1), (behind, -1))[kind]
            kept[-1] = max(kept[-1], (sample, kind), key=lambda event: sign * way[event[0]])
        else:
            kept.append((sample, kind))
    return [sample for sample, kind in kept if kind == 0], [sample for sample, kind in kept if kind == 1]
