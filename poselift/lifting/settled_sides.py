"""Settles which side is left. Exchanged sides of a track are put back, as far as the track and the lifter tell.

What is put back, unsure or missed is measured on made people (benchmarks/exchanged_sides.py).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool

from poselift.core.caution import Caution
from poselift.core.unchecked import replace_unchecked
from poselift.geometry.camera import Camera
from poselift.kinematics.foot_contacts import runs_of
from poselift.kinematics.posture import measure_body
from poselift.kinematics.up import find_upright
from poselift.lifting.options import LiftOptions
from poselift.lifting.prepare.exchanged_sides import (
    exchange,
    exchange_joints,
    find_hidden_steps,
    find_unclear,
    follow_sides,
    group_pairs,
    short_runs,
)
from poselift.lifting.three_stages import lift
from poselift.models import Weights
from poselift.structures import Keypoints2D, Motion

_SHORT, _SHORT_AT_ENDS = 0.5, 0.1
"""Longest exchange that is put back without asking the lifter, seconds; where a track begins or ends with it, less."""
_LOOK = 256
"""Frames before and after the first doubtful change that the lifter is asked about."""
_TELLING = 0.015
"""Difference of the logarithm of the uncertainty from which on the lifter prefers a reading."""
_EXPECTED, _EXPECTED_S = 0.03, 0.3
"""The same, and seconds of a spell, where nothing but the lifter tells of an exchange."""
_SURE, _MOST = 0.03, 0.15
"""Difference from which on one reading is surely right of people who stand, and what the sides of all frames count
beside those of none. Of people who sit, pedal or lie the lifter prefers the mirrored reading of some right tracks."""
_BENT = math.radians(35)
"""Bend of hips and knees of somebody who sits or pedals, at least."""
_TURNS_BACK = 0.9
"""Share of the frames in which arms, or legs, go against an exchange of the whole body, for it to be none."""
TOLD = 0.1
"""Share of the frames from which on an exchange is told."""


@dataclass(frozen=True)
class Sides:
    """A track whose left and right were settled.

    Attributes:
        readings: the keypoints with the sides put back; then, if some are unsure, with the other sides of these.
        exchanged: frames in which joints were exchanged.
        unsure: joints, and their frames, of which it is not sure which side they are.
    """

    readings: tuple[Keypoints2D, ...]
    exchanged: Bool[np.ndarray, " t"]
    unsure: Bool[np.ndarray, "t j"]

    @property
    def keypoints(self) -> Keypoints2D:
        """The first reading: those given where nothing was exchanged."""
        return self.readings[0]

    @property
    def put_back(self) -> bool:
        """Whether a tenth or more of the frames were surely exchanged."""
        return bool(self.exchanged.mean() >= TOLD) and not self.unsure.any()

    def cautions(self) -> list[Caution]:
        """A warning where much was exchanged, or is unsure."""
        person, times = self.keypoints.person, self.keypoints.timestamps
        found = []
        if self.put_back:
            rows = np.flatnonzero(self.exchanged)
            text = (
                f"person {person}: left and right were exchanged in {self.exchanged.mean():.0%} of the frames, from "
                f"{times[rows[0]]:.2f} to {times[rows[-1]]:.2f} s, and were put back"
            )
            found.append(Caution(text, "confusion", person))
        if self.unsure.any():
            rows = np.flatnonzero(self.unsure.any(1))
            text = (
                f"person {person}: left and right{self._unsure_part()} are exchanged in a part of the frames from "
                f"{times[rows[0]]:.2f} to {times[rows[-1]]:.2f} s, and it is not sure in which: the uncertainty there "
                "covers both sides"
            )
            found.append(Caution(text, "confusion", person))
        return found

    def _unsure_part(self) -> str:
        """The part of the body that is unsure; empty if all."""
        skeleton, unsure = self.keypoints.skeleton, np.asarray(self.unsure.any(0))
        if unsure.sum() == len(group_pairs(skeleton)[0]):
            return ""
        ends = {"arms": "left_wrist", "legs": "left_ankle", "head": "left_ear"}
        parts = [part for part, joint in ends.items() if joint in skeleton.joints and unsure[skeleton.index(joint)]]
        return f" of the {' and '.join(parts)}"

    def cover(self, motions: Sequence[Motion]) -> Motion:
        """The first reading's motion, whose uncertainty covers the other sides.

        In unsure frames it reaches to the other reading's joints.

        A body with its sides exchanged is turned, so that its joints are far from those of the other reading.

        Args:
            motions: of each of `readings`.
        """
        motion, other = motions[0], motions[-1]
        if motion.uncertainty is None or len(motions) == 1:
            return motion
        apart = np.linalg.norm(motion.joints - other.joints, axis=-1)
        wider = np.hypot(motion.uncertainty, np.where(self.unsure.any(1, keepdims=True), apart, 0.0))
        return replace_unchecked(motion, uncertainty=wider.astype(motion.uncertainty.dtype))


def lift_settled(
    keypoints: Keypoints2D, weights: Weights, camera: Camera, options: LiftOptions = LiftOptions()
) -> tuple[Motion, Sides]:
    """A track's motion with its sides settled, and these sides. `poselift lift` does the same.

    Args:
        keypoints: of one person.
        weights: the lifter.
        camera: of the keypoints.
        options: settings of the lift.
    """
    sides = settle_sides(keypoints, weights, camera, options)
    return sides.cover([lift(reading, weights, camera, options) for reading in sides.readings]), sides


def as_given(keypoints: Keypoints2D) -> Sides:
    """The track as it is."""
    return Sides((keypoints,), np.zeros(len(keypoints), bool), np.zeros(keypoints.scores.shape, bool))


def settle_sides(
    keypoints: Keypoints2D, weights: Weights, camera: Camera, options: LiftOptions = LiftOptions()
) -> Sides:
    """The track with a detector's exchanged sides put back.

    Exchanges of up to half a second go by the frames around. Of longer ones, the lifter says which of three readings
    it expects: as given, the sides of most frames, or those of the rest; it gives a smaller uncertainty to bodies as
    people have them. Where exchanges go by the frames around in a tenth or more of all frames, and these hardly tell in
    which, the joints are unsure.

    Args:
        keypoints: of one person.
        weights: the lifter.
        camera: of the keypoints.
        options: settings of the lift.
    """
    if keypoints.sides_settled:
        return as_given(keypoints)
    settled, unsure = keypoints, np.zeros(keypoints.scores.shape, bool)
    for part, joints in enumerate(group_pairs(keypoints.skeleton)):
        rarer, stretches = follow_sides(settled, joints, options.threshold)
        whole = part == 0  # detectors exchange a part for moments only
        if hidden := whole and not rarer.any():
            rarer = _find_expected(settled, joints, weights, camera, options)
        if not rarer.any():
            continue
        brief = rarer & short_runs(rarer, keypoints.timestamps, stretches, _SHORT, _SHORT_AT_ENDS)
        if brief.mean() >= TOLD:
            unsure[:, joints] |= find_unclear(settled, joints, options.threshold)[:, None]
        settled, rarer = exchange(settled, brief, joints), rarer & ~brief
        put_back = np.zeros(len(settled), bool)
        for stretch in np.unique(stretches[rarer]):
            # What lies beyond a gap hardly tells, and would be lifted again for each stretch of a long clip.
            span = slice(*np.searchsorted(stretches, [stretch, stretch + 1]))
            track, one = settled[span], rarer[span]
            readings = [track, exchange(track, one, joints), exchange(track, ~one, joints)]
            given, first, second, stands = _surprises(readings, one, weights, camera, options)
            expects_given = given < min(first, second) + (-_TELLING if whole else _TELLING)
            if expects_given and not whole:
                continue
            # The frames of the rarer sides are the exchanged ones, unless the lifter expects it the other way round.
            better = second - first + _MOST * (1 - 2 * one.mean()) * whole
            if whole and _limbs_turn_back(readings[1], one, options.threshold):
                continue
            if whole and (abs(better) < _SURE or not stands or expects_given or hidden):
                unsure[span, joints] = True
            put_back[span] = one if better > -_TELLING else ~one
        settled = exchange(settled, put_back, joints)
    same = np.nan_to_num(settled.keypoints) == np.nan_to_num(keypoints.keypoints)
    exchanged = ~same.all((1, 2))
    if unsure.any():
        return Sides((settled, exchange_joints(settled, unsure)), exchanged, unsure)
    if exchanged.any():
        settled = replace_unchecked(settled, sides_settled=True)
    return Sides((settled,), exchanged, unsure)


def _limbs_turn_back(exchanged: Keypoints2D, one: Bool[np.ndarray, " t"], threshold: float) -> bool:
    """Whether legs and arms, each followed alone, contradict the body's exchange.

    Args:
        exchanged: the stretch of a track with the sides of the whole body exchanged.
        one: frames that were exchanged.
        threshold: least score of a keypoint that counts.
    """
    for joints in group_pairs(exchanged.skeleton)[1:3]:
        rarer, _ = follow_sides(exchanged, joints, threshold)
        if max((same := (rarer == one).mean()), 1 - same) < _TURNS_BACK:
            return False
    return True


def _find_expected(
    track: Keypoints2D, joints: list[int], weights: Weights, camera: Camera, options: LiftOptions
) -> Bool[np.ndarray, " t"]:
    """Frames in which the lifter expects exchanged sides.

    They are spells between steps that hide an exchange.
    """
    expected = np.zeros(len(track), bool)
    hidden = find_hidden_steps(track, joints, options.threshold)
    if not hidden.any():
        return expected
    given, other = (
        lift(each, weights, camera, options).uncertainty
        for each in (track, exchange(track, np.ones(len(track), bool), joints))
    )
    if given is None or other is None:
        return expected
    gains = np.log(given + 1e-3) - np.log(other + 1e-3)
    posed = np.isfinite(gains).any(-1)  # in longer gaps there is no pose
    gain = np.zeros(len(track))
    gain[posed] = np.nanmean(gains[posed], axis=-1)
    steps = [0, *np.flatnonzero(hidden), len(track)]
    for first, end in pairwise(steps):
        spell = gain[first:end][posed[first:end]]
        expected[first:end] = len(spell) > 0 and spell.mean() > _EXPECTED
    for first, end in runs_of(expected):
        expected[first:end] = track.timestamps[end - 1] - track.timestamps[first] >= _EXPECTED_S
    # Of a whole clip the lifter alone does not tell.
    return expected & ~expected.all()


def _surprises(
    readings: list[Keypoints2D],
    doubtful: Bool[np.ndarray, " t"],
    weights: Weights,
    camera: Camera,
    options: LiftOptions,
) -> tuple[float, float, float, bool]:
    """The lifter's mean log uncertainty for three readings of a stretch.

    The last value says whether the person stands in all of them. All is measured around their first change, or from the
    start on.
    """
    changes = np.flatnonzero(np.diff(doubtful.astype(int)))
    change = int(changes[0]) + 1 if len(changes) else 0
    near = slice(max(0, change - _LOOK), change + _LOOK)
    found, stands = [], True
    for reading in readings:
        motion = lift(reading[near], weights, camera, options)
        if motion.uncertainty is None:
            return 0.0, 0.0, 0.0, stands
        found.append(float(np.nanmean(np.log(motion.uncertainty + 1e-3))))
        if (body := measure_body(motion)) is not None:
            stands = stands and body.crouch < _BENT and bool(find_upright(body.axis).mean() > 0.5)
    given, first, second = found
    return given, first, second, stands
