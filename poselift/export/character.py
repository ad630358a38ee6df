"""A motion as the bones of a character.

The names, the hierarchy and the rest pose are those that other programs expect. BVH, GLB and VRMA are all made here.
Bones turn in the world as the segments of poselift's own rig do, so that a rig is only names, places and a rest pose:
`rigs.toml`.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Float, Int

from poselift.export.export_options import OWN, Rest, Rigging, read_rigs
from poselift.kinematics import Z_UP, Rig, RiggedMotion, lock_feet, solve
from poselift.kinematics.fingers import add_fingers
from poselift.structures import Motion

_DOWN = np.radians(45.0)
"""Angle of the arms below the horizontal in an A-pose."""

_TIP = 0.3
"""Length of a last bone relative to the one before it, where nothing shows its end."""


@dataclass(frozen=True)
class Character:
    """A motion as rotations of bones, without empty frames.

    Right-handed, Y up unless `turn_z_up` turned it.

    Attributes:
        names: of the bones.
        parents: index of each bone's parent, which comes before it; -1 for the first.
        rest: place of each bone in the rest pose, metres; the feet are on the ground in a T-pose and an A-pose.
        tips: end of each last bone in the rest pose, metres; NaN where a bone follows.
        mover: index of the bone that moves; the others only turn. Bones above it stay at the origin.
        way: place of that bone, metres.
        rotations: of each bone relative to its parent. The identity is the rest pose.
        timestamps: seconds.
        person: number of the person, from 1.
        slots: what each bone is, by the first column of rigs.toml; the names for poselift's own rig.
        rig: poselift's own rig, in its T-pose.
        bones: index of the bone that follows each segment of that rig.
        turned: rotation of each bone from the T-pose into the rest pose.
        t_pose: place of each bone in the T-pose, metres.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    rest: Float[np.ndarray, "s 3"]
    tips: Float[np.ndarray, "s 3"]
    mover: int
    way: Float[np.ndarray, "t 3"]
    rotations: Float[np.ndarray, "t s 3 3"]
    timestamps: Float[np.ndarray, " t"]
    person: int
    slots: tuple[str, ...]
    rig: Rig
    bones: Int[np.ndarray, " p"]
    turned: Float[np.ndarray, "s 3 3"]
    t_pose: Float[np.ndarray, "s 3"]

    @property
    def offsets(self) -> Float[np.ndarray, "s 3"]:
        """Vectors from each bone's parent at rest, metres. The first bone's is from the origin."""
        starts = np.concatenate([self.rest, np.zeros((1, 3))])
        return self.rest - starts[list(self.parents)]

    def segment_places(self) -> Float[np.ndarray, "p 3"]:
        """Where poselift's own joints are in the rest pose."""
        own = self.rig.placed() - self.rig.landmarks()["ground"]
        return self.rest[self.bones] + np.einsum("pab,pb->pa", self.turned[self.bones], own - self.t_pose[self.bones])

    def turn_z_up(self) -> "Character":
        """The same with Z up: who faced +Z faces -Y."""
        points = {name: getattr(self, name) @ Z_UP.T for name in ("rest", "tips", "way")}
        return replace(self, rotations=Z_UP @ self.rotations @ Z_UP.T, turned=Z_UP @ self.turned @ Z_UP.T, **points)


@dataclass(frozen=True)
class _Bone:
    """A bone of a rig.

    Attributes:
        name: in the rig.
        slot: what it is.
        parent: name of the parent; empty for the first.
        start: joint, or two joints and the share of the way between them.
        segment: of poselift's own rig with which it turns; "ground" for a bone that stays.
        tip: joint at its end, of a last bone.
    """

    name: str
    slot: str
    parent: str
    start: str
    segment: str
    tip: str = ""


def make_character(motion: Motion, rigging: Rigging) -> Character:
    """The bones of a motion.

    With fingers if the motion has hands and the rig has fingers. An empty frame has the last pose before it, or the
    first of the clip. A hand that is not seen is at rest (`poselift.kinematics.fingers`).

    Args:
        motion: of one person.
        rigging: the rig and its rest pose.

    Raises:
        InputError: the skeleton lacks joints, no frame has a pose, or feet are to be locked in a motion without
            contacts.
    """
    rigged = solve(motion)
    if rigging.lock_feet:
        rigged = lock_feet(rigged, motion)
    has_fingers = (
        motion.hands is not None
        and motion.hands.in_3d
        and (rigging.rig == OWN or "left_index_1" in read_rigs()[rigging.rig])
    )
    if has_fingers:
        rigged = add_fingers(rigged, motion)
    at = rigged.rig.landmarks()
    at = {joint: place - at["ground"] for joint, place in at.items()}
    bones = _own_bones(rigged.rig) if rigging.rig == OWN else _read_bones(rigging.rig, has_fingers)
    names = [bone.name for bone in bones]
    parents = tuple(names.index(bone.parent) if bone.parent else -1 for bone in bones)
    starts = np.stack([_place(bone.start, at) for bone in bones])
    ends = [bone.tip if row not in parents else "" for row, bone in enumerate(bones)]
    tips = np.stack([at[end] if end else np.full(3, np.nan) for end in ends])
    if rigging.rig == OWN:
        for row in set(range(len(bones))) - set(parents):
            tips[row] = starts[row] + _TIP * (starts[row] - starts[parents[row]])
    shown = rigged.held_frames()
    world = _orientations(rigged, bones)[shown]
    mover = next(row for row, bone in enumerate(bones) if bone.segment == rigged.rig.names[0])

    rest = rigging.rest or ("t" if rigging.rig == OWN else read_rigs()[rigging.rig]["rest"])
    if rest == "first":
        turned = world[0]
    elif rest == "bones":
        turned = _along_x(bones, starts)
    else:
        turned = np.stack([_rest_turn(bone.segment, rest) for bone in bones])
    placed = _pose(starts, parents, turned)
    if rest == "first":
        placed[mover:] += rigged.root[shown[0]] - placed[mover]
    tips = placed + np.einsum("sab,sb->sa", turned, tips - starts)
    local = world @ turned.swapaxes(1, 2)
    for row in range(len(bones) - 1, -1, -1):
        if parents[row] >= 0:
            local[:, row] = local[:, parents[row]].swapaxes(1, 2) @ local[:, row]
    segments = [bone.segment for bone in bones]
    return Character(
        tuple(names),
        parents,
        placed,
        tips,
        mover,
        rigged.root[shown].astype(np.float64),
        local,
        rigged.timestamps,
        rigged.person,
        tuple(bone.slot for bone in bones),
        rigged.rig,
        np.array([segments.index(name) if name in segments else mover for name in rigged.rig.names]),
        turned,
        starts,
    )


