"""Pictures as a video: a folder, a pattern, or one photo."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, pairwise
from math import gcd
from pathlib import Path

import cv2
import numpy as np
from jaxtyping import UInt8

from poselift.core.caution import Caution
from poselift.core.endings import PICTURE_ENDINGS, VIDEO_ENDINGS
from poselift.core.errors import InputError
from poselift.core.frame_numbers import frame_numbers, sparseness

PICTURE_RATE = 30.0
"""Pictures a second where the user does not say, because pictures have no times."""

_PATTERN = re.compile(r"%(0?\d*)d")
"""A number in a pattern of names, as C's printf and FFmpeg write it."""
_SPARSEST = 2.0
"""Numbers that leave out more than every second frame count something else, such as milliseconds."""
_SERIES = 8
"""Fewest pictures whose names differ in their last number only that are taken for a series."""
_HEAD = 4096
"""Bytes at the start of a file in which an animation is told."""


@dataclass(frozen=True)
class Pictures:
    """Pictures that stand for the frames of a video.

    Attributes:
        path: the folder, pattern or photo, as the user gave it.
        files: of the pictures, in order.
        places: number of the frame of each picture, from 0: missing frames leave gaps.
        gap: one line about the missing frames; empty if there are none.
    """

    path: Path
    files: Sequence[Path]
    places: Sequence[int]
    gap: str = ""


def find_pictures(path: str | os.PathLike[str]) -> Pictures | None:
    """The pictures of a folder, pattern or photo; otherwise None.

    A pattern is such as frame_%04d.png. Names are put in natural order: picture_2 comes before picture_10.

    Raises:
        InputError: a folder holds several series of pictures, or videos beside the pictures, nothing fits the
            pattern, or it has the stars of a shell.
    """
    path = Path(path)
    if path.is_dir():
        return _of_folder(path)
    if path.is_file():
        return Pictures(path, [path], [0]) if _is_picture(path) else None
    if _PATTERN.search(path.name) and not path.exists():
        return _of_pattern(path)
    if "*" in path.name and not path.exists():
        raise InputError(f"{path}: no such file; give the folder of the pictures, or a pattern such as frame_%04d.png")
    return None


def read_picture(path: Path) -> UInt8[np.ndarray, "h w 3"] | None:
    """A picture as RGB, upright by Exif; None if undecodable.

    Raises:
        OSError: the file cannot be read.
    """
    content = np.fromfile(path, np.uint8)
    try:
        image = cv2.imdecode(content, cv2.IMREAD_COLOR) if len(content) else None
    except cv2.error:  # larger than OpenCV's limit of 2^30 pixels
        return None
    return None if image is None else cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def decode_pictures(
    pictures: Pictures, size: tuple[int, int], warnings: list[Caution]
) -> Iterator[tuple[int, UInt8[np.ndarray, "h w 3"]]]:
    """Place and image of each decodable picture, all of one size.

    Args:
        pictures: what to read.
        size: width and height to which others are scaled.
        warnings: receives one line for damaged pictures and one for another size, at the end.
    """
    other: tuple[int, int] | None = None
    damaged: list[Path] = []
    for place, file in zip(pictures.places, pictures.files, strict=True):
        try:
            image = read_picture(file)
        except OSError:
            image = None
        if image is None:
            damaged.append(file)
            continue
        own = image.shape[1], image.shape[0]
        if own != size:
            other = own
            image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        yield place, image
    if damaged:
        count = "1 picture is" if len(damaged) == 1 else f"{len(damaged)} pictures are"
        text = f"{count} damaged and left out, such as {damaged[0].name}; write them again"
        warnings.append(Caution(text, "input"))
    if other:
        sizes = f"{size[0]} x {size[1]} to {other[0]} x {other[1]}"
        text = f"the size of the pictures changes from {sizes}; all are scaled to the first"
        warnings.append(Caution(text, "input"))


def _is_picture(path: Path) -> bool:
    """Whether a file is a still picture. Its ending and the mark of an animation tell."""
    if path.suffix.lower() not in PICTURE_ENDINGS:
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    animated_png = head.startswith(b"\x89PNG") and b"acTL" in head  # PNG, third edition, 11.3.6: before the first IDAT
    animated_webp = head[8:16] == b"WEBPVP8X" and bool(head[20:21]) and bool(head[20] & 2)
    return not (animated_png or animated_webp)


