"""Feet that stand still, for animation.

Legs follow by inverse kinematics, and the pelvis goes where they can reach. A foot in contact is a rigid body on the
ground. It turns about its heel while the toes are up, about its toes while the heel is up, and neither of them slides.
The heel rises as far as keeps the leg as long as it was, so that knees keep their course; where that is not enough, the
pelvis sinks. Around a contact the foot passes over to the motion's own, and a foot that moves is above the ground. All
of these are smooth over time: a step in any of them is a knee that pops.

Measurements do without this: it changes hips, knees and ankles by what the eye wants to see. One file, because its
steps make one solution: contacts, places, pelvis, legs.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.core.errors import InputError
from poselift.geometry import axis_angle_to_matrix
from poselift.kinematics.directions import swing, unit
from poselift.kinematics.inverse import points_y_up
from poselift.kinematics.rate import split_at_gaps
from poselift.kinematics.rig import RiggedMotion
from poselift.numerics.sliding import slide_maximum, smooth_gaussian
from poselift.numerics.times import median_interval
from poselift.structures import FEET, Motion

_FADE = 0.2
"""Seconds before and after a contact in which the foot passes over to the motion's own."""

_BELOW, _LEVEL = -0.3, 0.12
"""Metres from the ground between which a standing foot is on the ground; others stand on a stair or a box."""

_WANDERS = 0.12
"""Metres from its mean place within which a foot in contact stands; one that goes further takes a step in between."""

_LANDS, _LANDED = 0.05, 0.25
"""Seconds at the start of a contact in which a foot still lands, at most, and metres a second of its slower end below
which it has landed. The knee is nearly straight then: it pops if the foot stops at once."""

_CLEARANCE, _QUICK = 0.015, 0.5
"""Metres above the ground of feet that move, at least, and metres a second from which they are that high: feet that
move on the ground skate."""

_SOFT = 0.02
"""Metres from the ground within which a foot that comes down slows down."""

_NEAR = 1.0
"""Seconds from a contact within which the foot keeps above its ground; elsewhere above the world's."""

_BIAS = np.radians(15.0)
"""Median pitch of a standing foot that is an error of the motion, because feet mostly stand flat."""

_FLAT, _TILTED = np.radians([2.0, 8.0])
"""Pitch of raised toes that is still flat, and from which it is all the motion's own."""

_TIPTOE, _HALVINGS = np.radians(70.0), 16
"""Largest pitch of a raised heel, and steps of the search for it."""

_PITCH_MEMORY, _ROOT_MEMORY = 0.05, 0.1
"""Standard deviations in seconds of the Gaussians that smooth a foot's pitch, and how the pelvis follows the feet."""

_ALONE = 0.1
"""Weight of the pelvis's own place, against that of one standing foot."""

_PAST = 0.15
"""Metres by which a hip is ahead of its ankle from which the heel may rise all the way. A heel that rises behind it
hardly shortens the leg."""

_SINKING, _DEEPEST = 0.2, 0.15
"""Seconds over which the pelvis sinks before a foot would be out of reach, and metres by which it sinks at most."""

_REACH = np.cos(np.radians(2.0))
"""Longest leg as a share of its length: a knee that is bent by 4 degrees. Straighter ones pop."""

_X, _Y = np.eye(3)[:2]


def lock_feet(rigged: RiggedMotion, motion: Motion) -> RiggedMotion:
    """The motion with feet still in contacts, and never below ground.

    Its `contacts` are those of the motion without the frames in which a foot moves on: there it takes a step.

    Args:
        rigged: what `solve` made of the motion.
        motion: in the world frame, with contacts.

    Raises:
        InputError: the motion is not in the world frame or has no contacts.
    """
    if motion.contacts is None or motion.frame != "world":
        raise InputError("feet can be locked with foot contacts and the ground; lift with --world")
    turned, root, stand = rigged.rotations.copy(), rigged.root.copy(), np.zeros_like(motion.contacts)
    for part in split_at_gaps(np.isfinite(rigged.root).all(1), rigged.timestamps):
        stand[part] = _lock(rigged, part, motion.contacts[part], turned, root)
    locked = replace(rigged, rotations=turned, root=root, contacts=stand)
    return replace(locked, residuals=np.linalg.norm(locked.positions() - points_y_up(motion), axis=-1))


