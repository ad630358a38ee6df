"""Acclaim's ASF and AMC files: CMU's skeletons and motion.

The format: https://research.cs.wisc.edu/graphics/Courses/cs-838-1999/Jeff/ASF-AMC.html and
http://graphics.cs.cmu.edu/nsp/course/cs229/info/ACCLAIMdef.html. A bone has a direction and a length in world axes
at rest, an `axis` (a rotation C), and degrees of freedom (a rotation M). In both rotations the first angle of the file
turns first, about fixed axes. Relative to its parent, the bone turns by C M C⁻¹. It starts at its parent's end, and
children of the root start at the root.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_bytes
from poselift.data.loading import INCH
from poselift.geometry import forward_kinematics, points_from_bones, rotation_x, rotation_y, rotation_z
from poselift.skeleton import Skeleton

_TURNS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
_MOVES, _ANGLES = ("tx", "ty", "tz"), ("rx", "ry", "rz")


@dataclass(frozen=True)
class Bone:
    """One bone of a skeleton at rest.

    Attributes:
        name: name in the file; "root" for the root, which has no length.
        vector: from start to end, world axes, metres.
        axis: the rotation C of its axes.
        channels: degrees of freedom in order, such as "rx"; the root also has "tx", "ty" and "tz".
    """

    name: str
    vector: Float[Tensor, "3"]
    axis: Float[Tensor, "3 3"]
    channels: tuple[str, ...]


@dataclass(frozen=True)
class AsfSkeleton:
    """The skeleton of an ASF file.

    Attributes:
        bones: all bones, the root first.
        tree: names of the bones, and their parents.
        position: position of the root when its channels are 0, metres.
        metre: metres per unit of length in the file.
        radian: radians per unit of angle in the file.
    """

    bones: tuple[Bone, ...]
    tree: Skeleton
    position: Float[Tensor, "3"]
    metre: float
    radian: float


def read_asf(path: str | Path) -> AsfSkeleton:
    """The skeleton of an ASF file.

    It has no limits of the degrees of freedom, because the database's motion exceeds them.

    Raises:
        InputError: the file is missing or malformed; the message names the line.
    """
    sections = _sections(path)
    units, root = (_Fields(f"{path}, :{name}", sections[name]) for name in ("units", "root"))
    length, angle = units["length"], units["angle"]
    if (unit := length.numbers(1)[0]) <= 0:
        raise length.wrong("a number above 0")
    if (radian := {"deg": math.pi / 180, "rad": 1.0}.get(angle.word().lower()[:3])) is None:
        raise angle.wrong("deg or rad")
    metre = INCH / unit  # Lengths are in inches times the file's `length` (http://mocap.cs.cmu.edu/faqs.php).
    if any(root["orientation"].numbers(3)):
        raise root["orientation"].wrong(
            "0 0 0, as in the database, because readers differ on a root that is turned at rest"
        )
    position = torch.tensor(root["position"].numbers(3), dtype=torch.float64) * metre
    nothing = torch.zeros(3, dtype=torch.float64)
    bones = [Bone("root", nothing, _turn(nothing, "xyz"), root["order"].channels(_MOVES + _ANGLES))]
    for fields in _bones(sections["bonedata"]):
        direction = torch.tensor(fields["direction"].numbers(3), dtype=torch.float64)
        axis = fields["axis"]
        order = "".join(axis.words[4:]).lower()
        if sorted(order) != ["x", "y", "z"]:
            raise axis.wrong("three angles and then their order, such as XYZ")
        bones.append(
            Bone(
                fields["name"].word(),
                direction * fields["length"].numbers(1)[0] * metre,
                _turn(torch.tensor(axis.numbers(3), dtype=torch.float64) * radian, order),
                fields["dof"].channels(_ANGLES) if "dof" in fields else (),
            )
        )
    tree = _tree(path, [bone.name for bone in bones], sections["hierarchy"])
    return AsfSkeleton(tuple(bones), tree, position, metre, radian)


def read_amc(path: str | Path, skeleton: AsfSkeleton) -> dict[str, Float[Tensor, "t channels"]]:
    """The motion of an AMC file: the channels of each bone.

    Args:
        path: the AMC file.
        skeleton: skeleton of the motion.

    Returns:
        For each bone with channels, their values in each frame, in metres and radians.

    Raises:
        InputError: the file is missing; or a bone in a frame is missing, unknown, or has a wrong number of values. The
            message names the line.
    """
    radian = skeleton.radian
    widths = {bone.name: len(bone.channels) for bone in skeleton.bones if bone.channels}
    values: dict[str, list[list[float]]] = {name: [] for name in widths}
    frames, line = 0, None
    for line in _lines(path):
        first = line.words[0]
        if first.startswith(":"):
            radian = {":degrees": math.pi / 180, ":radians": 1.0}.get(first.lower(), radian)
        elif len(line.words) == 1 and first.isdigit():
            _check_frame(line, values, frames)
            frames += 1
        elif len(line.words) - 1 != widths.get(first) or len(values[first]) != frames - 1:
            raise line.wrong(
                "once per frame, for each bone with a dof in the .asf file, its name and the values of its dof"
            )
        else:
            values[first].append(line.numbers(widths[first]))
    if line is None or frames == 0:
        raise InputError(f"{path} has no frame; a frame starts with a line that has only its number")
    _check_frame(line, values, frames)
    return {
        bone.name: torch.tensor(values[bone.name], dtype=torch.float64)
        * torch.tensor(
            [skeleton.metre if channel in _MOVES else radian for channel in bone.channels], dtype=torch.float64
        )
        for bone in skeleton.bones
        if bone.channels
    }


def pose_bones(
    skeleton: AsfSkeleton, motion: Mapping[str, Float[Tensor, "t channels"]]
) -> tuple[Float[Tensor, "t b 3"], Float[Tensor, "t b 3 3"]]:
    """Ends and orientations of the bones, by forward kinematics.

    Args:
        skeleton: the skeleton at rest.
        motion: values of the channels, as from `read_amc`.

    Returns:
        The end of each bone in the world, metres, and its rotation from rest, in the order of the bones.
    """
    frames = len(motion["root"])
    place = skeleton.position.repeat(frames, 1)
    for channel, values in zip(skeleton.bones[0].channels, motion["root"].mT, strict=True):
        if channel in _MOVES:
            place[:, _MOVES.index(channel)] += values
    turns = []
    for bone in skeleton.bones:
        turn = torch.eye(3, dtype=torch.float64).expand(frames, 3, 3)
        for channel, values in zip(bone.channels, motion[bone.name].mT if bone.channels else (), strict=True):
            if channel in _ANGLES:
                turn = _TURNS[channel[1]](values) @ turn
        turns.append(bone.axis @ turn @ bone.axis.mT)
    at_rest = torch.stack([bone.vector for bone in skeleton.bones])
    parents = skeleton.tree.parent_indices
    _, orientations = forward_kinematics(torch.stack(turns, 1), at_rest.expand(frames, -1, 3), place, parents)
    vectors = (orientations @ at_rest[..., None]).squeeze(-1)
    return points_from_bones(vectors, place, parents), orientations


@dataclass(frozen=True)
class _Line:
    """The words of a line, and its place in the file."""

    place: str
    words: list[str]

    def wrong(self, expected: str) -> InputError:
        return InputError(f"{self.place}: {' '.join(self.words)[:80]!r}, expected {expected}")

    def word(self) -> str:
        """The one behind the first."""
        if len(self.words) != 2:
            raise self.wrong(f"one word after {self.words[0]!r}")
        return self.words[1]

    def numbers(self, count: int) -> list[float]:
        """The numbers after the first word."""
        try:
            numbers = [float(word) for word in self.words[1 : count + 1]]
        except ValueError:
            numbers = []
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            raise self.wrong(f"{count} number{'s' * (count > 1)} after {self.words[0]!r}")
        return numbers

    def channels(self, known: tuple[str, ...]) -> tuple[str, ...]:
        """The degrees of freedom after the first word."""
        channels = tuple(word.lower() for word in self.words[1:])
        if not set(channels) <= set(known) or len(set(channels)) != len(channels):
            raise self.wrong(f"{', '.join(known)} or some of them")
        return channels


class _Fields(dict[str, _Line]):
    """Lines by their first word."""

    def __init__(self, place: str, lines: list[_Line]) -> None:
        super().__init__((line.words[0].lower(), line) for line in lines)
        self.place = place

    def __missing__(self, key: str) -> _Line:
        raise InputError(f"{self.place}: no line {key!r}")


def _lines(path: str | Path) -> Iterator[_Line]:
    """The lines with words, without comments."""
    for number, text in enumerate(read_bytes(path).decode("latin-1").splitlines(), 1):
        if words := text.partition("#")[0].split():
            yield _Line(f"{path}, line {number}", words)


def _sections(path: str | Path) -> dict[str, list[_Line]]:
    """The lines of each section, by its name."""
    sections: dict[str, list[_Line]] = {}
    section: list[_Line] = []
    for line in _lines(path):
        if line.words[0].startswith(":"):
            section = sections.setdefault(line.words[0][1:].lower(), [])
        else:
            section.append(line)
    for name in ("units", "root", "bonedata", "hierarchy"):
        if name not in sections:
            raise InputError(f"{path} has no section :{name}; is it an .asf file?")
    return sections


def _bones(lines: list[_Line]) -> list[_Fields]:
    """The lines of each bone."""
    starts = [number for number, line in enumerate(lines) if line.words == ["begin"]]
    if lines and starts[:1] != [0]:
        raise lines[0].wrong("'begin'")
    pairs = zip(starts, [*starts[1:], len(lines)], strict=True)
    return [_Fields(f"{lines[start].place}, the bone that begins", lines[start:end]) for start, end in pairs]


def _tree(path: str | Path, names: list[str], lines: list[_Line]) -> Skeleton:
    """The bones' tree; each line has a bone's children."""
    parents: dict[str, str | None] = {"root": None}
    for line in lines:
        if line.words in (["begin"], ["end"]):
            continue
        for name in line.words:
            if name not in names:
                raise line.wrong(f"bones of :bonedata; {name!r} is not one")
        for child in line.words[1:]:
            if child in parents:
                raise line.wrong(f"one parent for each bone; {child!r} is also a child of {parents[child]!r}")
            parents[child] = line.words[0]
    loose = [name for name in names if name not in parents]
    if loose:
        raise InputError(f"{path}, :hierarchy: {', '.join(loose)} have no parent")
    try:
        tree = Skeleton(Path(path).stem, tuple(names), tuple(parents[name] for name in names))
        _ = tree.topological_order
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    return tree


def _turn(angles: Float[Tensor, "3"], order: str) -> Float[Tensor, "3 3"]:
    """Rotation by angles about fixed axes, radians.

    The first letter of the order turns first.
    """
    turn = torch.eye(3, dtype=torch.float64)
    for letter, angle in zip(order, angles, strict=True):
        turn = _TURNS[letter](angle) @ turn
    return turn


def _check_frame(line: _Line, values: Mapping[str, list[list[float]]], frames: int) -> None:
    """Raises an error if a frame lacks a bone.

    The frame ends at this line.
    """
    missing = [name for name, rows in values.items() if len(rows) < frames]
    if missing:
        raise InputError(f"{line.place}: the frame that ends here lacks {', '.join(missing)}")