@cache
def _read_bones(rig: str, has_fingers: bool) -> tuple[_Bone, ...]:
    """The bones of a rig of the table."""
    table, names = read_rigs(), dict(read_rigs()[rig])
    slots = table["slots"] | (table["fingers"] if has_fingers else {})
    left, right = names.pop("sides")
    found: dict[str, _Bone] = {}
    for other in (False, True):
        for slot, (parent, start, segment, *tip) in slots.items():
            if slot not in names or (other and not slot.startswith("left_")):
                continue
            while parent and parent not in names:
                parent = slots[parent][0]
            texts = [slot, parent, start, segment, *tip]
            name = names[slot]
            if other:
                texts, name = [text.replace("left_", "right_") for text in texts], name.replace(left, right)
            slot_, parent, *rest = texts
            found[slot_] = _Bone(name, slot_, found[parent].name if parent else "", *rest)
    return tuple(found.values())


def _own_bones(rig: Rig) -> tuple[_Bone, ...]:
    """The segments of a rig as bones of the same names."""
    order: list[int] = []
    while len(order) < len(rig.names):
        for row, parent in enumerate(rig.parents):
            if row not in order and (parent < 0 or parent in order):
                order.append(row)
    names = (*rig.names, "")
    return tuple(_Bone(names[row], names[row], names[rig.parents[row]], names[row], names[row]) for row in order)


def _place(start: str, at: dict[str, Float[np.ndarray, "3"]]) -> Float[np.ndarray, "3"]:
    """A bone's start in the T-pose, from the place on the ground."""
    if start == "ground":
        return np.zeros(3)
    first, *more = start.split()
    return at[first] if not more else at[first] + float(more[0]) * (at[more[1]] - at[first])


def _orientations(rigged: RiggedMotion, bones: tuple[_Bone, ...]) -> Float[np.ndarray, "t s 3 3"]:
    """Rotation of each bone in the world."""
    world = rigged.orientations()
    still = np.broadcast_to(np.eye(3), (len(rigged), 3, 3))
    names = rigged.rig.names
    return np.stack([world[:, names.index(bone.segment)] if bone.segment in names else still for bone in bones], 1)


def _rest_turn(segment: str, rest: Rest) -> Float[np.ndarray, "3 3"]:
    """Rotation of a segment from the T-pose into a rest pose."""
    side, _, joint = segment.partition("_")
    if rest != "a" or joint.partition("_")[0] not in ("shoulder", "elbow", "wrist", "hand"):
        return np.eye(3)
    angle = -_DOWN if side == "left" else _DOWN
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


_UP, _AHEAD, _LEFT = np.eye(3)[[1, 2, 0]]
"""Of a person in the T-pose, who faces +Z."""


def _along_x(bones: tuple[_Bone, ...], starts: Float[np.ndarray, "s 3"]) -> Float[np.ndarray, "s 3 3"]:
    """Rotation of each bone into LAFAN1's rest pose, from the T-pose.

    In the rest pose the frames of all bones are equal. The x axes run along the bones. The z axis is to the left in
    hips, spine, neck and head, and to the right in legs and feet; that of a hanging arm is to the left. So the knee and
    the elbow bend about z.
    """
    turned = []
    for row, bone in enumerate(bones):
        side = {"left": 1.0, "right": -1.0}.get(bone.slot.partition("_")[0], 0.0)
        part = bone.slot.partition("_")[2] if side else bone.slot
        if part in ("shoulder", "upper_arm", "lower_arm", "hand"):
            x, y = side * _LEFT, -_AHEAD
        elif part in ("upper_leg", "lower_leg"):
            x, y = -_UP, _AHEAD
        elif part == "foot":
            toes = next((at for at, other in enumerate(bones) if other.parent == bone.name), None)
            x = _AHEAD if toes is None else starts[toes] - starts[row]
            x = x - (x @ _LEFT) * _LEFT
            x = x / np.linalg.norm(x)
            y = np.cross(-_LEFT, x)
        elif part == "toes":
            x, y = _AHEAD, _UP
        else:
            x, y = _UP, _AHEAD
        turned.append(np.stack([x, y, np.cross(x, y)]))
    return np.stack(turned)


def _pose(
    starts: Float[np.ndarray, "s 3"], parents: tuple[int, ...], turned: Float[np.ndarray, "s 3 3"]
) -> Float[np.ndarray, "s 3"]:
    """Places of the bones when each is turned in the world."""
    placed = starts.copy()
    for row, parent in enumerate(parents):
        if parent >= 0:
            placed[row] = placed[parent] + turned[parent] @ (starts[row] - starts[parent])
    return placed
