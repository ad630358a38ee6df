"""Measurements as tables in Markdown."""

from collections.abc import Sequence

import numpy as np

from poselift.cli.measure.trial import Trial
from poselift.kinematics import Angles, Gait
from poselift.kinematics.gait import ALONG
from poselift.kinematics.gait_summary import SIDES, measure_spread, summarise_gait
from poselift.structures import Height

_INTERVAL = (
    "± is the half-width of the 90 % interval. For an angle it is the median over the frames, and the error of one "
    "frame; a part of it is the same in all frames."
)
_ONE_CAMERA = (
    "One camera shows the lean of the trunk better than where it bends: trust trunk lean and the sum of pelvis tilt "
    "and trunk flexion more than the split between pelvis, hips and lumbar spine."
)

PLUG_IN_GAIT = (
    "Angles are as Plug-in Gait has them: knees, hip adduction and ankles less a constant, and ± has what differs "
    "between people. Both were measured on six children who walk."
)
"""What a reader of such angles has to know."""


def caveats(trials: Sequence[Trial]) -> tuple[str, ...]:
    """What a reader of the tables has to know."""
    said = [_INTERVAL]
    if any(trial.cameras == 1 for trial in trials):
        said.append(_ONE_CAMERA)
    if any(trial.plug_in_gait for trial in trials):
        said.append(PLUG_IN_GAIT)
    return tuple(said)


def ranges_table(angles: Angles) -> str:
    """The lowest and highest value of each angle, and their uncertainty, degrees."""
    lines = ["| angle | lowest ° | highest ° | range ° | ± ° (90 %) |", "|---|---:|---:|---:|---:|"]
    for name, low, high, half in list_ranges(angles):
        cells = [format_number(value, 1) for value in (low, high, high - low, half)]
        lines.append(f"| {' | '.join([name.replace('_', ' '), *cells])} |")
    return "\n".join(lines)


def list_ranges(angles: Angles) -> list[tuple[str, float, float, float]]:
    """Each angle's name, extremes and median uncertainty, degrees; NaN where unknown."""
    spreads = np.full((1, len(angles.names)), np.nan) if angles.uncertainty is None else angles.uncertainty
    known = [column[np.isfinite(column)] for column in spreads.T]
    median = [float(np.median(column)) if len(column) else np.nan for column in known]
    return [
        (name, low, high, half)
        for name, (low, high), half in zip(angles.names, angles.ranges().tolist(), median, strict=True)
    ]


