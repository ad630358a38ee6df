"""Acclaim's ASF and AMC files, in which the CMU motion capture database keeps skeletons and their motion.

The format: https://research.cs.wisc.edu/graphics/Courses/cs-838-1999/Jeff/ASF-AMC.html. A bone has a direction and a
length in the world's axes at rest, an `axis` (a rotation C) in which it turns, and degrees of freedom, which make a
rotation M: of both, the angle that is written first turns first. The bone is turned, beyond what its parent is, by
C M C⁻¹; it begins where its parent ends. The bones that hang from the root begin at the root's place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.geometry import rotation_x, rotation_y, rotation_z
from poselift.skeleton import Skeleton

INCH = 0.0254
"""Metres. Lengths are in inches times the file's `length` (https://mocap.cs.cmu.edu/faqs.php)."""

_TURNS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
_CHANNELS = ("tx", "ty", "tz", "rx", "ry", "rz")


@dataclass(frozen=True)
class Bone:
    """One bone of a skeleton at rest.

    Attributes:
        name: as the file has it; "root" for the root, which has no length.
        vector: from where it begins to where it ends, world axes, metres.
        axis: C, in which it turns.
        channels: its degrees of freedom in order, "rx" and so on; for the root "tx" and so on too.
    """

    name: str
    vector: Float[Tensor, "3"]
    axis: Float[Tensor, "3 3"]
    channels: tuple[str, ...]


@dataclass(frozen=True)
class AsfSkeleton:
    """A skeleton as an ASF file has it, in metres and radians.

    Attributes:
        bones: the root first.
        tree: the names of the bones, and which bone each one hangs from.
        position: of the root where its channels are 0, metres.
        metre: of the file's unit of length.
        degrees: True where the file's angles are in degrees.
    """

    bones: tuple[Bone, ...]
    tree: Skeleton
    position: Float[Tensor, "3"]
    metre: float
    degrees: bool


def read_asf(path: str | Path) -> AsfSkeleton:
    """Reads a skeleton.

    Raises:
        InputError: no such file, or it is malformed; the message names the section or the bone.
    """
    sections = _sections(path)
    units = {words[0]: words[1:] for words in sections["units"]}
    root = {words[0]: words[1:] for words in sections["root"]}
    metre = INCH / float(_numbers(path, "units", units, "length", 1)[0])
    degrees = _angle_unit(path, (units.get("angle") or ["deg"])[0])
    scale = np.pi / 180 if degrees else 1.0
    position, orientation = (_numbers(path, "root", root, key, 3) for key in ("position", "orientation"))
    order = (root.get("axis") or ["XYZ"])[0]
    channels = _channels(path, "root", root.get("order", []), _CHANNELS)
    bones = [Bone("root", torch.zeros(3).double(), _turn(path, "root", order, orientation * scale), channels)]
    for fields in _bone_fields(path, sections["bonedata"]):
        name = (fields.get("name") or ["?"])[0]
        direction, length = _numbers(path, name, fields, "direction", 3), _numbers(path, name, fields, "length", 1)
        axis, order = _numbers(path, name, fields, "axis", 3), (fields["axis"][3:] or ["XYZ"])[0]
        channels = _channels(path, name, fields.get("dof", []), _CHANNELS[3:])
        bones.append(Bone(name, direction * length * metre, _turn(path, name, order, axis * scale), channels))
    tree = _tree(path, tuple(bone.name for bone in bones), sections["hierarchy"])
    return AsfSkeleton(tuple(bones), tree, position * metre, metre, degrees)


def read_amc(path: str | Path, skeleton: AsfSkeleton) -> dict[str, Float[Tensor, "t channels"]]:
    """Reads the motion of a skeleton.

    Args:
        path: the AMC file.
        skeleton: whose bones it moves.

    Returns:
        For each bone that has channels their values in each frame, in metres and radians.

    Raises:
        InputError: no such file, an unknown bone, a frame in which a bone is missing or has not its number of
            values; the message names the line.
    """
    degrees = skeleton.degrees
    widths = {bone.name: len(bone.channels) for bone in skeleton.bones if bone.channels}
    values: dict[str, list[list[float]]] = {name: [] for name in widths}
    frames = 0
    for number, words in _lines(path):
        if words[0].startswith(":"):
            if words[0].upper() in (":DEGREES", ":RADIANS"):
                degrees = words[0].upper() == ":DEGREES"
        elif len(words) == 1 and words[0].isdigit():
            _whole_frame(path, number, values, frames)
            frames += 1
        else:
            name, *row = words
            if name not in widths or len(row) != widths[name] or len(values[name]) != frames - 1:
                raise InputError(
                    f"{path}, line {number}: {' '.join(words)[:80]!r} is not what is expected: once in each frame, "
                    f"for each bone with a dof in the .asf file, its name and a number for each"
                )
            try:
                values[name].append([float(word) for word in row])
            except ValueError as error:
                raise InputError(f"{path}, line {number}: {error}") from error
    _whole_frame(path, number if frames else 0, values, frames)
    if frames == 0:
        raise InputError(f"{path} has no frame; each begins with a line that has its number alone")
    angle = np.pi / 180 if degrees else 1.0
    units = {channel: skeleton.metre if channel.startswith("t") else angle for channel in _CHANNELS}
    return {
        bone.name: torch.tensor(values[bone.name], dtype=torch.float64)
        * torch.tensor([units[channel] for channel in bone.channels], dtype=torch.float64)
        for bone in skeleton.bones
        if bone.channels
    }