def _lock(
    rigged: RiggedMotion,
    part: Int[np.ndarray, " t"],
    contacts: Bool[np.ndarray, "t 2"],
    turned: np.ndarray,
    root: np.ndarray,
) -> Bool[np.ndarray, "t 2"]:
    """Locks the feet in a run of frames, in place. Changes rotations and root; returns the feet that stand still."""
    interval = median_interval(rigged.timestamps) or 1.0
    legs = [_Leg(rigged, part, foot.removesuffix("_foot"), interval) for foot in FEET]
    for leg, down in zip(legs, contacts.T, strict=True):
        leg.stand(down)
    # The pelvis goes the way that standing feet have in common.
    wanted = sum((leg.down[:, None] * (leg.place_ankle() - leg.ankle) for leg in legs), np.zeros((len(part), 3)))
    count = sum((leg.down for leg in legs), np.full(len(part), _ALONE))
    moved = smooth_gaussian(wanted, _ROOT_MEMORY / interval) / smooth_gaussian(count, _ROOT_MEMORY / interval)[:, None]
    targets = [leg.find_target(moved) for leg in legs]
    sunk = np.max([leg.measure_excess(ankle - moved) for leg, (ankle, _) in zip(legs, targets, strict=True)], 0)
    moved -= _envelop(sunk, int(_SINKING / interval))[:, None] * _Y
    for leg, (ankle, sole) in zip(legs, targets, strict=True):
        for segment, rotation in leg.reach(ankle - moved, sole).items():
            turned[part, segment] = rotation
    root[part] += moved
    return np.stack([leg.still for leg in legs], 1)


