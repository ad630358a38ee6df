"""Up of somebody who sits, pedals or lies, by shape.

It works under any camera. Who sits has an upright trunk, level thighs and upright shanks. Who pedals has feet that go
round; the hips are above and behind the middle of that circle, as saddles are. Who lies has a flat body. Vectors are
those of the camera frame. Limits and spreads were chosen on made people and people of split train
(benchmarks/tilted_worlds.py); benchmarks/world.md has what they do on others.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.kinematics.directions import unit
from poselift.kinematics.foot_contacts import find_seen_joints
from poselift.kinematics.up import CAMERA_UP
from poselift.structures import Motion

_TRUNK, _LEG = np.deg2rad(8), np.deg2rad(12)
"""Standard deviations of a seated trunk from upright, and of thighs from level and shanks from upright."""

CHAIR, STEEP_CHAIR = np.deg2rad([5.5, 9])
"""Standard deviation about each axis of the up that these three give together, where it is near the camera's up, and
where it is far from it: there, people are lifted less well."""

_NEAR, _FAR = np.deg2rad([10, 40])
"""Angles between a chair's up and the camera's for the two."""

_SEATED, _MAY_SIT, _MOSTLY = np.deg2rad(40), np.deg2rad(25), 0.9
"""Bend of both hips and knees of somebody who sits, at least, in this share of the frames; and of somebody who may sit,
because people who sit under a steep camera are lifted with straighter legs."""

_MAY_SIT_SHARE = 0.85
"""Share of those who sit among people who may."""

_HIPS_STEADY, _KNEES_STEADY, _STILL_LEGS = np.deg2rad([12, 16, 7])
"""Largest standard deviations of the bends of hips and knees that sit: those of knees that pedal are 16 to 28 degrees;
and of legs that are so still that they may sit."""

_SHANKS_AHEAD, _SITS = np.deg2rad([10, 20, 30, 40]), [0.95, 0.5, 0.5, 0.0]
"""By how much shanks lean further ahead than the trunk, and the share of those who sit among people with this shape.
Those of somebody who crouches lean so, and of somebody who leans back and draws in the feet."""

_SADDLE_LEAN, SADDLE = np.deg2rad(17), np.deg2rad(5)
"""Angle from upright of the line from the middle of the pedalling ankles to the hips, which lean back, and its standard
deviation. Saddle tubes have 16 to 18 degrees."""

_ROUND, _OPPOSITE = 0.5, -0.5
"""Least ratio of the short to the long axis of the path of a pedalling ankle, and largest correlation of both: on a
walk, the path is five times as long as high."""

_CRANK = 0.06, 0.3
"""Metres from the middle of its path of a pedalling ankle (root mean square): cranks have 0.17."""

FLAT = np.deg2rad(12)
"""Standard deviation about each axis of up across the flat body of somebody who lies."""

_STILL = 0.9
"""Least length of the mean of the unit vectors across a body that lies: who rolls over has none."""


@dataclass(frozen=True)
class Body:
    """Directions of a body's segments, and bends, while in sight.

    In the frames in which its ends are in sight.

    Attributes:
        axis: from the ankles to the shoulders, unit vectors.
        trunk: from the hips to the shoulders.
        thigh: from the hips to the knees, both together.
        shank: from the ankles to the knees.
        left: from the right to the left side.
        ankles: from the middle of the hips, metres.
        hips: bends of both hips, 0 where trunk and thigh are in line, radians.
        knees: bends of both knees.
        root: place of the pelvis, metres; NaN where unknown.
    """

    axis: Float[np.ndarray, "t 3"]
    trunk: Float[np.ndarray, "t 3"]
    thigh: Float[np.ndarray, "t 3"]
    shank: Float[np.ndarray, "t 3"]
    left: Float[np.ndarray, "t 3"]
    ankles: Float[np.ndarray, "t 2 3"]
    hips: Float[np.ndarray, "t 2"]
    knees: Float[np.ndarray, "t 2"]
    root: Float[np.ndarray, "t 3"]

    def __len__(self) -> int:
        return len(self.axis)

    def choose(self, frames: Bool[np.ndarray, " t"]) -> "Body":
        """The body in some frames."""
        return Body(**{name: values[frames] for name, values in vars(self).items()})

    @property
    def bends(self) -> Float[np.ndarray, " t"]:
        """Angles between the body's axis and its trunk, radians."""
        return np.arccos((self.axis * self.trunk).sum(-1).clip(-1, 1))

    @property
    def crouch(self) -> float:
        """Least of the median bends of hips and knees, radians."""
        return float(np.median(np.concatenate([self.hips, self.knees], 1), axis=0).min())