def pose_bones(
    skeleton: AsfSkeleton, motion: Mapping[str, Float[Tensor, "t channels"]]
) -> tuple[Float[Tensor, "t b 3"], Float[Tensor, "t b 3 3"]]:
    """Forward kinematics.

    Args:
        skeleton: at rest.
        motion: values of the channels, as `read_amc` gives them.

    Returns:
        Where each bone ends, world, metres; and how it is turned from rest, in the order of the bones.
    """
    frames = len(motion["root"])
    turns = []
    for bone in skeleton.bones:
        turn = torch.eye(3, dtype=torch.float64).expand(frames, 3, 3)
        for channel, values in zip(bone.channels, motion[bone.name].mT if bone.channels else (), strict=True):
            if channel.startswith("r"):
                turn = _TURNS[channel[1]](values) @ turn
        turns.append(bone.axis @ turn @ bone.axis.mT)
    place = skeleton.position.expand(frames, 3).clone()
    for channel, values in zip(skeleton.bones[0].channels, motion["root"].mT, strict=True):
        if channel.startswith("t"):
            place[:, "xyz".index(channel[1])] += values
    orientations: dict[int, Tensor] = {}
    ends: dict[int, Tensor] = {}
    for index in skeleton.tree.topological_order:
        bone, parent = skeleton.bones[index], skeleton.tree.parent_indices[index]
        if parent < 0:
            orientations[index], ends[index] = turns[index], place
        else:
            orientations[index] = orientations[parent] @ turns[index]
            ends[index] = ends[parent] + orientations[index] @ bone.vector
    order = range(len(skeleton.bones))
    return torch.stack([ends[index] for index in order], 1), torch.stack([orientations[index] for index in order], 1)


def _lines(path: str | Path) -> list[tuple[int, list[str]]]:
    """The words of each line that has any, with its number; without comments."""
    if not Path(path).is_file():
        raise InputError(f"no such file: {path}")
    text = Path(path).read_text(encoding="latin-1")
    lines = [(number, line.partition("#")[0].split()) for number, line in enumerate(text.splitlines(), 1)]
    return [(number, words) for number, words in lines if words]


def _sections(path: str | Path) -> dict[str, list[list[str]]]:
    """The lines of each section, by the name behind its colon."""
    sections: dict[str, list[list[str]]] = {}
    section: list[list[str]] = []
    for _, words in _lines(path):
        if words[0].startswith(":"):
            section = sections.setdefault(words[0][1:].lower(), [])
        else:
            section.append(words)
    for name in ("units", "root", "bonedata", "hierarchy"):
        if name not in sections:
            raise InputError(f"{path} has no section :{name}; is it an .asf file?")
    return sections


def _bone_fields(path: str | Path, lines: list[list[str]]) -> list[dict[str, list[str]]]:
    """The lines between each begin and end, by their first word."""
    bones: list[dict[str, list[str]]] = []
    for words in lines:
        if words == ["begin"]:
            bones.append({})
        elif words != ["end"]:
            if not bones:
                raise InputError(f"{path}, :bonedata: {' '.join(words)!r} stands before the first begin")
            bones[-1][words[0]] = words[1:]
    return bones


def _tree(path: str | Path, names: tuple[str, ...], lines: list[list[str]]) -> Skeleton:
    """Which bone hangs from which: each line has a bone and those that hang from it."""
    parents: dict[str, str | None] = {"root": None}
    for parent, *children in (words for words in lines if words not in (["begin"], ["end"])):
        for name in (parent, *children):
            if name not in names:
                raise InputError(f"{path}, :hierarchy: {name!r} is none of the bones in :bonedata")
        parents.update(dict.fromkeys(children, parent))
    for name in names:
        if name not in parents:
            raise InputError(f"{path}: the bone {name!r} is not in :hierarchy")
    try:
        tree = Skeleton(Path(path).stem, names, tuple(parents[name] for name in names))
        _ = tree.topological_order
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    return tree


def _numbers(
    path: str | Path, owner: str, fields: Mapping[str, list[str]], key: str, count: int
) -> Float[Tensor, " n"]:
    """The first numbers of a line."""
    words = fields.get(key, [])
    try:
        numbers = [float(word) for word in words[:count]]
    except ValueError as error:
        raise InputError(f"{path}, {owner}: {key}: {error}") from error
    if len(numbers) != count:
        raise InputError(f"{path}, {owner}: {key!r} has {len(numbers)} numbers, expected {count}")
    return torch.tensor(numbers, dtype=torch.float64)


def _channels(path: str | Path, owner: str, words: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    channels = tuple(word.lower() for word in words)
    for channel in channels:
        if channel not in known:
            raise InputError(f"{path}, {owner}: the degree of freedom {channel!r} is not one of {', '.join(known)}")
    return channels


def _turn(path: str | Path, owner: str, order: str, angles: Float[Tensor, "3"]) -> Float[Tensor, "3 3"]:
    """The rotation about fixed axes, the first letter of the order first; each angle is that of its letter."""
    if sorted(order.lower()) != ["x", "y", "z"]:
        raise InputError(f"{path}, {owner}: the order of axes {order!r} is not one of XYZ, ZYX and so on")
    turn = torch.eye(3, dtype=torch.float64)
    for letter, angle in zip(order.lower(), angles, strict=True):
        turn = _TURNS[letter](angle) @ turn
    return turn


def _angle_unit(path: str | Path, word: str) -> bool:
    """True for degrees."""
    if word.lower()[:3] not in ("deg", "rad"):
        raise InputError(f"{path}, units: angle {word!r} is neither deg nor rad")
    return word.lower().startswith("deg")


def _whole_frame(path: str | Path, line: int, values: Mapping[str, Sequence[object]], frames: int) -> None:
    """Makes sure that the frame that ends before a line has all bones."""
    missing = [name for name, rows in values.items() if len(rows) < frames]
    if missing:
        raise InputError(f"{path}, line {line}: the frame before it lacks {', '.join(missing)}")
