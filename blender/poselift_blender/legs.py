# SPDX-License-Identifier: Apache-2.0
"""Legs of a character whose feet go where the motion's feet go, by inverse kinematics; numpy alone.

The way is scaled by the lengths of the legs. The ball of each foot goes the way of the motion's ball, and the foot
turns as the motion's does, so a foot that stands or rolls over its ball does so on one place, whatever its shape. The
hips sink, smoothly, where a leg would not reach. Arrays are metres, Z up, (t, ...) over frames; rest poses face -Y.
"""

from dataclasses import dataclass

import numpy as np

_REACH = 0.9995
"""Longest leg as a share of its length; a knee that is straighter pops."""

_SINKING = 0.2
"""Seconds over which the hips sink before a foot would be out of reach."""

_AHEAD = 0.2
"""Weight of straight ahead, beside the bend of the motion, in the direction of the knee: a straight leg has no bend."""


@dataclass(frozen=True)
class Leg:
    """A leg of the motion and of the character.

    Attributes:
        rest: hip, knee, ankle and ball of the motion's rest pose (4, 3).
        theirs: likewise of the character.
        ankle: of the motion (t, 3).
        ball: of the motion (t, 3).
        foot: rotation of the motion's foot from its rest pose (t, 3, 3).
        thigh: rotation of the character's thigh from its rest pose (t, 3, 3) that points as the motion's does.
        ahead: rotation of the motion's thigh from its rest pose (t, 3, 3).
    """

    rest: np.ndarray
    theirs: np.ndarray
    ankle: np.ndarray
    ball: np.ndarray
    foot: np.ndarray
    thigh: np.ndarray
    ahead: np.ndarray

    @property
    def lengths(self):
        """Of the character's thigh and shin."""
        return np.linalg.norm(np.diff(self.theirs[:3], axis=0), axis=-1)


def leg_scale(legs):
    """Length of the character's legs over that of the motion's."""
    own = sum(np.linalg.norm(np.diff(leg.rest[:3], axis=0), axis=-1).sum() for leg in legs)
    return sum(leg.lengths.sum() for leg in legs) / max(own, 1e-9)


def solve_legs(legs, hips, turn, rest_hips, anchor, interval):
    """Places of the character's hips (t, 3), and for each leg the directions of thigh and shin (t, 2, 3).

    Args:
        legs: both, or those that are there.
        hips: places of the motion's hips (t, 3).
        turn: their rotation from the rest pose (t, 3, 3).
        rest_hips: of the motion.
        anchor: of the character, the place of its hips in its rest pose.
        interval: seconds between frames.
    """
    scale = leg_scale(legs)
    way = anchor + scale * (hips - rest_hips)
    ankles = [_ankle(leg, scale, rest_hips, anchor) for leg in legs]
    beside = [np.einsum("tab,b->ta", turn, leg.theirs[0] - anchor) for leg in legs]
    sunk = np.zeros(len(way))
    for leg, ankle, side in zip(legs, ankles, beside, strict=True):
        sunk = np.maximum(sunk, _excess(way + side - ankle, _REACH * leg.lengths.sum()))
    way = way - _envelope(sunk, max(round(_SINKING / interval), 1))[:, None] * [0.0, 0.0, 1.0]
    return way, [_point(leg, way + side, ankle) for leg, ankle, side in zip(legs, ankles, beside, strict=True)]


def _ankle(leg, scale, rest_hips, anchor):
    """Where the character's ankle is: its ball goes the way of the motion's."""
    foot, theirs = leg.rest[3] - leg.rest[2], leg.theirs[3] - leg.theirs[2]
    ball = scale * (leg.ball - rest_hips) + anchor
    ball[:, 2] = leg.theirs[3, 2] + scale * (leg.ball[:, 2] - leg.rest[3, 2])
    # A foot of another length stands with its ankle where the motion's is: its ball is as far ahead as it is longer.
    longer = (theirs - scale * foot) * [1.0, 1.0, 0.0]
    ball = ball + np.einsum("tab,b->ta", _heading(leg.foot), longer)
    return ball - np.einsum("tab,b->ta", leg.foot, theirs)


def _heading(turns):
    """The part of rotations about the vertical."""
    # Of the quaternion w, x, y, z only w and z: this has no jump where a foot points up.
    angle = np.arctan2(turns[:, 1, 0] - turns[:, 0, 1], turns[:, 0, 0] + turns[:, 1, 1])
    cos, sin, zero = np.cos(angle), np.sin(angle), np.zeros(len(angle))
    rows = [cos, -sin, zero, sin, cos, zero, zero, zero, zero + 1]
    return np.stack(rows, -1).reshape(-1, 3, 3)


def _excess(legs, longest):
    """By how much hips must sink for legs (t, 3), from ankle to hip, to be no longer than this."""
    beside = np.linalg.norm(legs[:, :2], axis=-1)
    highest = np.sqrt(np.maximum(longest**2 - beside**2, 0.0))
    too_long = np.linalg.norm(legs, axis=-1) > longest
    return np.where(too_long, legs[:, 2] - highest, 0.0).clip(min=0.0)


def _envelope(values, half):
    """A smooth course that is nowhere below the values."""
    padded = np.pad(values, 2 * half, mode="edge")
    highest = np.array([padded[row : row + 2 * half + 1].max() for row in range(len(values) + 2 * half)])
    window = np.hanning(2 * half + 3)[1:-1]
    return np.convolve(highest, window / window.sum(), mode="valid")


def _point(leg, hip, ankle):
    """Directions of thigh and shin (t, 2, 3)."""
    upper, lower = leg.lengths
    way = ankle - hip
    far = np.linalg.norm(way, axis=-1, keepdims=True)
    way = way / np.maximum(far, 1e-9)
    far = far.clip(abs(upper - lower) + 1e-4, _REACH * (upper + lower))
    along = (upper**2 - lower**2 + far**2) / (2 * far)
    thigh = leg.theirs[1] - leg.theirs[0]
    bend = np.einsum("tab,b->ta", leg.thigh, thigh / np.linalg.norm(thigh))
    bend = bend + _AHEAD * np.einsum("tab,b->ta", leg.ahead, [0.0, -1.0, 0.0])
    bend = bend - (bend * way).sum(-1, keepdims=True) * way
    bend = bend / np.maximum(np.linalg.norm(bend, axis=-1, keepdims=True), 1e-9)
    knee = along * way + np.sqrt(np.maximum(upper**2 - along**2, 0.0)) * bend
    shin = far * way - knee
    return np.stack([knee / upper, shin / np.linalg.norm(shin, axis=-1, keepdims=True)], 1)
