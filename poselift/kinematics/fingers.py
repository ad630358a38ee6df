"""Hands as rotations.

The palm turns with the wrist, and each bone of a finger on the one before it. The palm's frame comes from the wrist and
the roots of index and little finger; the bones of a finger point where its joints do. Where a hand is not seen, it
rests on the forearm with fingers a little bent (`_RELAXED`), because characters have no gaps; it comes from there, and
goes back, within `_FADE` seconds. In a shorter gap it turns from the detection before to the one after.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.geometry import axis_angle_to_matrix, matrix_to_quaternion, quaternion_to_matrix
from poselift.geometry.products import compose, rotate, transpose
from poselift.kinematics.directions import basis, swing, unit
from poselift.kinematics.rig import Rig, RiggedMotion
from poselift.skeleton.hand import FINGERS, HAND21, SIDES, on_body
from poselift.structures import Motion

_RELAXED = {"mcp": 20.0, "pip": 30.0, "dip": 15.0}
"""Bend of the joints of a finger that is not seen, degrees; its thumb is straight."""

_FADE = 0.25
"""Seconds from a hand that is seen to the resting one, and back."""

_PRONATION = 0.5
"""Share of a hand's turn about the forearm that the forearm's bone takes: a forearm turns along its whole length."""


def add_fingers(rigged: RiggedMotion, motion: Motion) -> RiggedMotion:
    """The motion with its hands' joints as segments of the rig.

    They rest in a T-pose with palms down: fingers straight along the arms, thumbs ahead of them by 45 degrees.

    Args:
        rigged: of the motion, without fingers.
        motion: with hands, of which one is seen in 3D.
    """
    assert motion.hands is not None
    rig, times = rigged.rig, rigged.timestamps
    upright = np.eye(3) if motion.frame == "world" else np.diag([1.0, -1.0, -1.0])
    joints = motion.hands.joints.astype(np.float64) @ upright
    posed = np.isfinite(rigged.root).all(1)
    seen = motion.hands.seen & posed[:, None]
    turned = {name: rigged.rotations[:, row] for row, name in enumerate(rig.names)}
    added: dict[str, tuple[str, np.ndarray]] = {}
    for row, side in enumerate(SIDES):
        own = seen[:, row]
        palm, bones = _measure_hand(side, _choose_detections(joints, seen, row))
        between, share = _between_detections(own, times)
        elbow, wrist = f"{side}_elbow", f"{side}_wrist"
        if own.any():
            above = rigged.orientations()[own, rig.names.index(elbow)]
            turned[wrist] = _blend(turned[wrist], between.blend(compose(transpose(above), palm)), share)
            twist = _pronate(turned[wrist], _along(side))
            turned[elbow] = compose(turned[elbow], axis_angle_to_matrix(twist))
            turned[wrist] = compose(axis_angle_to_matrix(-twist), turned[wrist])
        for joint, (parent, offset, local) in bones.items():
            at_rest = np.broadcast_to(_bend(side, joint), (len(rigged), 3, 3))
            name = on_body(side, joint)
            turned[name] = np.where(posed[:, None, None], _blend(at_rest, between.blend(local), share), np.nan)
            added[name] = on_body(side, parent), offset
    names = (*rig.names, *added)
    return replace(
        rigged,
        rig=Rig(
            names,
            (*rig.parents, *(names.index(parent) for parent, _ in added.values())),
            np.concatenate([rig.offsets, np.stack([offset for _, offset in added.values()])]),
        ),
        rotations=np.stack([turned[name] for name in names], 1),
        residuals=np.pad(rigged.residuals, ((0, 0), (0, len(added))), constant_values=np.nan),
    )


def _along(side: str) -> Float[np.ndarray, "3"]:
    """Along the fingers of a hand at rest."""
    return np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])


_AHEAD = np.array([0.0, 0.0, 1.0])
"""Across a hand at rest, to the index finger."""


def _choose_detections(
    joints: Float[np.ndarray, "t 2 21 3"], seen: Bool[np.ndarray, "t 2"], row: int
) -> Float[np.ndarray, "n 21 3"]:
    """A hand's observations, or the other's, mirrored."""
    if seen[:, row].any():
        return joints[seen[:, row], row]
    mirrored: np.ndarray = joints[seen[:, 1 - row], 1 - row] * [-1.0, 1.0, 1.0]
    return mirrored


def _straight(side: str, finger: str) -> Float[np.ndarray, "3"]:
    """Direction of a finger at rest."""
    direction: np.ndarray = unit(_along(side) + _AHEAD) if finger == "thumb" else _along(side)
    return direction


def _measure_hand(
    side: str, joints: Float[np.ndarray, "n 21 3"]
) -> tuple[Float[np.ndarray, "n 3 3"], dict[str, tuple[str, Float[np.ndarray, "3"], Float[np.ndarray, "n 3 3"]]]]:
    """The palm's rotation, and each joint's parent, place and rotation.

    The place is from the parent at rest. The rotation of a joint is that of the bone that begins there, relative to the
    bone before it.

    Args:
        side: "left" or "right".
        joints: metres from the wrist, Y up.
    """
    at = {joint: joints[:, row] for row, joint in enumerate(HAND21.joints)}
    middle, across = (at["index_mcp"] + at["pinky_mcp"]) / 2, at["index_mcp"] - at["pinky_mcp"]
    palm = compose(basis(middle, across), basis(_along(side), _AHEAD).T)
    found = {}
    for finger, parts in FINGERS.items():
        straight, before, above = _straight(side, finger), "wrist", palm
        names = [f"{finger}_{part}" for part in parts]
        for name, after in zip(names, [*names[1:], None], strict=True):
            bone = at[name] - at[before]
            if before == "wrist":
                offset = np.median(rotate(transpose(palm), bone), axis=0)
            else:
                offset = np.median(np.linalg.norm(bone, axis=-1)) * straight
            local = np.broadcast_to(np.eye(3), palm.shape)
            if after is not None:
                aim = rotate(transpose(above), unit(at[after] - at[name]))
                # A finger bends about an axis across the palm, however far; the thumb's axis is not known.
                hinge = compose(basis(aim, _AHEAD), basis(straight, _AHEAD).T)
                local = swing(straight, aim) if finger == "thumb" else hinge
                above = compose(above, local)
            found[name] = before, offset, local
            before = name
    return palm, found


@dataclass(frozen=True)
class _Observations:
    """Observations of a hand around each frame, and the later's share."""

    before: Int[np.ndarray, " t"]
    after: Int[np.ndarray, " t"]
    share: Float[np.ndarray, " t"]

    def blend(self, values: Float[np.ndarray, "n 3 3"]) -> Float[np.ndarray, "t 3 3"]:
        """Rotations of the detections in each frame."""
        return _blend(values[self.before], values[self.after], self.share)