def _of_folder(folder: Path) -> Pictures | None:
    """The pictures of a folder; None if it has none. Hidden files do not count."""
    there = [path for path in folder.iterdir() if not path.name.startswith(".")]
    files = sorted((path for path in there if path.suffix.lower() in PICTURE_ENDINGS), key=_natural)
    if not files:
        return None
    if videos := sorted(path for path in there if path.suffix.lower() in VIDEO_ENDINGS):
        raise InputError(
            f"{folder} holds pictures, such as {files[0].name}, and videos, such as {videos[0].name}; give one video, "
            f"or the pictures by a pattern such as {folder / 'frame_%04d.png'}"
        )
    names = [path.name for path in files]
    numbers = frame_numbers(names) if len(files) > 1 else None
    if numbers is None or sparseness(numbers) > _SPARSEST:
        _refuse_several_series(folder, names)
        return Pictures(folder, files, range(len(files)))
    return _numbered(folder, dict(zip(numbers, files, strict=True)))


def _of_pattern(path: Path) -> Pictures:
    """The pictures that fit a pattern of names."""
    if not path.parent.is_dir():
        raise InputError(f"{path.parent}: there is no such folder; check the path of the pictures")
    if len(_PATTERN.findall(path.name)) > 1:
        raise InputError(f"{path} has several numbers; give a pattern with one, such as frame_%04d.png")
    before, digits, after = _PATTERN.split(path.name)
    wide = digits.lstrip("0")
    # printf pads to the width; larger numbers take more digits.
    number = rf"(\d{{{wide},}})" if digits.startswith("0") and wide else r"(\d+)"
    fits = re.compile(re.escape(before.replace("%%", "%")) + number + re.escape(after.replace("%%", "%")))
    found = {int(match[1]): file for file in path.parent.iterdir() if (match := fits.fullmatch(file.name))}
    if not found:
        raise InputError(f"{path}: no file in {path.parent} fits this pattern; %04d stands for a number of four digits")
    return _numbered(path, found)


def _numbered(path: Path, files: dict[int, Path]) -> Pictures:
    """Pictures by frame number, of every frame or every n-th."""
    numbers = sorted(files)
    steps = [after - before for before, after in pairwise(numbers)]
    step = reduce(gcd, steps, 0) or 1
    places = [(number - numbers[0]) // step for number in numbers]
    gaps = [(before, after) for before, after in pairwise(numbers) if after - before > step]
    gap = ""
    if gaps:
        missing = sum((after - before) // step - 1 for before, after in gaps)
        count = "1 picture is" if missing == 1 else f"{missing} pictures are"
        more = f" and at {len(gaps) - 1} other {'place' if len(gaps) == 2 else 'places'}" if len(gaps) > 1 else ""
        gap = f"{count} missing: the timestamps jump, as the numbers do from {gaps[0][0]} to {gaps[0][1]}{more}"
    return Pictures(path, [files[number] for number in numbers], places, gap)


def _refuse_several_series(folder: Path, names: Sequence[str]) -> None:
    """Raises an InputError for two series of the same numbers. Two cameras make such series."""
    series: dict[tuple[str, str], set[int]] = defaultdict(set)
    for name in names:
        if match := re.fullmatch(r"(.*?)(\d+)(\D*)", name):
            series[match[1], match[3]].add(int(match[2]))
    large = {ends: numbers for ends, numbers in series.items() if len(numbers) >= _SERIES}
    for (one, first), (other, second) in combinations(large.items(), 2):
        if 2 * len(first & second) > min(len(first), len(second)):
            patterns = [str(folder / f"{begin}%d{end}") for begin, end in (one, other)]
            raise InputError(
                f"{folder} holds several series of pictures; give one by its pattern, such as {' or '.join(patterns)}"
            )


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """A key that sorts numbers in names by their values."""
    parts = re.split(r"(\d+)", path.name)
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts]