def gait_tables(trial: Trial) -> str:
    """A gait's steps, phases and strides, or why there are none."""
    gait = trial.gait
    if gait is None:
        return trial.why
    found = summarise_gait(gait)
    kind = "On the spot" if gait.on_the_spot else "Run" if gait.running else "Walk"
    cadence = f"{gait.cadence:.1f} ± {gait.cadence_uncertainty:.1f} steps a minute"
    lines = [f"{kind}: {len(gait.steps)} steps, cadence {cadence}, {len(gait.strides)} strides."]
    lines[0] += " The ± of the cadence is an error of one frame over the time of all steps."
    if trial.unused_belt is not None:
        lines.append(
            f"The belt of {trial.unused_belt:g} m/s is not used: the motion shows somebody who walks over ground."
        )
    if gait.on_the_spot:
        lines.append("The feet are lifted and put down on the spot: steps and strides have no lengths.")
    elif gait.in_place and not np.isfinite(found["stride_length_m"]):
        lines.append(
            "The feet slide back under a person who stays in place: a treadmill, or a camera that moves along. So "
            "strides have no length; --belt SPEED gives them that of the belt."
            + ("" if gait.running else " The length of a step is estimated from the ankles at a strike.")
        )
    if gait.in_place and gait.view < ALONG:
        lines.append(
            "The camera looks along the walk and hardly sees how far the feet go. Stance may be too long. "
            + (
                "Steps may be far too short: give --belt SPEED, or film a treadmill from the side."
                if gait.belt is None
                else "A step is the belt's speed times the step's time; lengths of left and right show from the side."
            )
        )
    if np.isfinite(found["speed_m_per_s"]):
        speed, error = found["speed_m_per_s"], found["speed_90_m_per_s"]
        around = f" ± {error:.2f} m/s (90 %)" if error > 0 else " m/s"
        lines.append(f"Speed {speed:.2f}{around}.")
    lines.append(describe_size(gait, trial.height))
    phases = ["", "| foot | step length m | step time s | stance % | swing % |", "|---|---:|---:|---:|---:|"]
    for side in SIDES:
        columns = (("step_length_m", 2), ("step_time_s", 2), ("stance_percent", 1), ("swing_percent", 1))
        phases.append(
            f"| {side} | {' | '.join(format_number(found[f'{side}_{name}'], digits) for name, digits in columns)} |"
        )
    lines += [*phases, ""]
    both = "flight_percent" if gait.running else "double_support_percent"
    lines.append(
        f"{'Flight' if gait.running else 'Double support'} {format_number(found[both], 1)} % of the stride, step width "
        f"{format_number(found['step_width_m'], 2)} m."
    )
    if gait.strides:
        lines += ["", "| stride | foot | from s | to s | stance % | length m | ± m (90 %) |"]
        lines += ["|---:|---|---:|---:|---:|---:|---:|"]
    for row, stride in enumerate(gait.strides, 1):
        times = [f"{time:.2f}" for time in (stride.start, stride.end)]
        values = (
            format_number(100 * stride.stance, 1),
            format_number(stride.length, 2),
            format_number(measure_spread(gait, stride), 2),
        )
        lines.append(f"| {' | '.join([str(row), SIDES[stride.foot], *times, *values])} |")
    return "\n".join(lines)


def describe_size(gait: Gait, height: Height | None) -> str:
    """What the lengths know of the person's size."""
    if gait.belt is not None:
        belt = f"Strides, steps and speed are those of a belt of {gait.belt:g} m/s"
        return f"{belt}; step width is relative to the person's height."
    if height is None or not np.isfinite(gait.scale):
        return "Lengths are relative to a height that nobody knows, and their ± is without it."
    if gait.scale == 0:
        return f"Lengths are those of a person of {height.metres:.2f} m, as given."
    return (
        f"Lengths are relative to an estimated height of {height.metres:.2f} m, which alone makes ± "
        f"{100 * gait.scale:.0f} %; lift with --height METRES to take it out."
    )


def trials_table(trials: Sequence[Trial]) -> str:
    """One row for each motion with a gait; empty below two."""
    walks = [(trial, summarise_gait(trial.gait)) for trial in trials if trial.gait is not None]
    if len(walks) < 2:
        return ""
    columns = {
        "cadence_per_min": ("cadence / min", 1),
        "speed_m_per_s": ("speed m/s", 2),
        "stride_length_m": ("stride m", 2),
        "left_step_length_m": ("left step m", 2),
        "right_step_length_m": ("right step m", 2),
        "left_stance_percent": ("left stance %", 1),
        "right_stance_percent": ("right stance %", 1),
        "double_support_percent": ("double support %", 1),
        "step_width_m": ("step width m", 2),
        "size_90_percent": ("± of the size % (90 %)", 0),
    }
    lines = [
        f"| trial | steps | {' | '.join(head for head, _ in columns.values())} |",
        "|---" + "|---:" * (len(columns) + 1) + "|",
    ]
    for trial, found in walks:
        cells = [format_number(found[name], digits) for name, (_, digits) in columns.items()]
        lines.append(f"| {trial.name} | {found['steps']:.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def format_number(value: float, digits: int) -> str:
    """A cell; "-" for NaN."""
    return f"{value:z.{digits}f}" if np.isfinite(value) else "-"
