"""Measures of movements other than gait, as tables and as a file."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from poselift.core.cells import format_cell
from poselift.core.files import atomic_text
from poselift.kinematics.movements import find_jumps, find_repetitions, measure_sway, time_up_and_go
from poselift.structures import Motion

FILE = "movements.csv"
"""Of `poselift measure --movement`."""

Row = dict[str, float]
"""Values by name; the unit ends the name, and `_90_` marks the half-width of a 90 % interval."""


def _jumps(motion: Motion) -> list[Row]:
    return [
        {
            "takes_off_s": jump.start,
            "lands_s": jump.end,
            "flight_s": jump.flight,
            "height_by_hips_m": jump.rise,
            "height_by_hips_90_m": jump.rise_uncertainty,
            "height_by_flight_m": jump.height,
            "height_by_flight_90_m": jump.height_uncertainty,
        }
        for jump in find_jumps(motion)
    ]


def _repetitions(motion: Motion) -> list[Row]:
    return [
        {
            "start_s": each.start,
            "low_s": each.low,
            "end_s": each.end,
            "depth_m": each.depth,
            "depth_90_m": each.depth_uncertainty,
            "down_s": each.down,
            "up_s": each.up,
            "left_knee_flexion_deg": each.knees[0],
            "right_knee_flexion_deg": each.knees[1],
            "knee_symmetry_percent": each.knee_symmetry,
        }
        for each in find_repetitions(motion)
    ]


def _up_and_go(motion: Motion) -> list[Row]:
    test = time_up_and_go(motion)
    return [
        {
            "total_s": test.total,
            "total_90_s": test.uncertainty,
            "leaves_seat_s": test.start,
            "stands_s": test.stood,
            "turns_s": test.turned,
            "sits_down_s": test.sitting,
            "has_seat_s": test.end,
            "distance_m": test.distance,
        }
    ]


def _balance(motion: Motion) -> list[Row]:
    sway = measure_sway(motion)
    return [
        {
            "time_s": sway.seconds,
            "sway_across_mm": 1000 * sway.across,
            "sway_along_mm": 1000 * sway.along,
            "path_mm": 1000 * sway.path,
            "speed_mm_per_s": 1000 * sway.speed,
            "ellipse_95_mm2": 1e6 * sway.area,
        }
    ]


MOVEMENTS: Mapping[str, tuple[Callable[[Motion], list[Row]], str]] = {
    "jumps": (
        _jumps,
        "Height by hips: their rise over their place while standing. Height by flight: from the time in the air; it is "
        "smaller by the stretch of the feet, about a tenth of a leg.",
    ),
    "repetitions": (
        _repetitions,
        "Squats, or sitting down and standing up: each lowest place of the hips is one. A clip that begins or ends "
        "below has no time for that way.",
    ),
    "up-and-go": (_up_and_go, "From leaving the seat to having it again; a watch that starts at a word shows more."),
    "balance": (
        _balance,
        "Sway of the estimated centre of mass, across and along the camera's axis; along it one camera sees poorly. A "
        "force plate measures the centre of pressure, which moves more.",
    ),
}
"""What is measured by each name, and what a reader has to know."""


def measure_movement(kind: str, motions: Mapping[str, Motion]) -> dict[str, list[Row]]:
    """The rows of each motion, by its name.

    Raises:
        InputError: a motion has no direction of up, lacks joints, or does not have the movement.
    """
    return {name: MOVEMENTS[kind][0](motion) for name, motion in motions.items()}


def movement_table(rows: Sequence[Row]) -> str:
    """One motion's rows as Markdown, values beside their half-widths."""
    if not rows:
        return "None found."
    names = [name for name in rows[0] if "_90_" not in name]
    lines = [
        f"| | {' | '.join(_title(name) for name in names)} |",
        "|---:" + "|---:" * len(names) + "|",
    ]
    for number, row in enumerate(rows, 1):
        cells = []
        for name in names:
            digits = 2 if name.endswith(("_s", "_m")) else 0 if name.endswith(("mm2", "_mm")) else 1
            text = f"{row[name]:z.{digits}f}" if np.isfinite(row[name]) else "-"
            half = row.get("_90_".join(name.rsplit("_", 1)))
            cells.append(text if half is None else f"{text} ± {half:.{digits}f}")
        lines.append(f"| {number} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write_movements(path: Path, kind: str, found: Mapping[str, Sequence[Row]]) -> None:
    """Writes the rows of all motions as CSV.

    Raises:
        InputError: the file cannot be written.
    """
    names = next((list(rows[0]) for rows in found.values() if rows), [])
    with atomic_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["trial", "movement", *names])
        for trial, rows in found.items():
            for row in rows:
                writer.writerow(format_cell(cell, digits=4) for cell in (trial, kind, *row.values()))


def _title(name: str) -> str:
    for ending, unit in (("_mm_per_s", "mm/s"), ("_mm2", "mm²"), ("_percent", "%"), ("_deg", "°")):
        if name.endswith(ending):
            return f"{name.removesuffix(ending).replace('_', ' ')} {unit}"
    words, _, unit = name.rpartition("_")
    return f"{words.replace('_', ' ')} {unit}"
