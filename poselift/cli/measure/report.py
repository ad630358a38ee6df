"""One page about each person, to print from the browser."""

import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

import numpy as np

from poselift.cli.measure.long_table import find_half
from poselift.cli.measure.measure_tables import PLUG_IN_GAIT, describe_size, format_number, list_ranges
from poselift.cli.measure.page import convert_to_html, draw_cycles
from poselift.cli.measure.trial import Trial
from poselift.core.files import write_text
from poselift.geometry.camera import Camera
from poselift.kinematics.gait_summary import SIDES, summarise_gait
from poselift.kinematics.whole_body import TO_90
from poselift.skeleton.skeleton import strip_side

_ANGLES = (
    "pelvis_tilt",
    "pelvis_list",
    "trunk_lean_ahead",
    "hip_flexion",
    "hip_adduction",
    "knee_flexion",
    "ankle_dorsiflexion",
    "shoulder_elevation",
    "elbow_flexion",
)
"""What the page shows."""

_STYLE = """<style>
@page { size: A4 portrait; margin: 1.2cm; }
.report { columns: 2; column-gap: 2rem; }
.report .wide { break-inside: avoid; margin-bottom: .6rem; }
@media print { body { font-size: 10.5px; } h2 { break-before: auto !important; margin: .8rem 0 .3rem; }
  .plots { margin-top: .4rem; } figure img { max-height: 11cm; object-fit: contain; object-position: left; } }
</style>"""
"""What differs from the page of all trials: A4 upright, on one page."""


def report_name(trial: Trial) -> str:
    """The file of a trial's page."""
    return f"report_{re.sub(r'[^A-Za-z0-9._-]+', '_', trial.name)}.html"


def write_reports(folder: Path, trials: Sequence[Trial], cameras: Sequence[Camera | None]) -> list[Path]:
    """Writes a page for each trial; each needs nothing beside it.

    Raises:
        InputError: a file cannot be written.
    """
    template = Template(files("poselift.reports").joinpath("page.html").read_text(encoding="utf-8"))
    written = []
    for trial, camera in zip(trials, cameras, strict=True):
        body = [_STYLE, convert_to_html(_assumptions(trial, camera)), '<div class="report">']
        body += [convert_to_html(_gait_table(trial)), convert_to_html(_angle_table(trial)), "</div>"]
        shown = [each for each in trial.cycles if each.angle in _ANGLES]
        if trial.gait is not None and shown:
            body.append(f'<div class="plots">{draw_cycles(trial.gait, shown)}</div>')
        path = folder / report_name(trial)
        write_text(path, template.substitute(title=f"Movement of {escape(trial.name)}", body="\n".join(body)))
        written.append(path)
    return written


def _assumptions(trial: Trial, camera: Camera | None) -> str:
    """What the figures rest on, a line each."""
    lines = []
    height = trial.height
    if height is None:
        lines.append("Height: unknown.")
    elif height.origin == "given":
        lines.append(f"Height: {height.metres:.2f} m, as given.")
    else:
        share = 100 * TO_90 * height.spread / height.metres
        lines.append(f"Height: {height.metres:.2f} m ± {share:.0f} % (90 %), estimated; all lengths share this doubt.")
    if camera is not None and trial.cameras == 1:
        known = "as given" if camera.origin == "given" else "assumed"
        lines.append(f"Camera: field of view of {camera.fov:.0f}° across the longer side, {known}.")
    lines += [floor.text() for floor in trial.floors]
    seen_by = "One camera" if trial.cameras == 1 else f"{trial.cameras} cameras"
    lines.append(f"Seen in {100 * trial.seen:.0f} % of the frames. {seen_by}; joints by a learned lifter, no markers.")
    if trial.plug_in_gait:
        lines.append(PLUG_IN_GAIT)
    lines.append("± is the half-width of the 90 % interval.")
    return "\n".join(lines)


def _gait_table(trial: Trial) -> str:
    """The gait in one table, or why there is none."""
    gait = trial.gait
    if gait is None:
        return trial.why
    found = summarise_gait(gait)
    rows = [
        ("Cadence / min", "cadence_per_min", 1),
        ("Speed m/s", "speed_m_per_s", 2),
        ("Stride length m", "stride_length_m", 2),
        ("Stride time s", "stride_time_s", 2),
        ("Step width m", "step_width_m", 2),
        ("Double support %", "double_support_percent", 1),
        ("Step length, symmetry %", "step_length_symmetry_percent", 0),
        ("Stance, symmetry %", "stance_symmetry_percent", 0),
    ]

    def show(name: str, digits: int) -> str:
        half, _ = find_half(gait, name)
        around = f" ± {half:.{digits}f}" if np.isfinite(half) else ""
        return f"{format_number(found[name], digits)}{around}"

    lines = ["| gait | mean |", "|---|---:|", *(f"| {title} | {show(name, digits)} |" for title, name, digits in rows)]
    lines += ["", f"| foot | {' | '.join(SIDES)} |", "|---|---:|---:|"]
    for title, name, digits in (("Step length m", "step_length_m", 2), ("Stance %", "stance_percent", 1)):
        lines.append(f"| {title} | {' | '.join(show(f'{side}_{name}', digits) for side in SIDES)} |")
    return "\n".join([*lines, "", describe_size(gait, trial.height)])


def _angle_table(trial: Trial) -> str:
    """The ranges of the main angles."""
    lines = ["| angle ° | lowest | highest | ± |", "|---|---:|---:|---:|"]
    for angles in (trial.joints, trial.segments):
        for name, low, high, half in list_ranges(angles):
            if strip_side(name) in _ANGLES and np.isfinite(low):
                cells = [format_number(value, 0) for value in (low, high, half)]
                lines.append(f"| {name.replace('_', ' ')} | {' | '.join(cells)} |")
    return "\n".join(lines)