def measure_body(motion: Motion) -> Body | None:
    """The body where a shoulder and an ankle are in sight. None without hips, knees or such frames."""
    skeleton = motion.skeleton
    names = [f"{side}_{joint}" for joint in ("shoulder", "hip", "knee", "ankle") for side in ("left", "right")]
    if not set(names) <= set(skeleton.joints):
        return None
    seen = ends_seen(motion) & np.isfinite(motion.joints).all((1, 2))
    if not seen.any():
        return None
    points = motion.joints[seen][:, skeleton.indices(names)].astype(np.float64).reshape(-1, 4, 2, 3)
    shoulders, hips, knees, ankles = points.swapaxes(0, 1)
    trunk, thighs, shanks = shoulders.mean(1) - hips.mean(1), unit(knees - hips), unit(ankles - knees)
    across = (shoulders + hips)[:, 0] - (shoulders + hips)[:, 1]
    return Body(
        unit(shoulders.mean(1) - ankles.mean(1)),
        unit(trunk),
        unit((knees - hips).mean(1)),
        unit((knees - ankles).mean(1)),
        unit(across),
        ankles - hips.mean(1, keepdims=True),
        np.arccos((thighs @ -unit(trunk)[..., None])[..., 0].clip(-1, 1)),
        np.arccos((thighs * shanks).sum(-1).clip(-1, 1)),
        motion.root[seen].astype(np.float64),
    )


def ends_seen(motion: Motion) -> Bool[np.ndarray, " t"]:
    """Frames in which a shoulder and an ankle are in sight."""
    sight = find_seen_joints(motion)
    top, bottom = (
        sight[:, motion.skeleton.indices([f"left_{joint}", f"right_{joint}"])].any(-1)
        for joint in ("shoulder", "ankle")
    )
    return np.asarray(top & bottom)


@dataclass(frozen=True)
class Chair:
    """Somebody who seems to sit.

    Attributes:
        up: by trunk, thighs and shanks, unit vector.
        sits: share of those who sit among people with this shape, from 0 to 1; the others crouch.
        spread: standard deviation of `up` about each axis where the person sits, radians.
    """

    up: Float[np.ndarray, "3"]
    sits: float
    spread: float


def find_chair(body: Body) -> Chair | None:
    """The chair of somebody who sits, or None."""
    bends = np.concatenate([body.hips, body.knees], 1)
    least, hips, knees = np.quantile(bends, 1 - _MOSTLY, axis=0).min(), body.hips.std(0).max(), body.knees.std(0).max()
    seated = least >= _SEATED and hips < _HIPS_STEADY and knees < _KNEES_STEADY
    if not seated and not (least >= _MAY_SIT and max(hips, knees) < _STILL_LEGS):
        return None
    across = _across(body, body.trunk)
    ups = unit(body.trunk / _TRUNK**2 + (unit(np.cross(body.thigh, across)) + body.shank) / _LEG**2)
    ahead = np.cross(across, body.trunk)
    lean = np.median(np.arctan2((body.shank * ahead).sum(-1), (body.shank * body.trunk).sum(-1)))
    up = unit(ups.mean(0))
    tilt = np.arccos(np.clip(up @ CAMERA_UP, -1, 1))
    sits = float(np.interp(lean, _SHANKS_AHEAD, _SITS)) * (1.0 if seated else _MAY_SIT_SHARE)
    return Chair(up, sits, float(np.interp(tilt, [_NEAR, _FAR], [CHAIR, STEEP_CHAIR]))) if sits > 0 else None


def find_saddle_up(body: Body) -> Float[np.ndarray, "3"] | None:
    """A cyclist's up, from mid-pedals to hips, or None."""
    if np.median(body.hips, 0).min() < _SEATED or not _go_round(body):
        return None
    left, seat = unit(body.left.mean(0)), -body.ankles.mean((0, 1))
    # The left is level; sideways, hips and feet are lifted less well.
    seat = unit(seat - (seat @ left) * left)
    ahead = np.cross(left, seat)
    return np.cos(_SADDLE_LEAN) * seat + np.sin(_SADDLE_LEAN) * ahead


def _go_round(body: Body) -> bool:
    """Whether the ankles circle in opposite phase. The circles are in the plane across the body's left."""
    left = unit(body.left.mean(0))
    off = body.ankles - body.ankles.mean(0)
    off -= (off @ left)[..., None] * left
    radius = np.sqrt((off**2).sum(-1).mean(0))
    longest, shortest = np.linalg.svd(off.swapaxes(0, 1), compute_uv=False)[:, :2].T
    together = (off[:, 0] * off[:, 1]).sum(-1).mean() / max(float(radius.prod()), 1e-9)
    within = (radius > _CRANK[0]) & (radius < _CRANK[1])
    return bool(within.all() and (shortest > _ROUND * longest).all() and together < _OPPOSITE)


def find_lying_up(body: Body) -> list[Float[np.ndarray, "3"]]:
    """Directions one of which is up for a lying body. The candidates are its front, its back and its sides."""
    across = _across(body, body.trunk)
    sides = (np.cross(across, body.trunk).mean(0), across.mean(0))
    if min(np.linalg.norm(side) for side in sides) < _STILL:
        return []
    return [sign * unit(side) for side in sides for sign in (1.0, -1.0)]


def _across(body: Body, to: Float[np.ndarray, "t 3"]) -> Float[np.ndarray, "t 3"]:
    """The body's left, at right angles to other directions."""
    return unit(body.left - (body.left * to).sum(-1, keepdims=True) * to)
