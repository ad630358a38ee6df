"""Joints as upright markers at a constant rate, for motion capture."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.kinematics import Z_UP, points_y_up
from poselift.numerics.times import check_span, count_even_frames, interpolate, median_interval
from poselift.structures import Motion

_UNEVEN = 0.1
"""Share of an interval by which a frame may be early or late before all are interpolated."""

_GAP = 2.5
"""Intervals without a frame that are a gap."""


_SIDED = {
    **{joint.capitalize(): joint for joint in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle", "heel")},
    "BigToe": "big_toe",
}
"""Markers that both sets have on each side, after an R or an L. Small toes are no joints here."""

_BOTH_SETS = {
    f"{letter}{marker}": {f"{side}_{joint}": 1.0}
    for letter, side in (("R", "right"), ("L", "left"))
    for marker, joint in _SIDED.items()
} | {"Nose": {"nose": 1.0}}

_SHOULDERS = {"left_shoulder": 0.5, "right_shoulder": 0.5}
_HIPS = {"left_hip": 0.5, "right_hip": 0.5}

MARKER_SETS: dict[str, dict[str, dict[str, float]]] = {
    "openpose": _BOTH_SETS | {"Neck": _SHOULDERS, "CHip": _HIPS},
    "pose2sim": _BOTH_SETS
    | {
        # 8 cm above the shoulders in Pose2Sim's model, where `neck_base` is 13.
        "Neck": {"left_shoulder": 0.2, "right_shoulder": 0.2, "neck_base": 0.6},
        # The crown; beyond `head_top` as `poselift.kinematics.height.CROWN` has it, 0.8 of the bone.
        "Head": {"head_top": 1.8, "neck_base": -0.8},
        "Hip": _HIPS,
    },
}
"""Marker names of other programs: OpenPose's BODY_25 and Pose2Sim's HALPE_26, as Pose2Sim's setups for OpenSim have
them. Each marker lies where its joints do, by their shares."""


@dataclass(frozen=True)
class Markers:
    """Positions of markers at a constant rate.

    Attributes:
        names: of the markers.
        positions: millimetres, right-handed; NaN in empty frames.
        uncertainty: radius that holds the joint in 90 % of cases, millimetres; NaN where it is unknown.
        rate: frames a second.
        start: seconds of the first frame.
        resampled: whether the motion's frames were at uneven times, and these are interpolated.
    """

    names: tuple[str, ...]
    positions: Float[np.ndarray, "t j 3"]
    uncertainty: Float[np.ndarray, "t j"]
    rate: float
    start: float
    resampled: bool

    @property
    def times(self) -> Float[np.ndarray, " t"]:
        """Seconds of each frame."""
        return self.start + np.arange(len(self.positions)) / self.rate


def place_markers(
    motions: Sequence[Motion], up: str = "y", start: float | None = None, *, names_of: str | None = None
) -> Markers:
    """The joints of people as markers, with those of their hands.

    Frames at uneven times are interpolated linearly on an even grid. Nothing is interpolated across empty frames and
    gaps. The rate is that of the longest motion. Joints are NaN where no keypoint shows them (`Motion.in_sight`), and
    left out if none ever does.

    Args:
        motions: everybody, in the same frame. Several people have names such as person_1_left_knee, and are NaN before
            their first frame and after their last one.
        up: the axis that points up, "y" or "z".
        start: time of the first frame, seconds, not after anybody's; that of the first person if None.
        names_of: one of `MARKER_SETS`; None for our joints.

    Raises:
        InputError: the people are far apart in time, or no keypoint shows a joint of somebody.
    """
    # A single frame has no rate; 30 stands for it.
    interval = median_interval(max((motion.timestamps for motion in motions), key=len)) or 1 / 30
    times = np.unique(np.concatenate([motion.timestamps for motion in motions]))
    check_span(times)
    start, end = times[0] if start is None else start, times[-1]
    grid = start + interval * np.arange(count_even_frames(float(end - start), interval, len(times)))
    turn = Z_UP if up == "z" else np.eye(3)
    names: list[str] = []
    positions, uncertainty, resampled = [], [], False
    for motion in motions:
        prefix = f"person_{motion.keypoints.person}_" if len(motions) > 1 else ""
        own, points, around = _place(motion, names_of)
        names += [prefix + name for name in own]
        points = points @ turn.T
        placed, uneven = _put_on_grid(
            grid, interval, motion.timestamps, np.concatenate([points, around[..., None]], -1)
        )
        positions.append(placed[..., :3])
        uncertainty.append(placed[..., 3])
        resampled |= uneven
    return Markers(
        tuple(names),
        1000 * np.concatenate(positions, 1),
        1000 * np.concatenate(uncertainty, 1),
        1 / interval,
        float(start),
        resampled,
    )


def _place(
    motion: Motion, names_of: str | None
) -> tuple[list[str], Float[np.ndarray, "t m 3"], Float[np.ndarray, "t m"]]:
    """A person's markers: names, places and uncertainty, metres. NaN where no keypoint shows them."""
    relative, skeleton = motion.with_fingers()
    joints, places = skeleton.joints, points_y_up(motion, relative)
    shown, uncertainty = np.isfinite(places).all(-1), np.full(places.shape[:2], np.nan)
    shown[:, : len(motion.skeleton)] = motion.in_sight()
    if motion.uncertainty is not None:
        uncertainty[:, : len(motion.skeleton)] = motion.uncertainty
    chosen = {joint: {joint: 1.0} for joint in joints} if names_of is None else MARKER_SETS[names_of]
    names, points, around = [], [], []
    for name, parts in chosen.items():
        if not parts.keys() <= set(joints):
            continue
        rows, shares = [joints.index(joint) for joint in parts], np.array(list(parts.values()))
        seen = np.asarray(shown[:, rows].all(axis=1))
        if seen.any():
            names.append(name)
            points.append(np.where(seen[:, None], shares @ places[:, rows], np.nan))
            around.append(np.where(seen, uncertainty[:, rows] @ abs(shares), np.nan))
    if not names:
        raise InputError(f"person {motion.keypoints.person}: no keypoint shows a joint; choose another person")
    return names, np.stack(points, 1), np.stack(around, 1)


def _put_on_grid(
    grid: Float[np.ndarray, " n"], interval: float, times: Float[np.ndarray, " t"], values: Float[np.ndarray, "t *c"]
) -> tuple[Float[np.ndarray, "n *c"], bool]:
    """Values at the grid's times, and whether they are interpolated. They are NaN beyond their own times."""
    first = round((times[0] - grid[0]) / interval)
    near = grid[first : first + len(times)]
    if len(near) == len(times) and (len(times) == 1 or np.abs(near - times).max() <= _UNEVEN * interval):
        placed = np.full((len(grid), *values.shape[1:]), np.nan)
        placed[first : first + len(times)] = values
        return placed, False
    placed = interpolate(values, times, grid, longest=_GAP * interval)
    placed[(grid < times[0] - interval / 2) | (grid > times[-1] + interval / 2)] = np.nan
    return placed, True
