"""BVH: fixed bones and rotations, for Blender, Maya, Unreal, MotionBuilder."""

import os

import numpy as np
from jaxtyping import Float

from poselift.core.files import atomic_text
from poselift.export.character import Character, make_character
from poselift.export.export_options import ExportOptions
from poselift.kinematics.angles import euler_zxy, euler_zyx
from poselift.numerics.times import count_even_frames, median_interval
from poselift.structures import Recording

_CENTIMETRES = 100.0

_USUAL = ("Zrotation Xrotation Yrotation", euler_zxy)
"""The channels of a joint, and their angles."""


def write_bvh(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes bones and motion: centimetres, degrees, order Z, X, Y.

    In LAFAN1's skeleton the order is Z, Y, X, as in the files of that dataset.

    The rest pose stands on the ground and faces +Z, or -Y with Z up. Angles are continuous. BVH has one frame time and
    no gaps: frames are taken at a constant rate from the ones next to them, and an empty frame repeats the last pose
    before it (or the first of the clip).

    Args:
        path: the file to write.
        recording: one person's. The file starts with its clock; until the motion begins, its first pose is held.
        options: the axis that points up, and the bones.

    Raises:
        InputError: the file cannot be written, the skeleton lacks joints, no frame has a pose, or feet are to be
            locked in a motion without contacts.
    """
    [motion] = recording.people
    figure = make_character(motion, options.rigging)
    order, euler = ("Zrotation Yrotation Xrotation", euler_zyx) if options.rigging.rig == "lafan1" else _USUAL
    if options.up == "z":
        figure = figure.turn_z_up()
    times = figure.timestamps
    interval = median_interval(times) or 1 / 30
    first = recording.clock.span[0]
    grid = first + interval * np.arange(count_even_frames(float(times[-1] - first), interval, len(times)))
    nearest = np.searchsorted((times[1:] + times[:-1]) / 2, grid)
    angles = _unwrap(np.degrees(euler(figure.rotations[nearest])))
    places = np.broadcast_to(figure.offsets, angles.shape).copy()
    places[:, figure.mover] = figure.way[nearest]
    channels = [
        channel
        for row in _order_bones(figure)
        for channel in ((_CENTIMETRES * places[:, row], angles[:, row]) if row <= figure.mover else (angles[:, row],))
    ]
    with atomic_text(path) as file:
        file.write("HIERARCHY\n" + _format_hierarchy(figure, order, 0, ""))
        file.write(f"MOTION\nFrames: {len(grid)}\nFrame Time: {interval:.8f}\n")
        np.savetxt(file, np.concatenate(channels, 1), fmt="%.5f")


def _children(figure: Character, bone: int) -> list[int]:
    return [child for child, parent in enumerate(figure.parents) if parent == bone]


def _order_bones(figure: Character, bone: int = 0) -> list[int]:
    """Bones in the order in which the hierarchy names them."""
    return [bone, *(found for child in _children(figure, bone) for found in _order_bones(figure, child))]


def _format_hierarchy(figure: Character, order: str, bone: int, indent: str) -> str:
    """A bone and all below it as text."""

    def offset(metres: Float[np.ndarray, "3"]) -> str:
        return "OFFSET " + " ".join(f"{value:.5f}" for value in _CENTIMETRES * metres)

    inner = indent + "\t"
    moves = "6 Xposition Yposition Zposition " if bone <= figure.mover else "3 "
    text = f"{indent}{'JOINT' if bone else 'ROOT'} {figure.names[bone]}\n{indent}{{\n"
    text += f"{inner}{offset(figure.offsets[bone])}\n{inner}CHANNELS {moves}{order}\n"
    children = _children(figure, bone)
    text += "".join(_format_hierarchy(figure, order, child, inner) for child in children)
    if not children:
        text += f"{inner}End Site\n{inner}{{\n{inner}\t{offset(figure.tips[bone] - figure.rest[bone])}\n{inner}}}\n"
    return f"{text}{indent}}}\n"


def _unwrap(angles: Float[np.ndarray, "t s 3"]) -> Float[np.ndarray, "t s 3"]:
    """The same rotations, by angles near those of the frame before.

    Each rotation has two triples: (z, x, y) and (z + 180, 180 - x, y + 180), each up to full turns; of the order Z, Y,
    X likewise.
    """
    both = np.stack([angles, np.array([180.0, 180.0, 180.0]) + angles * np.array([1.0, -1.0, 1.0])])
    out = angles.copy()
    for frame in range(1, len(out)):
        before = out[frame - 1]
        turned = both[:, frame] - 360 * np.round((both[:, frame] - before) / 360)
        second = np.abs(turned[1] - before).sum(-1) < np.abs(turned[0] - before).sum(-1)
        out[frame] = np.where(second[:, None], turned[1], turned[0])
    return out