class _Leg:
    """A leg in a run of frames.

    Args:
        rigged: the motion.
        part: its frames.
        side: "left" or "right".
        interval: seconds between frames.

    Attributes:
        ankle: its place, metres.
        down: 1 in contacts, else 0; the pelvis follows these.
        still: whether the foot stands, which it does once it has landed.
    """

    def __init__(self, rigged: RiggedMotion, part: Int[np.ndarray, " t"], side: str, interval: float) -> None:
        rig, positions, orientations = rigged.rig, rigged.positions()[part], rigged.orientations()[part]
        self._rows = [rig.names.index(f"{side}_{joint}") for joint in ("hip", "knee", "ankle")]
        self._hip, _, self.ankle = (positions[:, row] for row in self._rows)
        self._base = orientations[:, rig.parents[self._rows[0]]]
        self._thigh, self._shank, self._own = (orientations[:, row] for row in self._rows)
        self._upper, self._lower = (float(np.linalg.norm(rig.offsets[row])) for row in self._rows[1:])
        self._length = np.linalg.norm(self.ankle - self._hip, axis=-1)
        at = rig.landmarks()
        self._heel, self._toe = (at[f"{side}_{joint}"] - at[f"{side}_ankle"] for joint in ("heel", "big_toe"))
        self._measured, self._thick = f"{side}_heel" in rig.names, rig.sole
        self._times, self._interval = rigged.timestamps[part], interval
        self._floor = np.zeros(len(part))
        self._contacts: list[Int[np.ndarray, " n"]] = []
        self._place, self._flat = np.zeros_like(self.ankle), np.tile(np.eye(3), (len(part), 1, 1))
        self.down, self._pitch = np.zeros(len(part)), np.zeros(len(part))
        self.still = self.down > 0

    def stand(self, down: Bool[np.ndarray, " t"]) -> None:
        """Puts the foot on one place in each contact. Flat, on its heel while the toes are up, or on its toes."""
        parts = np.split(np.arange(len(down)), np.flatnonzero(np.diff(down)) + 1)
        self._contacts = [still for part in parts if down[part[0]] for still in self._find_still(part)]
        self.down = self._mark_contacts().astype(float)
        ahead = self._own[:, :, 2]
        pitch = smooth_gaussian(np.arcsin(ahead[:, 1].clip(-1, 1)), _PITCH_MEMORY / self._interval)
        for part in self._contacts:
            flat = _point_foot((ahead[part] * [1.0, 0.0, 1.0]).sum(0))
            tilt = _tilt(pitch[part]) if self._measured else np.zeros(len(part))
            self._flat[part], self._pitch[part] = flat, tilt
            # Where a flat foot would be is known from the end that is on the ground.
            end = np.where((tilt < 0)[:, None], self._toe, self._heel)
            standing = flat @ axis_angle_to_matrix(-tilt[:, None] * _X)
            known = self._own[part] if self._measured else standing
            place = (self.ankle[part] + np.einsum("tab,tb->ta", known, end) - end @ flat.T).mean(0)
            level = np.median(self._find_lowest(self.ankle[part], known))
            level = 0.0 if _BELOW < level < _LEVEL else level
            place[1] = level + self._thick - min(self._heel[1], self._toe[1])
            self._place[part] = place
            beside = (self._times > self._times[part[0]] - _NEAR) & (self._times < self._times[part[-1]] + _NEAR)
            self._floor[beside] = np.minimum(self._floor[beside], level)
        self._contacts = [self._find_landed(part) for part in self._contacts]
        self.still = self._mark_contacts()

    def place_ankle(self) -> Float[np.ndarray, "t 3"]:
        """Where the ankle of the standing foot is, in contacts; metres."""
        return self._tilt_foot(self._pitch)[0]

    def _tilt_foot(self, pitch: Float[np.ndarray, " t"]) -> tuple[Float[np.ndarray, "t 3"], Float[np.ndarray, "t 3 3"]]:
        """The standing foot's ankle and rotation. On its heel where the pitch is positive, else on its toes."""
        sole = self._flat @ axis_angle_to_matrix(-pitch[:, None] * _X)
        end = np.where((pitch > 0)[:, None], self._heel, self._toe)[..., None]
        return self._place + ((self._flat - sole) @ end)[..., 0], sole

    def _find_still(self, part: Int[np.ndarray, " n"]) -> list[Int[np.ndarray, " m"]]:
        """Parts of a contact in which the foot stands. The foot stands in all of it, unless it wanders."""
        middle = self._own[part] @ ((self._heel + self._toe) / 2) if self._measured else 0.0
        places = (self.ankle[part] + middle)[:, [0, 2]]
        if np.linalg.norm(places - places.mean(0), axis=-1).max() < _WANDERS:
            return [part]
        speed = np.linalg.norm(np.gradient(smooth_gaussian(places, _PITCH_MEMORY / self._interval), axis=0), axis=-1)
        fastest, rows = int(speed.argmax()), np.arange(len(part))
        still = (speed < speed[fastest] / 3) & (np.abs(self._times[part] - self._times[part[fastest]]) > _FADE / 2)
        before, after = np.flatnonzero(still & (rows < fastest)), np.flatnonzero(still & (rows > fastest))
        rests = [part[: before[-1] + 1] if len(before) else part[:0], part[after[0] :] if len(after) else part[:0]]
        return [stands for rest in rests if len(rest) > 1 for stands in self._find_still(rest)]

    def _mark_contacts(self) -> Bool[np.ndarray, " t"]:
        """Frames of contacts."""
        return np.isin(np.arange(len(self._times)), np.concatenate([np.zeros(0, int), *self._contacts]))

    def _find_landed(self, part: Int[np.ndarray, " n"]) -> Int[np.ndarray, " m"]:
        """A contact without its landing, shown by heels and toes only."""
        if part[0] == 0 or len(part) < 2 or not self._measured:
            return part
        places = [self.ankle[part] + self._own[part] @ end for end in (self._heel, self._toe)]
        speed = np.linalg.norm(np.gradient(places, self._times[part], axis=1), axis=-1).min(0)
        landed = (speed < _LANDED) | (self._times[part] - self._times[part[0]] >= _LANDS)
        return part[np.argmax(landed) :]

    def _measure_aloft(self) -> Float[np.ndarray, " t"]:
        """A smooth course: 0 where the foot stands, 1 elsewhere."""
        far = np.full(len(self._times), np.inf)
        ends = [-np.inf, *(self._times[part[-1]] for part in self._contacts)]
        starts = [*(self._times[part[0]] for part in self._contacts), np.inf]
        for end, start in zip(ends, starts, strict=True):
            between = (self._times > end) & (self._times < start)
            away = np.minimum(self._times - end, start - self._times)[between]
            far[between] = away / min(_FADE, (start - end) / 2)
        return 1 - _fade(np.where(self.still, 0.0, far))

    def _find_lowest(
        self, ankle: Float[np.ndarray, "t 3"], turned: Float[np.ndarray, "t 3 3"]
    ) -> Float[np.ndarray, " t"]:
        """Height of the lowest point of the sole."""
        ends = [ankle[:, 1] + (turned @ end)[:, 1] for end in (self._heel, self._toe)]
        return np.minimum(*ends) - self._thick

    def find_target(
        self, moved: Float[np.ndarray, "t 3"]
    ) -> tuple[Float[np.ndarray, "t 3"], Float[np.ndarray, "t 3 3"]]:
        """The foot's ankle and rotation for a moved pelvis, all frames."""
        place, sole = self._tilt_foot(self._roll(moved))
        shift, total = np.zeros_like(place), np.zeros(len(place))
        turn = np.zeros_like(sole)
        ends = [-np.inf, *(self._times[part[-1]] for part in self._contacts[:-1])]
        starts = [*(self._times[part[0]] for part in self._contacts[1:]), np.inf]
        for part, end, start in zip(self._contacts, ends, starts, strict=False):
            # Between two contacts that are close, one fades while the other comes.
            first, last = self._times[part[[0, -1]]]
            before, after = first - self._times, self._times - last
            weight = _fade(np.maximum(before / min(_FADE, first - end), after / min(_FADE, start - last)))
            near = np.clip(np.arange(len(place)), part[0], part[-1])
            shift += weight[:, None] * (place - self.ankle - moved)[near]
            turn += weight[:, None, None] * (sole @ self._own.swapaxes(1, 2))[near]
            total += weight
        u, _, v = np.linalg.svd(turn + (1 - total)[:, None, None] * np.eye(3))
        return self._lift(self.ankle + moved + shift, u @ v @ self._own)

    def _roll(self, moved: Float[np.ndarray, "t 3"]) -> Float[np.ndarray, " t"]:
        """The standing foot's pitch. The heel rises as far as keeps the leg as long as it was."""
        longest = np.minimum(self._length, _REACH * (self._upper + self._lower))
        hip, flat = self._hip + moved, np.maximum(self._pitch, 0.0)
        ahead = ((hip - self._place) * self._flat[:, :, 2]).sum(-1)
        low, high = np.zeros(len(hip)), _TIPTOE * (ahead / _PAST).clip(0, 1) ** 2
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            far = np.linalg.norm(self._tilt_foot(flat - middle)[0] - hip, axis=-1) > longest
            low, high = np.where(far, middle, low), np.where(far, high, middle)
        return flat - low

    def _lift(
        self, ankle: Float[np.ndarray, "t 3"], turned: Float[np.ndarray, "t 3 3"]
    ) -> tuple[Float[np.ndarray, "t 3"], Float[np.ndarray, "t 3 3"]]:
        """Ankle and rotation of a foot kept above the ground. It rises to stand flat, else it tilts."""
        aloft = self._measure_aloft()
        speed = np.linalg.norm(np.gradient(ankle[:, [0, 2]], self._times, axis=0), axis=-1) if len(ankle) > 1 else 0.0
        quick = smooth_gaussian(np.minimum(speed / _QUICK, 1.0) * np.ones(len(ankle)), _PITCH_MEMORY / self._interval)
        ground = self._floor + self._thick + _CLEARANCE * aloft * quick
        ankle[:, 1] = _soft_maximum(ankle[:, 1], ground - min(self._heel[1], self._toe[1]), _SOFT * aloft)
        ahead, up = turned[:, 1, 2], turned[:, 1, 1]
        pitch, cosine = np.arctan2(ahead, up), np.maximum(np.hypot(ahead, up), 1e-9)
        kept = pitch
        for end in (self._toe, self._heel):
            # The end is at ankle + length * sin(pitch + angle).
            length, angle = cosine * np.hypot(end[1], end[2]), np.arctan2(end[1], end[2])
            lowest = (ground - ankle[:, 1]) / length
            limit = np.arcsin(lowest.clip(-1, 1))
            limit = limit - angle if end[2] > 0 else -np.pi - limit - angle
            kept = np.where(np.sin(kept + angle) < lowest, limit, kept)
        return ankle, turned @ axis_angle_to_matrix((pitch - kept)[:, None] * _X)

    def measure_excess(self, ankle: Float[np.ndarray, "t 3"]) -> Float[np.ndarray, " t"]:
        """Metres that the pelvis must sink to reach an ankle.

        The leg is then no longer than it was.

        Args:
            ankle: for a pelvis that stays, metres.
        """
        # Stretched further, knees pop long before they are straight.
        longest = np.minimum(self._length, _REACH * (self._upper + self._lower))
        away = ankle - self._hip
        beside = np.minimum(np.hypot(away[:, 0], away[:, 2]), 0.99 * longest)
        return np.clip(-away[:, 1] - np.sqrt(longest**2 - beside**2), 0.0, _DEEPEST)

    def reach(
        self, ankle: Float[np.ndarray, "t 3"], sole: Float[np.ndarray, "t 3 3"]
    ) -> dict[int, Float[np.ndarray, "t 3 3"]]:
        """Relative rotations of hip, knee and ankle that reach the foot.

        Args:
            ankle: where the ankle goes, for a pelvis that stays, metres.
            sole: rotation of the foot in the world.
        """
        axis, along, shin = self._thigh[..., 0], -self._thigh[..., 1], -self._shank[..., 1]
        # About the knee's axis the shin moves on a cone; the flexion is the angle on it from the thigh.
        sine, cosine = (shin * np.cross(axis, along)).sum(-1), (shin * along).sum(-1)
        away = ankle - self._hip
        shortest, longest = abs(self._upper - self._lower) + 1e-3, _REACH * (self._upper + self._lower)
        distance = np.linalg.norm(away, axis=-1).clip(shortest, longest)
        between = (distance**2 - self._upper**2 - self._lower**2) / (2 * self._upper * self._lower)
        flexion = np.arccos((between / np.maximum(np.hypot(sine, cosine), 1e-9)).clip(-1, 1))
        bent = axis_angle_to_matrix(axis * (flexion - np.arctan2(sine, cosine))[:, None])
        reached = self._upper * along + self._lower * np.einsum("tab,tb->ta", bent, shin)
        turn = swing(unit(reached), unit(away))
        thigh, shank = turn @ self._thigh, turn @ bent @ self._shank
        pairs = zip(self._rows, ((self._base, thigh), (thigh, shank), (shank, sole)), strict=True)
        return {row: parent.swapaxes(1, 2) @ turned for row, (parent, turned) in pairs}


