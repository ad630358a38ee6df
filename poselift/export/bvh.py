"""BVH: a skeleton of fixed bone lengths and its rotations, for Blender, Maya, Unreal and MotionBuilder."""

import os

import numpy as np
from jaxtyping import Float

from poselift.core.files import atomic_text
from poselift.core.times import usual_interval
from poselift.kinematics import Rig, RiggedMotion, solve
from poselift.kinematics.angles import euler_zxy
from poselift.structures import Motion

_CENTIMETRES = 100.0

_TIP = 0.3
"""Length of a last segment relative to the one before it: the format wants an end for it, and nothing shows one."""


def write_bvh(
    path: str | os.PathLike[str], motion: Motion | RiggedMotion, up: str = "y", start: float | None = None
) -> None:
    """Writes the rig and its motion: centimetres, rotations in the order Z, X, Y, in degrees.

    The rest pose is a T-pose that faces +Z, or -Y with Z up. Angles are continuous. BVH has one frame time and no gaps:
    frames are taken at a constant rate from the ones next to them, and an empty frame repeats the last pose before it
    (or the first of the clip).

    Args:
        path: the file to write.
        motion: one person's motion, or what `solve` made of it.
        up: the axis that points up, "y" or "z".
        start: time of the file's first frame, seconds, not after the motion's; that of the motion if None. Until the
            motion begins, its first pose is held.

    Raises:
        InputError: the file cannot be written, the skeleton lacks joints, or no frame has a pose.
    """
    rigged = motion if isinstance(motion, RiggedMotion) else solve(motion)
    if up == "z":
        rigged = rigged.with_z_up()
    times = rigged.timestamps
    interval = usual_interval(times) or 1 / 30
    first = times[0] if start is None else start
    grid = first + interval * np.arange(round((times[-1] - first) / interval) + 1)
    nearest = np.searchsorted((times[1:] + times[:-1]) / 2, grid)
    shown = rigged.held_frames()[nearest]
    angles = _continuous(np.degrees(euler_zxy(rigged.rotations[shown])))
    order = _depth_first(rigged.rig)
    columns = np.concatenate([_CENTIMETRES * rigged.root[shown], angles[:, order].reshape(len(shown), -1)], 1)
    with atomic_text(path) as file:
        file.write("HIERARCHY\n" + _hierarchy(rigged.rig, 0, ""))
        file.write(f"MOTION\nFrames: {len(columns)}\nFrame Time: {interval:.8f}\n")
        np.savetxt(file, columns, fmt="%.5f")


def _children(rig: Rig, segment: int) -> list[int]:
    return [child for child, parent in enumerate(rig.parents) if parent == segment]


def _depth_first(rig: Rig, segment: int = 0) -> list[int]:
    """Segments in the order in which the hierarchy names them."""
    return [segment, *(found for child in _children(rig, segment) for found in _depth_first(rig, child))]


def _hierarchy(rig: Rig, segment: int, indent: str) -> str:
    """A segment and all below it as text."""

    def offset(metres: Float[np.ndarray, " 3"]) -> str:
        return "OFFSET " + " ".join(f"{value:.5f}" for value in _CENTIMETRES * metres)

    inner = indent + "\t"
    moves = "6 Xposition Yposition Zposition " if segment == 0 else "3 "
    text = f"{indent}{'JOINT' if segment else 'ROOT'} {rig.names[segment]}\n{indent}{{\n"
    text += f"{inner}{offset(rig.offsets[segment])}\n{inner}CHANNELS {moves}Zrotation Xrotation Yrotation\n"
    children = _children(rig, segment)
    text += "".join(_hierarchy(rig, child, inner) for child in children)
    if not children:
        text += f"{inner}End Site\n{inner}{{\n{inner}\t{offset(_TIP * rig.offsets[segment])}\n{inner}}}\n"
    return f"{text}{indent}}}\n"


def _continuous(angles: Float[np.ndarray, "t s 3"]) -> Float[np.ndarray, "t s 3"]:
    """The same rotations by the angles that are next to those of the frame before.

    Each rotation has two triples: (z, x, y) and (z + 180, 180 - x, y + 180), each up to full turns.
    """
    both = np.stack([angles, np.array([180.0, 180.0, 180.0]) + angles * np.array([1.0, -1.0, 1.0])])
    out = angles.copy()
    for frame in range(1, len(out)):
        before = out[frame - 1]
        turned = both[:, frame] - 360 * np.round((both[:, frame] - before) / 360)
        second = np.abs(turned[1] - before).sum(-1) < np.abs(turned[0] - before).sum(-1)
        out[frame] = np.where(second[:, None], turned[1], turned[0])
    return out
