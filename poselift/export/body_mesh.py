"""A simple body around a rig. It has round limbs, a trunk, a head and feet. One or two segments move each vertex."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from poselift.core.arrays import AnyArray, array_namespace, constant
from poselift.kinematics import Rig
from poselift.kinematics.directions import unit
from poselift.numerics.curves import interpolate_monotone
from poselift.skeleton.flesh import ARM, FINGER, FOOT, HAND, HEAD, LEG, NECK, PALM, Profile, trunk_profile
from poselift.skeleton.hand import FINGERS

_AROUND = 14
"""Vertices in a ring."""

_BLEND = 0.2
"""Share of a bone on either side of a joint within which both segments move the skin."""


@dataclass(frozen=True)
class Mesh:
    """A closed surface in the rest pose of a rig.

    Attributes:
        points: metres.
        triangles: three vertices each, counter-clockwise from outside.
        segments: the two segments that move each vertex; the second is 0 where only the first does.
        weights: of these two; their sum is 1.
    """

    points: Float[AnyArray, "v 3"]
    triangles: Int[np.ndarray, "f 3"]
    segments: Int[np.ndarray, "v 2"]
    weights: Float[np.ndarray, "v 2"]

    @property
    def normals(self) -> Float[np.ndarray, "v 3"]:
        """Mean direction of the triangles around each vertex, outward. Areas are the weights, and the length is 1."""
        a, b, c = self.points[self.triangles].swapaxes(0, 1)
        faces = np.cross(b - a, c - a)
        normals = np.zeros_like(self.points)
        for corner in self.triangles.T:
            np.add.at(normals, corner, faces)
        return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def make_body_mesh(rig: Rig) -> Mesh:
    """The body of a rig, as wide as its height asks.

    The rig is of h36m17 or cmu28. Hands and feet that the rig lacks are added in usual sizes, and move with forearm and
    shank. A rig with fingers has palms and fingers.
    """
    at, size = rig.landmarks(), rig.size
    xp = array_namespace(at["spine"])
    x, y, z = (constant(axis, at["spine"]) for axis in np.eye(3))
    parts = []

    def add(joints: list[AnyArray], movers: list[str], widths: Profile, across: AnyArray) -> None:
        places = np.array([station[0] for station in widths], float)
        half = xp.stack([xp.stack([size * width for width in station[1:]]) for station in widths])
        parts.append(_tube(xp.stack(joints), [rig.names.index(name) for name in movers], places, half, across))

    for side in ("left", "right"):
        hip, knee, ankle = (f"{side}_{joint}" for joint in ("hip", "knee", "ankle"))
        shoulder, elbow, wrist = (f"{side}_{joint}" for joint in ("shoulder", "elbow", "wrist"))
        hand, heel, toe = (at[f"{side}_{joint}"] for joint in ("hand", "heel", "big_toe"))
        add([at[hip], at[knee], at[ankle]], [hip, knee], LEG, x)
        add([heel, toe], [ankle], FOOT, x)
        add([at[shoulder], at[elbow], at[wrist]], [shoulder, elbow], ARM, z)
        if f"{side}_hand_index_mcp" not in rig.names:
            add([at[wrist], hand], [wrist], HAND, z)
            continue
        roots = [at[f"{side}_hand_{finger}_mcp"] for finger in ("index", "middle", "ring", "pinky")]
        add([at[wrist], xp.stack(roots).mean(0)], [wrist], PALM, z)
        for finger, bones in FINGERS.items():
            joints = [f"{side}_hand_{finger}_{bone}" for bone in bones]
            add([at[joint] for joint in joints], joints[:-1], FINGER, z)
    hips, shoulders = (
        xp.linalg.vector_norm(at[f"left_{joint}"] - at[f"right_{joint}"]) / 2 / size for joint in ("hip", "shoulder")
    )
    low, high = ((at[f"left_{joint}"] + at[f"right_{joint}"]) / 2 for joint in ("hip", "shoulder"))
    add([low, at["spine"], high], ["pelvis", "thorax"], trunk_profile(hips, shoulders), x)
    # The ends are round, by as much as they are wide.
    chin, crown = (at["head_top"] + size * (0.02 * z - below * y) for below in (0.17, 0.06))
    add([high, chin], ["thorax"], NECK, x)
    add([chin, crown], ["neck_base"], HEAD, x)
    return _join(parts)


def _tube(
    joints: Float[AnyArray, "n 3"],
    movers: list[int],
    places: Float[np.ndarray, " s"],
    half: Float[AnyArray, "s 2"],
    across: Float[AnyArray, "3"],
) -> Mesh:
    """A surface with round ends along a chain of joints.

    Args:
        joints: of the chain.
        movers: the segment that moves each bone of the chain.
        places: of the stations, along the joints.
        half: half width of each station across and in the third direction, metres.
        across: unit vector across the chain.
    """
    xp, bones = array_namespace(joints), len(movers)
    along = unit(joints[-1] - joints[0])
    across = unit(across - (across * along).sum() * along)
    turns = np.linspace(0, 2 * np.pi, _AROUND, endpoint=False)
    circle = constant(np.cos(turns)[:, None], joints) * across
    third = constant(np.sin(turns)[:, None], joints) * xp.linalg.cross(along, across)

    place = np.linspace(0, bones, 6 * bones + 1)
    half = interpolate_monotone(places, half, place)
    whole = np.minimum(place.astype(int), bones - 1)
    share = constant((place - whole)[:, None], joints)
    centre = joints[whole.tolist()] + share * (joints[(whole + 1).tolist()] - joints[whole.tolist()])
    # Quarter circles beyond both ends; a pole closes each.
    bend = np.radians([67.5, 45.0, 22.5])[:, None]
    sin, cos = constant(np.sin(bend), joints), constant(np.cos(bend), joints)
    back, front = constant(np.sin(bend[::-1]), joints), constant(np.cos(bend[::-1]), joints)
    first, last = half[0], half[-1]
    ends = xp.min(first, axis=0) * along, xp.min(last, axis=0) * along
    centre = xp.concat([centre[0] - sin * ends[0], centre, centre[-1] + back * ends[1]])
    half = xp.concat([cos * first, half, front * last])
    place = np.pad(place, len(bend), mode="edge")
    rings = centre[:, None] + half[:, None, :1] * circle + half[:, None, 1:] * third
    poles = xp.stack((joints[0] - ends[0], joints[-1] + ends[1]))
    points = xp.concat([rings.reshape(-1, 3), poles])
    triangles = _triangles(len(place))

    count = len(place) * _AROUND + 2
    segments, weights = np.zeros((count, 2), int), np.tile([1.0, 0.0], (count, 1))
    segments[:, 0] = movers[0]
    if bones > 1:
        place = np.append(np.repeat(place, _AROUND), [0, bones])
        joint = np.clip(np.round(place), 1, bones - 1).astype(int)
        share = np.clip((place - joint) / (2 * _BLEND) + 0.5, 0.0, 1.0)
        segments = np.stack([np.array(movers)[joint - 1], np.array(movers)[joint]], 1)
        weights = np.stack([1 - share, share], 1)
        # The format wants the first one to be used, and 0 where the second is not.
        segments[share == 1], weights[share == 1] = segments[share == 1, ::-1], (1.0, 0.0)
        segments[weights[:, 1] == 0, 1] = 0
    return Mesh(points, triangles, segments, weights)


def _triangles(rings: int) -> Int[np.ndarray, "f 3"]:
    """Triangles of a tube of rings, and of its two ends. These are fans to its first and last pole."""
    here = np.arange(_AROUND)
    there = np.roll(here, -1)
    start = _AROUND * np.arange(rings - 1)[:, None]
    sides = [
        (start + here, start + there, start + here + _AROUND),
        (start + there, start + there + _AROUND, start + here + _AROUND),
    ]
    pole, last = np.full(_AROUND, rings * _AROUND), _AROUND * (rings - 1)
    fans = [(pole, there, here), (pole + 1, last + here, last + there)]
    return np.concatenate([np.stack(corners, -1).reshape(-1, 3) for corners in (*sides, *fans)])


def _join(parts: list[Mesh]) -> Mesh:
    """All parts as one mesh."""
    starts = np.cumsum([0, *(len(part.segments) for part in parts[:-1])])
    xp = array_namespace(parts[0].points)
    return Mesh(
        xp.concat([part.points for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.segments for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )
