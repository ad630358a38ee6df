"""A simple body around a rig: round limbs, a trunk, a head and feet, each vertex moved by one or two segments."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from poselift.core.curves import interpolate_monotone
from poselift.kinematics import Rig
from poselift.skeleton.flesh import ARM, FOOT, HAND, HEAD, LEG, NECK, Profile, trunk_profile

_AROUND = 14
"""Vertices in a ring."""

_BLEND = 0.2
"""Share of a bone on either side of a joint within which both segments move the skin."""

_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True)
class Mesh:
    """A closed surface in the rest pose of a rig.

    Attributes:
        points: metres.
        normals: of length 1, outward.
        triangles: three vertices each, counter-clockwise from outside.
        segments: the two segments that move each vertex; the second is 0 where only the first does.
        weights: of these two; their sum is 1.
    """

    points: Float[np.ndarray, "v 3"]
    normals: Float[np.ndarray, "v 3"]
    triangles: Int[np.ndarray, "f 3"]
    segments: Int[np.ndarray, "v 2"]
    weights: Float[np.ndarray, "v 2"]


def body_mesh(rig: Rig) -> Mesh:
    """The body of a rig of h36m17 or cmu28, with widths in proportion to its height.

    Hands and feet that the rig lacks are added in usual sizes, and move with forearm and shank.
    """
    at, size = rig.landmarks(), rig.size
    parts = []

    def add(joints: list[np.ndarray], movers: list[str], widths: Profile, across: np.ndarray) -> None:
        stations = np.array(widths) * [1.0, size, size]
        parts.append(_tube(np.stack(joints), [rig.names.index(name) for name in movers], stations, across))

    for side in ("left", "right"):
        hip, knee, ankle = (f"{side}_{joint}" for joint in ("hip", "knee", "ankle"))
        shoulder, elbow, wrist = (f"{side}_{joint}" for joint in ("shoulder", "elbow", "wrist"))
        hand, heel, toe = (at[f"{side}_{joint}"] for joint in ("hand", "heel", "big_toe"))
        add([at[hip], at[knee], at[ankle]], [hip, knee], LEG, _X)
        add([heel, toe], [ankle], FOOT, _X)
        add([at[shoulder], at[elbow], at[wrist]], [shoulder, elbow], ARM, _Z)
        add([at[wrist], hand], [wrist], HAND, _Z)
    hips, shoulders = (
        float(np.linalg.norm(at[f"left_{joint}"] - at[f"right_{joint}"])) / 2 / size for joint in ("hip", "shoulder")
    )
    low, high = ((at[f"left_{joint}"] + at[f"right_{joint}"]) / 2 for joint in ("hip", "shoulder"))
    add([low, at["spine"], high], ["pelvis", "thorax"], trunk_profile(hips, shoulders), _X)
    # The ends are round, by as much as they are wide.
    chin, crown = (at["head_top"] + size * (0.02 * _Z - below * _Y) for below in (0.17, 0.06))
    add([high, chin], ["thorax"], NECK, _X)
    add([chin, crown], ["neck_base"], HEAD, _X)
    return _joined(parts)


def _tube(
    joints: Float[np.ndarray, "n 3"],
    movers: list[int],
    stations: Float[np.ndarray, "s 3"],
    across: Float[np.ndarray, " 3"],
) -> Mesh:
    """A surface with round ends along a chain of joints.

    Args:
        joints: of the chain.
        movers: the segment that moves each bone of the chain.
        stations: place along the joints, half width across, half width in the third direction; metres.
        across: unit vector across the chain.
    """
    bones = len(joints) - 1
    along = (joints[-1] - joints[0]) / np.linalg.norm(joints[-1] - joints[0])
    across = across - across @ along * along
    across /= np.linalg.norm(across)
    turns = np.linspace(0, 2 * np.pi, _AROUND, endpoint=False)
    circle = np.cos(turns)[:, None] * across, np.sin(turns)[:, None] * np.cross(along, across)

    place = np.linspace(0, bones, 6 * bones + 1)
    half = interpolate_monotone(stations[:, 0], stations[:, 1:], place)
    whole = np.minimum(place.astype(int), bones - 1)
    centre = joints[whole] + (place - whole)[:, None] * (joints[whole + 1] - joints[whole])
    # Quarter circles beyond both ends; a pole closes each.
    bend = np.radians([67.5, 45.0, 22.5])[:, None]
    first, last = half[0], half[-1]
    centre = np.concatenate(
        [centre[0] - np.sin(bend) * first.min() * along, centre, centre[-1] + np.sin(bend[::-1]) * last.min() * along]
    )
    half = np.concatenate([np.cos(bend) * first, half, np.cos(bend[::-1]) * last])
    place = np.pad(place, len(bend), mode="edge")
    rings = centre[:, None] + half[:, None, :1] * circle[0] + half[:, None, 1:] * circle[1]
    poles = joints[0] - first.min() * along, joints[-1] + last.min() * along
    points = np.concatenate([rings.reshape(-1, 3), poles])
    triangles = _triangles(len(rings))

    segments, weights = np.zeros((len(points), 2), int), np.tile([1.0, 0.0], (len(points), 1))
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
    return Mesh(points, _normals(points, triangles), triangles, segments, weights)


def _triangles(rings: int) -> Int[np.ndarray, "f 3"]:
    """Triangles of a tube of rings, and of the fans to its first and last pole."""
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


def _normals(points: Float[np.ndarray, "v 3"], triangles: Int[np.ndarray, "f 3"]) -> Float[np.ndarray, "v 3"]:
    """Mean direction of the triangles around each vertex, by their areas."""
    a, b, c = points[triangles].swapaxes(0, 1)
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(points)
    for corner in triangles.T:
        np.add.at(normals, corner, faces)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def _joined(parts: list[Mesh]) -> Mesh:
    """All parts as one mesh."""
    starts = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
    return Mesh(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.segments for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )
