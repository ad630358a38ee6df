"""Acclaim's ASF and AMC files, in which the CMU motion capture database keeps skeletons and their motion.

The format: https://research.cs.wisc.edu/graphics/Courses/cs-838-1999/Jeff/ASF-AMC.html and
http://graphics.cs.cmu.edu/nsp/course/cs229/info/ACCLAIMdef.html. A bone has a direction and a length in the world's
axes at rest, an `axis` (a rotation C) in which it turns, and degrees of freedom, which make a rotation M: of both, the
angle that is written first turns first, about an axis that stays where it is. Beyond what its parent is, the bone is
turned by C M C⁻¹; it begins where its parent ends. The bones that hang from the root begin at the root's place.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.data.loading import INCH
from poselift.geometry import forward_kinematics, points_from_bones, rotation_x, rotation_y, rotation_z
from poselift.skeleton import Skeleton

_TURNS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
_MOVES, _ANGLES = ("tx", "ty", "tz"), ("rx", "ry", "rz")


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
    """A skeleton as an ASF file has it.

    Attributes:
        bones: the root first.
        tree: the names of the bones, and which bone each one hangs from.
        position: of the root where its channels are 0, metres.
        metre: of the file's unit of length.
        radian: of the file's unit of angles.
    """

    bones: tuple[Bone, ...]
    tree: Skeleton
    position: Float[Tensor, "3"]
    metre: float
    radian: float


def read_asf(path: str | Path) -> AsfSkeleton:
    """Reads a skeleton. The limits of its degrees of freedom are not read: the database's motion goes beyond them.

    Raises:
        InputError: no such file, or it is malformed; the message names the line.
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
        raise root["orientation"].wrong("0 0 0, as in the database: readers differ on a root that is turned at rest")
    position = torch.tensor(root["position"].numbers(3), dtype=torch.float64) * metre
    nothing = torch.zeros(3, dtype=torch.float64)
    bones = [Bone("root", nothing, _turn(nothing, "xyz"), root["order"].channels(_MOVES + _ANGLES))]
    for fields in _bones(path, sections["bonedata"]):
        direction = torch.tensor(fields["direction"].numbers(3), dtype=torch.float64)
        axis = fields["axis"]
        order = "".join(axis.words[4:]).lower()
        if sorted(order) != ["x", "y", "z"]:
            raise axis.wrong("three angles and then their order, XYZ, ZYX or another")
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
    """Reads the motion of a skeleton.

    Args:
        path: the AMC file.
        skeleton: whose bones it moves.

    Returns:
        For each bone that has channels their values in each frame, in metres and radians.

    Raises:
        InputError: no such file, or in a frame a bone is missing or unknown, or has not its number of values; the
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
            raise line.wrong("once in each frame, for each bone with a dof in the .asf file, its name and their values")
        else:
            values[first].append(line.numbers(widths[first]))
    if line is None or frames == 0:
        raise InputError(f"{path} has no frame; each begins with a line that has its number alone")
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
    """Forward kinematics.

    Args:
        skeleton: at rest.
        motion: values of the channels, as `read_amc` gives them.

    Returns:
        Where each bone ends, world, metres; and how it is turned from rest, in the order of the bones.
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
    """The words of a line, and where it stands."""

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
        """Those behind the first word."""
        try:
            numbers = [float(word) for word in self.words[1 : count + 1]]
        except ValueError:
            numbers = []
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            raise self.wrong(f"{count} number{'s' * (count > 1)} after {self.words[0]!r}")
        return numbers

    def channels(self, known: tuple[str, ...]) -> tuple[str, ...]:
        """The degrees of freedom behind the first word."""
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
        raise InputError(f"{self.place}: no line {key!r} there")


def _lines(path: str | Path) -> Iterator[_Line]:
    """The lines that have words, without comments."""
    if not Path(path).is_file():
        raise InputError(f"no such file: {path}")
    for number, text in enumerate(Path(path).read_text(encoding="latin-1").splitlines(), 1):
        if words := text.partition("#")[0].split():
            yield _Line(f"{path}, line {number}", words)


def _sections(path: str | Path) -> dict[str, list[_Line]]:
    """The lines of each section, by the name behind its colon."""
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


def _bones(path: str | Path, lines: list[_Line]) -> list[_Fields]:
    """The lines behind each begin."""
    starts = [number for number, line in enumerate(lines) if line.words == ["begin"]]
    if lines and starts[:1] != [0]:
        raise lines[0].wrong("'begin'")
    pairs = zip(starts, [*starts[1:], len(lines)], strict=True)
    return [_Fields(f"{lines[start].place}, the bone that begins", lines[start:end]) for start, end in pairs]


def _tree(path: str | Path, names: list[str], lines: list[_Line]) -> Skeleton:
    """Which bone hangs from which: each line has a bone and those that hang from it."""
    parents: dict[str, str | None] = {"root": None}
    for line in lines:
        if line.words in (["begin"], ["end"]):
            continue
        for name in line.words:
            if name not in names:
                raise line.wrong(f"bones of :bonedata; {name!r} is none")
        for child in line.words[1:]:
            if child in parents:
                raise line.wrong(f"each bone to hang from one other; {child!r} hangs from {parents[child]!r} too")
            parents[child] = line.words[0]
    loose = [name for name in names if name not in parents]
    if loose:
        raise InputError(f"{path}, :hierarchy: {', '.join(loose)} hang from no bone")
    try:
        tree = Skeleton(Path(path).stem, tuple(names), tuple(parents[name] for name in names))
        _ = tree.topological_order
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    return tree


def _turn(angles: Float[Tensor, "3"], order: str) -> Float[Tensor, "3 3"]:
    """The rotation by angles about axes that stay, the first letter of the order first; radians."""
    turn = torch.eye(3, dtype=torch.float64)
    for letter, angle in zip(order, angles, strict=True):
        turn = _TURNS[letter](angle) @ turn
    return turn


def _check_frame(line: _Line, values: Mapping[str, list[list[float]]], frames: int) -> None:
    """Makes sure that the frame that ends at a line has all bones."""
    missing = [name for name, rows in values.items() if len(rows) < frames]
    if missing:
        raise InputError(f"{line.place}: the frame that ends here lacks {', '.join(missing)}")
