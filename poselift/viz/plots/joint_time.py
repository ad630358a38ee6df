"""A joint over time: error or uncertainty, and angles. The error is against a reference."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from poselift.kinematics import Angles
from poselift.numerics.times import half_interval, interpolate
from poselift.structures import Motion
from poselift.viz.plots.style import COLUMN, GREY, INK, LINE_STYLES, add_legend, style_plot

_MM = 1000
_PALE = 0.15
"""Opacity of bands."""


@style_plot
def joint_plot(
    motion: Motion,
    joints: Sequence[str],
    angles: Angles,
    reference: Motion | None = None,
    reference_angles: Angles | None = None,
) -> Figure:
    """A panel of errors or uncertainty, and panels of angles.

    There is one for each kind of angle at the joints. The error is the distance from the reference's joint, both
    relative to the root joint. The uncertainty is the radius of the ball that holds the joint in 90 % of cases.

    Args:
        motion: of one person.
        joints: names of joints of the motion, and of the reference.
        angles: of the motion.
        reference: the true motion, in the same frame, with the same clock.
        reference_angles: of the reference.
    """
    kinds = list(dict.fromkeys(name.partition("_")[2] for name in angles.names if _joint_of(name, joints)))
    figure = Figure(figsize=(COLUMN, 0.4 + 1.1 * (1 + len(kinds))))
    panels = figure.subplots(1 + len(kinds), 1, squeeze=False, sharex=True)[:, 0]
    colors = {joint: look.color for joint, look in zip(joints, LINE_STYLES, strict=False)}
    handles: dict[str, Artist] = {joint: Line2D([], [], color=color) for joint, color in colors.items()}
    _radii(panels[0], motion, colors, filled=reference is not None)
    if reference is not None:
        errors = joint_distances(motion, reference)
        # The root has no error here.
        panels[0].plot(motion.timestamps, _mean(errors[:, 1:]), color=GREY, linewidth=0.8)
        for joint, color in colors.items():
            panels[0].plot(motion.timestamps, errors[:, motion.skeleton.index(joint)], color=color, linewidth=0.9)
        handles["mean of joints"] = Line2D([], [], color=GREY)
        if motion.uncertainty is not None:
            handles["uncertainty"] = Patch(color=INK, alpha=_PALE, linewidth=0)
    panels[0].set_ylabel("error (mm)" if reference is not None else "uncertainty (mm)")
    panels[0].set_ylim(bottom=0)
    for axes, kind in zip(panels[1:], kinds, strict=True):
        for found, style in ((angles, "-"), (reference_angles, "--")):
            for name in found.names if found else ():
                owner = _joint_of(name, joints)
                if found and owner and name.partition("_")[2] == kind:
                    axes.plot(found.timestamps, found.of(name), style, color=colors[owner], linewidth=0.9)
        axes.set_ylabel(f"{kind.replace('_', ' ')} (°)")
    for axes in panels:
        axes.margins(x=0)
        axes.set_xlim(motion.timestamps[0], motion.timestamps[-1])
    panels[-1].set_xlabel("time (s)")
    figure.align_ylabels()
    if reference_angles is not None and kinds:
        handles["reference"] = Line2D([], [], color=INK, linestyle="--")
    add_legend(figure, [*handles.values()], [name.replace("_", " ") for name in handles])
    return figure


def joint_distances(motion: Motion, reference: Motion) -> Float[np.ndarray, "t j"]:
    """Each joint's distance from the reference, mm, relative to the root.

    NaN for joints that the reference lacks, and in frames where it has none within half of its interval.
    """
    times, known = reference.timestamps, np.isfinite(reference.joints).all((1, 2))
    errors = np.full(motion.joints.shape[:2], np.nan)
    if not known.any():
        return errors
    times = times[known]
    after = np.searchsorted(times, motion.timestamps).clip(max=len(times) - 1)
    away = np.minimum(np.abs(motion.timestamps - times[after - 1]), np.abs(motion.timestamps - times[after]))
    covered = away <= half_interval(reference.timestamps) + 1e-6
    covered &= (motion.timestamps > times[0] - 1e-6) & (motion.timestamps < times[-1] + 1e-6)
    for row, joint in enumerate(motion.skeleton.joints):
        if joint in reference.skeleton.joints:
            track = reference.joints[known, reference.skeleton.index(joint)].astype(np.float64)
            there = interpolate(track, times, motion.timestamps)
            errors[:, row] = np.where(covered, _MM * np.linalg.norm(motion.joints[:, row] - there, axis=1), np.nan)
    return errors


def _mean(errors: Float[np.ndarray, "t j"]) -> Float[np.ndarray, " t"]:
    """Mean over joints with an error; NaN without any."""
    known = np.isfinite(errors)
    mean: np.ndarray = np.where(known, errors, 0.0).sum(1) / np.where(known.any(1), known.sum(1), np.nan)
    return mean


def _radii(axes: Axes, motion: Motion, colors: Mapping[str, str], *, filled: bool) -> None:
    """Draws the uncertainty, as lines or as a band for errors."""
    if motion.uncertainty is None:
        return
    for joint, color in colors.items():
        uncertainty = _MM * motion.uncertainty[:, motion.skeleton.index(joint)]
        if filled:
            axes.fill_between(motion.timestamps, 0, uncertainty, color=color, alpha=_PALE, linewidth=0)
        else:
            axes.plot(motion.timestamps, uncertainty, color=color, linewidth=0.9)


def _joint_of(angle: str, joints: Sequence[str]) -> str | None:
    """The joint of an angle, such as "left_knee" of "left_knee_flexion". It is one of `joints`."""
    return next((joint for joint in joints if angle.startswith(f"{joint}_")), None)
