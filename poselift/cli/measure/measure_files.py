"""Measurements as CSV and JSON files."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.cli.measure.long_table import COLUMNS, list_measures
from poselift.cli.measure.measure_tables import list_ranges
from poselift.cli.measure.trial import Trial
from poselift.core.cells import format_cell
from poselift.core.files import atomic_text, write_json
from poselift.kinematics import PERCENT
from poselift.kinematics.gait_summary import SIDES, measure_spread, summarise_gait
from poselift.kinematics.whole_body import TO_90

MEASUREMENTS = "measure.json"
"""Where it is, the other files are complete and of the same run."""
NAMES = (
    "trials.csv",
    "measures.csv",
    "ranges.csv",
    "strides.csv",
    "steps.csv",
    "events.csv",
    "cycles.csv",
    MEASUREMENTS,
)
"""The files of `poselift measure --out`, beside the page."""

ABOUT = ("trial", "person", "frames_seen_percent", "height_m", "height_90_m", "height_is")
"""Columns of trials.csv before those of the gait."""

_VERSION = 1
"""Of measure.json."""


def write_files(folder: Path, trials: Sequence[Trial]) -> None:
    """Writes `NAMES`; each row names its trial.

    Raises:
        InputError: a file cannot be written.
    """
    walks = [(trial, trial.gait) for trial in trials if trial.gait is not None]
    keys = list(dict.fromkeys(key for _, gait in walks for key in summarise_gait(gait)))
    gaits = {trial.name: summarise_gait(gait) for trial, gait in walks}
    rows = ([*describe_trial(trial), *(gaits.get(trial.name, {}).get(key, np.nan) for key in keys)] for trial in trials)
    _write(folder / "trials.csv", [*ABOUT, *keys], rows)
    people = [str(describe_trial(trial)[1]) for trial in trials]
    _write(folder / "measures.csv", COLUMNS, list_measures(trials, people))
    _write(
        folder / "ranges.csv",
        ["trial", "angle", "lowest_deg", "highest_deg", "range_deg", "uncertainty_90_deg"],
        (
            [trial.name, name, low, high, high - low, half]
            for trial in trials
            for angles in (trial.joints, trial.segments)
            for name, low, high, half in list_ranges(angles)
        ),
    )
    _write(
        folder / "strides.csv",
        [*("trial", "foot", "start_s", "end_s", "stance_percent", "double_support_percent"), "length_m", "length_90_m"],
        (
            [
                *(trial.name, SIDES[stride.foot], stride.start, stride.end),
                *(100 * stride.stance, 100 * stride.double_support, stride.length, measure_spread(gait, stride)),
            ]
            for trial, gait in walks
            for stride in gait.strides
        ),
    )
    _write(
        folder / "steps.csv",
        ["trial", "foot", "start_s", "end_s", "length_m", "width_m", "size_90_percent"],
        (
            [trial.name, SIDES[step.foot], step.start, step.end, step.length, step.width, 100 * gait.scale]
            for trial, gait in walks
            for step in gait.steps
        ),
    )
    _write(
        folder / "events.csv",
        ["trial", "time_s", "foot", "event"],
        ([trial.name, time, SIDES[foot], event] for trial, gait in walks for time, foot, event in gait.events),
    )
    _write(
        folder / "cycles.csv",
        ["trial", "angle", "foot", "percent", "mean_deg", "sd_deg", "strides"],
        (
            [trial.name, each.angle, each.side, f"{percent:.0f}", mean, spread, len(each.degrees)]
            for trial in trials
            for each in trial.cycles
            for percent, mean, spread in zip(PERCENT, each.mean.tolist(), each.spread.tolist(), strict=True)
        ),
    )
    write_json(folder / MEASUREMENTS, {"version": _VERSION, "trials": [_entry(trial) for trial in trials]})


def describe_trial(trial: Trial) -> list[str | float | None]:
    """The cells of `ABOUT`: whose trial, seen how well, size from where."""
    person = trial.name.rpartition("person_")[2].partition("_")[0]
    height = trial.height
    size = (height.metres, TO_90 * height.spread, height.origin) if height is not None else (None, None, "unknown")
    return [trial.name, person, 100 * trial.seen, *size]


def _entry(trial: Trial) -> dict[str, Any]:
    """A trial as plain data; null where a value is unknown."""
    gait = trial.gait
    angles = {
        name: {
            "lowest_deg": round_known(low),
            "highest_deg": round_known(high),
            "uncertainty_90_deg": round_known(half),
        }
        for each in (trial.joints, trial.segments)
        for name, low, high, half in list_ranges(each)
    }
    entry: dict[str, Any] = {"trial": trial.name, "angles": angles, "gait": None, "why_no_gait": trial.why or None}
    entry["plug_in_gait"] = trial.plug_in_gait
    if trial.height is not None:
        height = trial.height
        entry["height"] = {"metres": height.metres, "spread": height.spread, "origin": height.origin}
    entry["floors"] = [
        {
            "camera": floor.camera or None,
            "rise_deg": round_known(floor.rise),
            "camera_pitch_deg": round_known(floor.pitch),
            "uncertainty_90_deg": round_known(floor.half),
            "turns_deg": [round_known(turn) for turn in floor.turns],
        }
        for floor in trial.floors
    ]
    if gait is not None:
        entry["gait"] = {key: round_known(value) for key, value in summarise_gait(gait).items()} | {
            "kind": "on the spot" if gait.on_the_spot else "run" if gait.running else "walk",
            "in_place": gait.in_place,
            "belt_m_per_s": gait.belt,
            "events": [
                {"time_s": round(time, 3), "foot": SIDES[foot], "event": name} for time, foot, name in gait.events
            ],
        }
    return entry


def round_known(value: float | int) -> float | int | None:
    """A number for JSON, which has no NaN."""
    return round(value, 6) if np.isfinite(value) else None


def _write(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes a table; unknown cells are empty, numbers have 4 decimals."""
    with atomic_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        for row in rows:
            writer.writerow(format_cell(value, digits=4) for value in row)