def _tilt(pitch: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
    """A foot's pitch in a contact, which is flat mostly."""
    median = float(np.median(pitch))
    pitch = pitch - (median if abs(median) < _BIAS else 0.0)
    share = ((np.abs(pitch) - _FLAT) / (_TILTED - _FLAT)).clip(0, 1)
    return pitch * share * share * (3 - 2 * share)


def _envelop(values: Float[np.ndarray, " t"], reach: int) -> Float[np.ndarray, " t"]:
    """A smooth course that is nowhere below the values."""
    weights = np.hanning(2 * reach + 3)
    high = np.pad(slide_maximum(values, reach), reach + 1, mode="edge")
    return np.convolve(high, weights / weights.sum(), "valid")


def _fade(share: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
    """A smooth course from 1 at a share to 0 at 1. 1 up to a share of 0."""
    faded: np.ndarray = 0.5 + 0.5 * np.cos(np.pi * share.clip(0, 1))
    return faded


def _soft_maximum(
    values: Float[np.ndarray, " t"], lowest: Float[np.ndarray, " t"], reach: Float[np.ndarray, " t"]
) -> Float[np.ndarray, " t"]:
    """The larger of both, rounded by a parabola near equality."""
    away = values - lowest
    near = (away + reach) ** 2 / np.maximum(4 * reach, 1e-9)
    return lowest + np.where(np.abs(away) < reach, near, np.maximum(away, 0.0))


def _point_foot(heading: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3 3"]:
    """Rotation of a flat foot that points this way."""
    ahead = heading / max(float(np.linalg.norm(heading)), 1e-9)
    return np.stack([np.cross(_Y, ahead), _Y, ahead], 1)
