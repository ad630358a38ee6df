"""How good the found cameras are, what is weak, what helps.

It passes 300 lines because what is said rests on figures that are measured here and nowhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.geometry.camera import Camera
from poselift.kinematics.whole_body import TO_90
from poselift.several_views.calibration import Calibration
from poselift.several_views.fusion import Fused
from poselift.several_views.observations import TO_SPREAD, Observations
from poselift.several_views.who_is_who import People

_NARROW = 45.0
"""Degrees between two cameras' lines of sight from which they see depth poorly: of the pairs around CMU's val people,
one that crosses at 40 degrees had twice the error of the same take's other pairs, with no other warning."""

_TURNED, _SIZED = 2.5, 5.0
"""Degrees, and per cent of the size, within which a take is in 90 % of cases, from which that is a doubt. Of 53 pairs
of virtual cameras around CMU's train people, those that are turned by more than 2 degrees say 3 or more."""

_ACROSS = 60.0
"""Degrees between two lines of sight from which they cross well."""

_BESIDE = 0.045
"""Median distance of joints from their rays, metres, from which a camera does not fit the others."""

_UNEVEN = 0.15
"""Share by which the sizes of two bodies, as the rays have them, may differ from those that each view lifts."""

_DISAGREE = 3.0
"""Degrees by which a camera may turn where one person is left out."""

_STILL = 0.3
"""Range of the people's places in the space, metres, from which the cameras' places are well known."""


@dataclass(frozen=True)
class CameraReport:
    """One camera.

    Attributes:
        name: of the camera.
        pixels: median distance of joints from their keypoints, pixels.
        percent: likewise, per cent of the body's height.
        angle: standard deviation of its rotation against the first one, degrees.
        place: likewise of its place, metres.
        seen: share of the frames with somebody that it sees.
    """

    name: str
    pixels: float
    percent: float
    angle: float
    place: float
    seen: float


@dataclass(frozen=True)
class PairReport:
    """Two cameras.

    Attributes:
        names: of the cameras.
        angle: between their lines of sight to the people, degrees; median.
        frames: number of frames in which both see somebody.
        agreement: distance of the lifted poses of both, metres.
        weak: whether the pair alone would see depth poorly.
    """

    names: tuple[str, str]
    angle: float
    frames: int
    agreement: float
    weak: bool


@dataclass(frozen=True)
class Report:
    """The calibration from people, for people.

    Attributes:
        cameras: one by one.
        pairs: of cameras.
        moved: diagonal of the box through which the people's roots moved, metres.
        size: standard deviation of the size of everything, per cent.
        doubts: what is weak and what to do, one line each.
    """

    cameras: tuple[CameraReport, ...]
    pairs: tuple[PairReport, ...]
    moved: float
    size: float
    doubts: tuple[str, ...]

    @property
    def turned_within(self) -> float:
        """Uncertainty of the rotations, degrees; 0 with a board.

        They are within it in 90 % of takes.
        """
        return TO_SPREAD * max(camera.angle for camera in self.cameras)

    @property
    def sized_within(self) -> float:
        """Uncertainty of everything's size, per cent.

        The size is within it in 90 % of takes.
        """
        return TO_90 * self.size

    @property
    def unsure(self) -> bool:
        """Whether cameras or sizes may be off by too much."""
        return is_unsure(self.turned_within, self.sized_within)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "cameras": [
                {
                    "name": own.name,
                    "reprojection_px": round(own.pixels, 2),
                    "reprojection_percent_of_body": round(own.percent, 2),
                    "rotation_uncertainty_degrees": round(own.angle, 2),
                    "place_uncertainty_m": round(own.place, 3),
                    "seen_share": round(own.seen, 3),
                }
                for own in self.cameras
            ],
            "pairs": [
                {
                    "cameras": list(pair.names),
                    "angle_degrees": round(pair.angle, 1),
                    "frames": pair.frames,
                    "poses_apart_m": None if np.isnan(pair.agreement) else round(pair.agreement, 3),
                    "weak": pair.weak,
                }
                for pair in self.pairs
            ],
            "rotations_within_degrees": round(self.turned_within, 1),
            "size_within_percent": round(self.sized_within, 1),
            "moved_m": round(self.moved, 2),
            "size_uncertainty_percent": round(self.size, 1),
            "doubts": list(self.doubts),
        }


def is_unsure(turned: float, sized: float) -> bool:
    """Whether cameras or sizes may be off by too much.

    Args:
        turned: degrees within which the rotations are in nine takes of ten.
        sized: likewise per cent of the size.
    """
    return turned > _TURNED or sized > _SIZED


