"""`poselift measure`: ranges of motion, steps, cadence and stride lengths."""

import argparse
from typing import Any

import numpy as np

from poselift.cli.export import with_poses
from poselift.cli.paths import local_path
from poselift.export import read_motion
from poselift.kinematics import gait, joint_angles
from poselift.structures import FEET, Motion


def add_command(commands: Any) -> None:
    """Adds `measure` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "measure",
        description="Prints the range of each joint angle, and for motions of `poselift lift --world` the steps, the "
        "cadence and the stride lengths with their uncertainty, as tables in Markdown.",
    )
    parser.add_argument("motions", type=local_path, nargs="+", metavar="NPZ", help="motions, with their JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the tables.

    Raises:
        InputError: a motion cannot be read, or none has a pose.
    """
    for path, motion in with_poses({path: read_motion(path) for path in options.motions}).items():
        print(f"## {path}\n\n{ranges_table(motion)}\n\n{gait_tables(motion)}\n")


def ranges_table(motion: Motion) -> str:
    """The lowest and highest value of each joint angle, degrees."""
    angles = joint_angles(motion)
    lines = ["| angle | lowest ° | highest ° | range ° |", "|---|---:|---:|---:|"]
    for name, (low, high) in zip(angles.names, angles.ranges().tolist(), strict=True):
        cells = [f"{value:z.1f}" if np.isfinite(value) else "-" for value in (low, high, high - low)]
        lines.append(f"| {' | '.join([name.replace('_', ' '), *cells])} |")
    return "\n".join(lines)


def gait_tables(motion: Motion) -> str:
    """The strides of a walk, and a line with its steps and cadence; a hint if the motion has no contacts."""
    if motion.contacts is None or motion.frame != "world":
        return "No steps: they need foot contacts; lift with --world."
    found = gait(motion)
    if not len(found.steps):
        return "No steps: no foot strike is followed by one of the other foot within 0.2 to 1.5 s."
    cadence = f"{found.cadence:.1f} ± {found.cadence_uncertainty:.1f} steps a minute"
    lines = [f"{len(found.steps)} steps, cadence {cadence}, {len(found.strides)} strides."]
    lines[0] += " The ± of the cadence is an error of one frame over the time of all steps."
    if len(found.strides):
        lines += ["", "| stride | foot | from s | to s | length m | ± m (90 %) |", "|---:|---|---:|---:|---:|---:|"]
    feet = [FEET[foot].removesuffix("_foot") for foot in found.stride_feet]
    rows = zip(found.strides.tolist(), feet, found.stride_length, found.stride_uncertainty, strict=True)
    for number, ((first, last), foot, length, error) in enumerate(rows, start=1):
        times = [f"{motion.timestamps[frame]:.2f}" for frame in (first, last)]
        spread = f"{error:.2f}" if np.isfinite(error) else "-"
        lines.append(f"| {' | '.join([str(number), foot, *times, f'{length:.2f}', spread])} |")
    return "\n".join(lines)