def _between_detections(
    seen: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"]
) -> tuple[_Observations, Float[np.ndarray, " t"]]:
    """Each frame's observations of a hand, and how far they show. 1 where the hand is seen."""
    if not seen.any():
        none = np.zeros(len(times), int)
        return _Observations(none, none, np.zeros(len(times))), np.zeros(len(times))
    detected = times[seen]
    after = np.searchsorted(detected, times).clip(max=len(detected) - 1)
    before = (np.searchsorted(detected, times, side="right") - 1).clip(min=0)
    since, until = np.abs(times - detected[before]), np.abs(detected[after] - times)
    shown = np.clip(1 - np.minimum(since, until) / _FADE, 0.0, 1.0)
    return _Observations(before, after, since / np.maximum(since + until, 1e-9)), shown


def _bend(side: str, joint: str) -> Float[np.ndarray, "3 3"]:
    """Rotation of a joint of a hand that is not seen."""
    finger, _, part = joint.partition("_")
    degrees = 0.0 if finger == "thumb" else _RELAXED.get(part, 0.0)
    # Towards the palm, which is below.
    bent: np.ndarray = axis_angle_to_matrix(np.radians(degrees) * np.cross(_along(side), [0.0, -1.0, 0.0]))
    return bent


def _blend(
    at_rest: Float[np.ndarray, "t 3 3"], seen: Float[np.ndarray, "t 3 3"], share: Float[np.ndarray, " t"]
) -> Float[np.ndarray, "t 3 3"]:
    """Rotations between two, by the share of the second one."""
    first, second = matrix_to_quaternion(at_rest), matrix_to_quaternion(seen)
    first = np.where((first * second).sum(-1, keepdims=True) < 0, -first, first)
    between: np.ndarray = quaternion_to_matrix(first + share[:, None] * (second - first))
    return between


def _pronate(wrist: Float[np.ndarray, "t 3 3"], axis: Float[np.ndarray, "3"]) -> Float[np.ndarray, "t 3"]:
    """The forearm's part of the hand's turn about it, as axis-angle vectors.

    Beyond a quarter turn, which no forearm reaches, it gets less again: at half a turn it would change its sign.
    """
    w, *xyz = np.moveaxis(matrix_to_quaternion(wrist), -1, 0)
    angle = np.remainder(2 * np.arctan2(axis @ np.stack(xyz), w) + np.pi, 2 * np.pi) - np.pi
    reachable = np.where(np.abs(angle) <= np.pi / 2, angle, np.sign(angle) * (np.pi - np.abs(angle)))
    return _PRONATION * reachable[:, None] * axis