def write_report(
    seen: Observations, fused: Fused, calibration: Calibration, people: People, names: Sequence[str], known: bool
) -> Report:
    """The report of a recording.

    Args:
        seen: everybody at all times.
        fused: their joints.
        calibration: the cameras.
        people: who is who.
        names: of the cameras.
        known: whether the calibration was given.
    """
    cameras, there = calibration.cameras, np.isfinite(fused.joints).all((1, 2))
    roots = fused.joints[there, 0]
    moved = float(np.linalg.norm(np.ptp(roots, axis=0))) if len(roots) else 0.0
    own, doubts = [], []
    for view, (name, camera) in enumerate(zip(names, cameras, strict=True)):
        beside = fused.beside[view]
        metres = float(np.nanmedian(beside)) if np.isfinite(beside).any() else np.nan
        depth = (roots - camera.t) @ camera.R[:, 2]
        pixels = metres * float(camera.K[0, 0]) / float(np.median(depth)) if len(depth) else np.nan
        sees = float(seen.present[view, there].mean()) if there.any() else 0.0
        angle = float(np.degrees(calibration.angle[view]))
        own.append(CameraReport(name, pixels, 100 * metres / 1.7, angle, float(calibration.place[view]), sees))
        if metres > _BESIDE:
            doubts.append(
                f"camera {name}: joints lie {100 * metres:.0f} cm beside their keypoints; it may have moved, have "
                "zoomed or show another moment. Check the overlay of this view"
            )
    pairs = [_describe_pair(seen, fused, cameras, people, names, a, b) for a, b in combinations(range(len(cameras)), 2)]
    best = max((_crossing(pair.angle) for pair in pairs), default=0.0)
    for pair in pairs:
        # Between good pairs a weak one does no harm.
        if pair.weak and (best < _NARROW or len(pairs) == 1):
            doubts.append(
                f"cameras {pair.names[0]} and {pair.names[1]} look along one line ({pair.angle:.0f} degrees between "
                "them), so depth is unsure; move one, to 60 to 120 degrees"
            )
    if not known:
        doubts += _doubt_sizes(seen, calibration)
        doubts += _doubt_people(calibration)
    if not known and moved < _STILL and any(TO_SPREAD * own_.angle > _TURNED for own_ in own):
        doubts.append(
            f"people moved through {moved:.1f} m only, which tells little of the cameras; let somebody walk through "
            "the space once"
        )
    report = Report(tuple(own), tuple(pairs), moved, 100 * calibration.size, tuple(doubts))
    if known or not report.unsure:
        return report
    assumed = any(camera.origin == "assumed" for camera in cameras)
    return replace(report, doubts=(describe_bounds(report, best, assumed), *doubts))


def describe_bounds(report: Report, crossing: float, assumed: bool) -> str:
    """How far cameras and sizes may be off, and what to do.

    Args:
        report: of cameras that may be off by more than one should accept.
        crossing: degrees by which the best pair's lines of sight cross.
        assumed: whether a lens is assumed.
    """
    off, better = [], []
    if report.turned_within > _TURNED:
        worst = max(report.cameras, key=lambda camera: camera.angle)
        which = "the cameras" if len(report.cameras) == 2 else f"camera {worst.name}"
        off.append(f"{which} may be turned by up to {report.turned_within:.2g} degrees")
        better += ["--fov"] * assumed
        better += ["a third camera"] * (len(report.cameras) == 2)
        better += [f"{_ACROSS:.0f} to {180 - _ACROSS:.0f} degrees between cameras"] * (crossing < _ACROSS)
        better.append("a longer take in which people walk through the space and turn")
    if report.sized_within > _SIZED:
        off.append(f"all sizes may be off by up to {report.sized_within:.2g} %")
        better.insert(0, "--height")
    return f"{' and '.join(off)} (nine takes of ten are within that); what helps: {', '.join(better)}"


def _doubt_sizes(seen: Observations, calibration: Calibration) -> list[str]:
    """A line where two bodies' sizes contradict each other. All sizes are a compromise then."""
    shared = [
        person
        for person in range(len(calibration.lengths))
        if (seen.present[:, seen.people == person].sum(0) >= 2).any()
    ]
    if len(shared) < 2:
        return []
    large = max(shared, key=lambda person: calibration.lengths[person])
    small = min(shared, key=lambda person: calibration.lengths[person])
    apart = float(1 - np.exp(calibration.lengths[small] - calibration.lengths[large]))
    if apart < _UNEVEN:
        return []
    return [
        f"person {small + 1} is {100 * apart:.0f} % smaller beside person {large + 1} than each view alone says, so "
        "the size of everything and the cameras are unsure; give --height for both"
    ]


def _doubt_people(calibration: Calibration) -> list[str]:
    """A line where the cameras depend on one person.

    It is so where other people, on whom the detector makes other errors, disagree.
    """
    without = np.degrees(np.nan_to_num(calibration.without))
    worst = int(without.argmax())
    if without[worst] < _DISAGREE:
        return []
    return [
        f"without person {worst + 1} the cameras turn by {without[worst]:.0f} degrees: the people do not agree on the "
        "cameras, so do not trust depth and size; let everybody walk through the space and turn once"
    ]


def _crossing(angle: float) -> float:
    """Degrees by which two lines of sight cross. It is 0 along one line, from whichever end."""
    return min(angle, 180 - angle)


def _describe_pair(
    seen: Observations,
    fused: Fused,
    cameras: Sequence[Camera],
    people: People,
    names: Sequence[str],
    a: int,
    b: int,
) -> PairReport:
    both = seen.present[a] & seen.present[b] & np.isfinite(fused.joints[:, 0]).all(-1)
    angle = float(np.median(_angles(fused.joints[both, 0], cameras[a].t, cameras[b].t))) if both.any() else np.nan
    pairing = people.pairings.get((a, b))
    agreement = np.nan if pairing is None else pairing.pose
    weak = not both.any() or _crossing(angle) < _NARROW
    return PairReport((names[a], names[b]), angle, int(both.sum()), agreement, weak)


def _angles(
    points: Float[np.ndarray, "n 3"], a: Float[np.ndarray, "3"], b: Float[np.ndarray, "3"]
) -> Float[np.ndarray, " n"]:
    """Degrees between the lines from points to two places."""
    first, second = a - points, b - points
    across = np.linalg.norm(np.cross(first, second), axis=-1)
    return np.degrees(np.arctan2(across, (first * second).sum(-1)))
