"""Gait and angles of all trials in one long table. It has a row for each measure, as statistics programs take them."""

from collections.abc import Iterator, Sequence

import numpy as np

from poselift.cli.measure.measure_tables import list_ranges
from poselift.cli.measure.trial import Trial
from poselift.kinematics.gait import Gait
from poselift.kinematics.gait_summary import SIDES, summarise_gait
from poselift.kinematics.repeatability import find_repeatability
from poselift.kinematics.whole_body import TO_90

COLUMNS = ("trial", "person", "side", "measure", "value", "uncertainty_90", "uncertainty_of", "seen_percent")
"""`uncertainty_of` is "this trial", or "repeated trials" where the half-width is that of walks which people repeat."""

_HALVES = {
    "cadence_per_min": "cadence_90_per_min",
    "stride_length_m": "stride_length_90_m",
    "speed_m_per_s": "speed_90_m_per_s",
}
"""Where the gait has the half-width of a measure."""

_COUNTS = ("steps", "strides", "size_90_percent")

Row = list[str | float]


def list_measures(trials: Sequence[Trial], people: Sequence[str]) -> Iterator[Row]:
    """The rows of all trials; unknown values are left out.

    Args:
        trials: of one or several people.
        people: whose trial each is.
    """
    for trial, person in zip(trials, people, strict=True):
        for name, value, half, source, seen in [*_list_gait(trial), *_list_angles(trial)]:
            side, _, rest = name.partition("_")
            measure = rest if side in SIDES else name
            if np.isfinite(value):
                yield [trial.name, person, side if side in SIDES else "", measure, value, half, source, seen]


def _list_gait(trial: Trial) -> Iterator[tuple[str, float, float, str, float]]:
    if trial.gait is None:
        return
    for name, value in summarise_gait(trial.gait).items():
        if name not in _HALVES.values() and name not in _COUNTS:
            half, source = find_half(trial.gait, name)
            yield name, float(value), half, source, 100 * trial.seen


def find_half(gait: Gait, name: str) -> tuple[float, str]:
    """A measure's half-width of 90 %, and where it comes from.

    NaN and "" if it is unknown. Lengths and speeds have that of the person's size in it; a belt's speed has none.

    Args:
        gait: of one person.
        name: of a measure of `summarise_gait`.
    """
    found = summarise_gait(gait)
    value, half = float(found[name]), float(found.get(_HALVES.get(name, ""), np.nan))
    given = name == "speed_m_per_s" and gait.belt is not None
    if half > 0 or given:
        return half, "this trial"
    spread = find_repeatability(name.replace("swing", "stance"), walking=True)
    if spread is None or not np.isfinite(value):
        return np.nan, ""
    # The strides of a belt of known speed have its size; the width between the feet is the person's.
    size = gait.scale if name == "step_width_m" else gait.stride_scale if name.endswith(("_m", "_m_per_s")) else 0.0
    return float(np.hypot(TO_90 * spread.of(value), np.nan_to_num(size) * value)), "repeated trials"


def _list_angles(trial: Trial) -> Iterator[tuple[str, float, float, str, float]]:
    for angles in (trial.joints, trial.segments):
        shown = np.isfinite(angles.degrees).mean(0).tolist()
        for (name, low, high, half), seen in zip(list_ranges(angles), shown, strict=True):
            for what, value in (("lowest", low), ("highest", high), ("range", high - low)):
                yield f"{name}_{what}_deg", value, half, "this trial" if np.isfinite(half) else "", 100 * seen
