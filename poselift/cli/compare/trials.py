"""Trials to compare: from files, folders, or a table."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from poselift.core.errors import InputError
from poselift.core.publishing import find_published
from poselift.kinematics import Cycles, cut_gait_cycles, measure_joint_angles
from poselift.kinematics.comparison import TrialMeasures
from poselift.kinematics.measures import explain_no_gait, find_gait, measure_numbers
from poselift.recordings import read_motion
from poselift.recordings.reading import find_people, find_results, has_people
from poselift.structures import Motion

_COLUMNS = ("trial", "group")

_SURE = 0.03
"""Standard deviation of an estimated height, as a share of it, up to which it counts like a given one: of calibrated
cameras."""


@dataclass(frozen=True)
class Group:
    """Trials to compare with another group.

    Attributes:
        name: of the group.
        trials: their measures.
        cycles: joint angles over the strides of each trial.
    """

    name: str
    trials: list[TrialMeasures]
    cycles: list[Cycles]


def read_groups(before: Path, after: Path, person: int | None, belt: float | None) -> tuple[Group, Group]:
    """The groups of two files or folders, of one person.

    Args:
        before: a motion, a folder of `poselift lift`, or a folder of such folders.
        after: likewise.
        person: number of the person in folders with several.
        belt: speed of a treadmill's belt, m/s.

    Raises:
        InputError: a path has no motion or several people, or the heights given are of two people.
    """
    names = [str(before), str(after)]
    if before == after:
        raise InputError(f"{before} is both trials; give two")
    groups = [[(path, "") for path in _find(each, person)] for each in (before, after)]
    return _read(names, groups, belt)


def read_table(table: Path, names: Sequence[str] | None, person: int | None, belt: float | None) -> tuple[Group, Group]:
    """The two groups of a table of trials.

    Args:
        table: CSV with columns trial, group and, with several people, person; paths are relative to it.
        names: of the groups; None for the two that it has, in their order.
        person: number of the person in folders with several.
        belt: speed of a treadmill's belt, m/s.

    Raises:
        InputError: the table cannot be read, lacks a column or a group, or has other than two groups.
    """
    try:
        with table.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
            columns = set(rows[0]) if rows else set()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{table} cannot be read as CSV: {error}") from None
    if lacking := [column for column in _COLUMNS if column not in columns]:
        raise InputError(f"{table} lacks the column {lacking[0]}; give trial, group and, with several people, person")
    there = list(dict.fromkeys((row["group"] or "").strip() for row in rows))
    chosen = list(names) if names is not None else there
    if missing := [name for name in chosen if name not in there]:
        raise InputError(f"{table} has no group {missing[0]!r}; it has {', '.join(there)}")
    if len(chosen) != 2:
        raise InputError(f"{table} has {len(there)} groups: {', '.join(there)}; name two with --groups A,B")
    groups = [
        [
            (path, (row.get("person") or "").strip())
            for row in rows
            if (row["group"] or "").strip() == name
            for path in _find(table.parent / (row["trial"] or "").strip(), person)
        ]
        for name in chosen
    ]
    return _read(chosen, groups, belt)


def _find(given: Path, person: int | None) -> list[Path]:
    """One person's motions in a file, a folder or its folders."""
    if not given.is_dir():
        if not find_published(given).exists():
            raise InputError(f"{given}: no such file or folder")
        return [given]
    if has_people(given):
        return [_choose(given, person)]
    inner = find_results(given)
    if not inner:
        raise InputError(f"{given} has no person_*.npz and no folder with one; give a folder of poselift lift")
    return [_choose(path, person) for path in inner]


def _choose(folder: Path, person: int | None) -> Path:
    people = find_people(folder)
    if person is not None and len(people) > 1:
        named = [path for path in people if path.stem == f"person_{person}"]
        if not named:
            raise InputError(f"{folder} has no person {person}; it has {', '.join(path.stem for path in people)}")
        return named[0]
    if len(people) > 1:
        raise InputError(f"{folder} has {len(people)} people; choose one with --person, or give its file")
    return people[0]


def _read(
    names: Sequence[str], groups: Sequence[Sequence[tuple[Path, str]]], belt: float | None
) -> tuple[Group, Group]:
    """The groups with their measures. The heights that were given must be one person's, and of all trials or none."""
    heights: dict[str, tuple[float, Path]] = {}
    guessed: dict[str, tuple[float, Path]] = {}
    found = []
    for name, members in zip(names, groups, strict=True):
        trials, cycles = [], []
        for path, person in members:
            motion = read_motion(path)
            if motion.height is not None and motion.height.origin == "given":
                metres, first = heights.setdefault(person, (motion.height.metres, path))
                if abs(metres - motion.height.metres) > 0.02:
                    raise InputError(
                        f"{first} and {path} have given heights of {metres:.2f} and {motion.height.metres:.2f} m: two "
                        "people; compare trials of one, or name them in the table's column person"
                    )
            elif motion.height is not None and motion.height.spread > _SURE * motion.height.metres:
                guessed.setdefault(person, (motion.height.metres, path))
            trial, own = measure_trial(str(path), motion, person, belt)
            trials.append(trial)
            cycles += own
        found.append(Group(name, trials, cycles))
    for person in sorted(heights.keys() & guessed.keys()):
        (given, known), (estimated, unknown) = heights[person], guessed[person]
        raise InputError(
            f"{known} has a given height of {given:.2f} m and {unknown} an estimated one of {estimated:.2f} m, so "
            "their lengths and speeds differ for that alone; lift all trials of a person with one --height, or none"
        )
    return found[0], found[1]


def measure_trial(
    name: str, motion: Motion, person: str = "", belt: float | None = None
) -> tuple[TrialMeasures, list[Cycles]]:
    """A trial's measures, and its joint angles over the strides.

    Raises:
        InputError: the skeleton lacks joints, or no frame has a pose.
    """
    if not motion.posed.any():
        raise InputError(f"{name}: no frame has a pose; leave it out")
    gait = find_gait(motion, belt)
    cycles = [] if gait is None else cut_gait_cycles(measure_joint_angles(motion), gait)
    why = "" if gait is not None else explain_no_gait(motion)
    return TrialMeasures(name, measure_numbers(motion, belt), person, gait is not None, why), cycles
